"""A real Prometheus that scrapes a server at which games are played, on this machine alone."""

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import grpc
import trustme
from deploy.rules import DEPLOY
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games
from test_readme import free_port

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub

SCRAPE = "250ms"
SPED_UP = {"120": "4"}
"""Seconds of silence for which an alert waits, and for how many it waits here."""


def eventually(truth: Callable[[], Any], what: str, seconds: float = 40) -> Any:
    """What becomes true in the end."""
    give_up = time.monotonic() + seconds
    while not (found := truth()):
        assert time.monotonic() < give_up, what
        time.sleep(0.1)
    return found


class Game(threading.Thread):
    """Plays one game after the other at a table, until told to stop; stops in an open round."""

    def __init__(self, studio: Studio, pause: float) -> None:
        super().__init__(daemon=True)
        self._studio = studio
        self._pause = pause
        self._ends = threading.Event()

    def run(self) -> None:
        self._studio.create(shoe=False)
        for event in whole_games(self._studio.table):
            self._studio.send(event)
            if self._ends.is_set() and event.WhichOneof("event") == "game_opened":
                return
            time.sleep(self._pause)

    def stop(self) -> None:
        self._ends.set()
        self.join()


class Prometheus:
    """A running Prometheus."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def get(self, path: str, **what: object) -> Any:
        """What its API answers."""
        with urlopen(f"{self._url}/api/v1/{path}?{urlencode(what)}", timeout=10) as response:
            return json.load(response)["data"]

    def up(self) -> bool:
        try:
            with urlopen(f"{self._url}/-/ready", timeout=10) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def values(self, query: str) -> list[float]:
        """Of every series that a query gives now, without those that are no number."""
        values = [float(series["value"][1]) for series in self.get("query", query=query)["result"]]
        return [value for value in values if value == value]  # noqa: PLR0124 - NaN

    def firing(self) -> set[str]:
        """Names of the alerts that fire."""
        return {each["labels"]["alertname"] for each in self.get("alerts")["alerts"] if each["state"] == "firing"}


class Monitored:
    """The server, who plays at it, and who looks at it."""

    def __init__(self, server: ServerProcess, prometheus: Prometheus, games: list[Game]) -> None:
        self.server = server
        self.prometheus = prometheus
        self._games = games

    def stop_playing(self) -> None:
        for game in self._games:
            game.stop()


def configured(folder: Path, target: str) -> Path:
    """The files of deploy/prometheus, for this target, and with less patience."""
    shutil.copytree(DEPLOY / "prometheus", folder)
    config = folder / "prometheus.yml"
    text = config.read_text("utf-8")
    assert text.count("5s") == 2
    assert text.count("pricing:9464") == 1
    config.write_text(text.replace("5s", SCRAPE).replace("pricing:9464", target), "utf-8")
    alerts = folder / "rules" / "alerts.yml"
    text = alerts.read_text("utf-8")
    for slow, fast in SPED_UP.items():
        text, found = re.subn(rf"> {slow}\b", f"> {fast}", text)
        assert found == 2
    alerts.write_text(text, "utf-8")
    return config


@contextmanager
def prometheus(folder: Path, target: str) -> Iterator[Prometheus]:
    """A Prometheus with the files of deploy/prometheus."""
    port = free_port()
    command = [
        "prometheus",
        f"--config.file={configured(folder / 'config', target)}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    ]
    process = subprocess.Popen(command)
    try:
        found = Prometheus(port)
        eventually(found.up, "Prometheus does not start")
        yield found
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def monitored(folder: Path, pause: float = 0.02) -> Iterator[Monitored]:
    """A server with TLS, two tables that play, one that its trader holds, a subscriber, and Prometheus."""
    authority = trustme.CA()
    made = authority.issue_cert("127.0.0.1")
    made.cert_chain_pems[0].write_to_path(str(folder / "cert"))
    made.private_key_pem.write_to_path(str(folder / "key"))
    with ExitStack() as stack:
        flags = ("--tls-cert", str(folder / "cert"), "--tls-key", str(folder / "key"))
        server = stack.enter_context(server_process(*flags))
        credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        channel = stack.enter_context(grpc.secure_channel(server.address, credentials))
        Studio(channel, "held").create().say(hold_placed={"reason": "a break"})
        watching: Any = OddsServiceStub(channel)
        call = watching.WatchTables(pb.WatchTablesRequest())
        threading.Thread(target=drain, args=(call,), daemon=True).start()
        games = [Game(Studio(channel, name), pause) for name in ("t1", "t2")]
        for game in games:
            game.start()
        found = stack.enter_context(prometheus(folder, server.http))
        monitored = Monitored(server, found, games)
        stack.callback(call.cancel)
        stack.callback(monitored.stop_playing)
        yield monitored


def drain(call: Any) -> None:
    """Read a stream to its end."""
    try:
        for _ in call:
            pass
    except grpc.RpcError:
        return
