"""The server ends, in order or by `kill -9`, and starts again: nothing that it acknowledged is lost."""

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from service.serving import SERVE, ServerProcess, refused, server_process
from service.studio import GAME, Studio, event_of, holds, offers, open_round, rounds, whole_games

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.service.floor.game_texts import GameTexts
from pricing.store.journal import JournalDamaged
from pricing.store.reader import open_reader
from pricing.store.sqlite import open_journal

KILLS = int(os.environ.get("KILLS", "20"))


def test_a_restart_holds_what_plays_and_closes_what_was_open(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with server_process("--data", data) as server, server.channel() as channel:
        for name in ("a", "b", "c", "d"):
            Studio(channel, name).create().say(game_opened={})
        quiet = Studio(channel, "idle").create(shoe=False)
        closed = Studio(channel, "closed").create(shoe=False)
        closed.stub.CloseTable(pb.CloseTableRequest(table="closed", event_id="end"))
        before = {name: Studio(channel, name).look() for name in ("a", "idle", "closed")}
        assert server.stop() == 0
    with server_process("--data", data) as server, server.channel() as channel:
        assert closed_alike(Studio(channel, "closed").look(), before["closed"])
        image = Studio(channel, "a").look()
        assert (image.state, holds(image)) == (tables_pb2.TABLE_STATE_HELD, ["RESTART"])
        assert (rounds(image), set(offers(image, 1).values())) == (["CLOSED", "PENDING", "PENDING"], {"SUSPENDED"})
        was = before["a"]
        assert image.epoch == was.epoch
        assert [bet.win_ways for bet in image.game.rounds[0].bets] == [bet.win_ways for bet in was.game.rounds[0].bets]
        assert (image.position, image.card_state, image.shoe) == (was.position + 1, was.card_state, was.shoe)
        assert holds(Studio(channel, "idle").look()) == ["RESTART"]
        quiet.stub = Studio(channel, "idle").stub
        quiet.say(shoe_loaded={})  # its first number: nothing says whether it continues
        assert holds(quiet.look()) == ["RESTART"]

        studio = resumed(channel, "a")
        studio.say(card_dealt={"card": "9S"})  # continues the numbers
        assert (holds(studio.look()), open_round(studio.look())) == ([], 2)

        studio = resumed(channel, "b")
        studio.say(card_dealt={"card": "9S"}, source_number=9)  # does not
        assert holds(studio.look()) == ["RESTART", "SOURCE_GAP"]
        studio.say(resumed={}, source_number=10)
        assert holds(studio.look()) == []

        studio = resumed(channel, "c")
        unnumbered = studio.event(card_dealt={"card": "9S"})
        unnumbered.ClearField("source_number")
        studio.send(unnumbered)
        assert (holds(studio.look()), list(studio.look().game.dealt)) == (["RESTART"], ["9S"])


def closed_alike(image: tables_pb2.Table, before: tables_pb2.Table) -> bool:
    return image == before and image.state == tables_pb2.TABLE_STATE_CLOSED


def resumed(channel: Any, table: str) -> Studio:
    """The studio of a table at which a shoe was loaded and a game opened."""
    studio = Studio(channel, table)
    studio.number = 2
    return studio


def test_answers_outlive_a_restart(tmp_path: Path) -> None:
    """All events again, with the answers that they had; so does making the table."""
    data = str(tmp_path / "data")
    events = list(islice(whole_games("t"), 60))
    wrong = event_of("t", "wrong", early_card_resolved={"burned": True})
    with server_process("--data", data) as server, server.channel() as channel:
        studio = Studio(channel, "t").create(shoe=False)
        first = [studio.send(event) for event in (*events, wrong)]
        assert first[-1].refusal.reason == "NO_EARLY_CARD"
        server.kill()
    with server_process("--data", data) as server, server.channel() as channel:
        studio = Studio(channel, "t").create(shoe=False)
        position = studio.look().position
        for receipt, event in zip(first, (*events, wrong), strict=True):
            receipt.duplicate = True
            assert studio.send(event) == receipt
        assert studio.look().position == position
        other = event_of("t", "wrong", cut_card_seen={})
        with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
            studio.send(other)


def test_an_edited_game_type_changes_only_shoes_that_are_still_to_come(tmp_path: Path) -> None:
    """Nor does one that is gone: what was played goes by its own text, in the journal."""
    games, data = tmp_path / "games", str(tmp_path / "data")
    games.mkdir()
    file = games / "own.toml"
    text = GAME.text.replace('name = "bet-on-baccarat"', 'name = "own"')
    file.write_text(text, "utf-8")
    flags = ("--data", data, "--games", str(games))
    made = pb.CreateTableRequest(table="t", game_type="own", event_id="made")
    with server_process(*flags) as server, server.channel() as channel:
        studio = Studio(channel, "t")
        studio.stub.CreateTable(made)
        loaded = studio.event(shoe_loaded={})
        studio.send(loaded)
        studio.say(game_opened={})
        before = studio.look()
        server.stop()
    file.write_text(text.replace("decks = 6", "decks = 8").replace("window_ms = 15000", "window_ms = 9"), "utf-8")
    with server_process(*flags) as server, server.channel() as channel:
        studio = Studio(channel, "t")
        studio.number = 2
        image = studio.look()
        assert image.game.rounds[0].policy_version == before.game.rounds[0].policy_version
        assert (image.shoe, image.round_windows_ms) == (before.shoe, before.round_windows_ms)
        assert studio.send(loaded).duplicate
        assert studio.stub.CreateTable(made).table == image
        studio.say(games_voided={"reason": "VOID_REASON_OTHER"})
        studio.say(shoe_loaded={})
        assert studio.look().shoe.decks == 8
        assert studio.send(loaded).duplicate
        studio.say(game_opened={})
        assert studio.look().game.rounds[0].policy_version != before.game.rounds[0].policy_version
        server.stop()
    with server_process("--data", data) as server, server.channel() as channel:  # the game type is no longer there
        studio = Studio(channel, "t")
        studio.number = 5
        assert studio.look().shoe.decks == 8
        assert studio.send(loaded).duplicate
        assert studio.stub.CreateTable(made).table.position == studio.look().position
        studio.say(games_voided={"reason": "VOID_REASON_OTHER"})
        studio.say(shoe_loaded={})
        assert studio.look().shoe.decks == 8


class Writers:
    """Writes to some tables through a server that is killed, and keeps what was acknowledged."""

    def __init__(self, tables: int) -> None:
        self.scripts = {f"t{number}": list(islice(whole_games(f"t{number}", number), 4000)) for number in range(tables)}
        self.acknowledged: dict[str, list[pb.EventReceipt]] = {table: [] for table in self.scripts}

    def write(self, server: ServerProcess) -> list[threading.Thread]:
        """Go on where the acknowledgements end, in threads that end with the server."""
        threads = [threading.Thread(target=self._write, args=[server, table]) for table in self.scripts]
        for thread in threads:
            thread.start()
        return threads

    def _write(self, server: ServerProcess, table: str) -> None:
        script, done = self.scripts[table], self.acknowledged[table]
        with server.channel(**{"grpc.use_local_subchannel_pool": 1}) as channel:
            rest = (pb.StreamEventsRequest(event=event) for event in script[len(done) :])
            try:
                for answer in TableServiceStub(channel).StreamEvents(rest):
                    assert answer.HasField("receipt"), answer
                    done.append(answer.receipt)
            except grpc.RpcError:
                pass  # the server is gone

    def check(self, folder: Path) -> int:
        """Every acknowledged event is in the journal, once, with the answer that was given; how many there are."""
        with open_reader(folder) as journal:
            assert not list(journal.verify())
            for table, receipts in self.acknowledged.items():
                rows = list(journal.read(table))
                assert [row.position for row in rows] == list(range(1, len(rows) + 1))
                said = [row for row in rows if row.actor != "system" and row.position > 1]
                events = self.scripts[table][: len(said)]
                assert [row.event_id for row in said] == [event.event_id for event in events]
                assert len(said) >= len(receipts)
                for row, receipt in zip(said, receipts, strict=False):
                    assert receipt.position == row.position
                    assert f'"card_state":{receipt.card_state},' in row.outcome
                    assert '"refusal":null' in row.outcome
        return sum(map(len, self.acknowledged.values()))


def test_kill_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """KILLS=200 in the environment kills more often."""
    dice = random.Random(1)
    data = tmp_path / "data"
    writers = Writers(tables=4)
    with server_process("--data", str(data)) as server, server.channel() as channel:
        for table in writers.scripts:
            Studio(channel, table).create(shoe=False)
    for _ in range(KILLS):
        with server_process("--data", str(data)) as server:
            threads = writers.write(server)
            time.sleep(0.03 + 0.25 * dice.random() ** 2)
            server.process.send_signal(signal.SIGKILL)
            for thread in threads:
                thread.join()
        writers.check(data)
    assert writers.check(data) > KILLS  # so that the kills fell among writes


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_the_disk_is_synced_between_an_event_s_receipt_and_its_answer(tmp_path: Path) -> None:
    """A killed process leaves the page cache, a power failure does not: only the system calls tell."""
    log = tmp_path / "trace"
    with server_process() as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        calls = "trace=recvmsg,sendmsg,read,write,pwrite64,fdatasync,fsync"
        command = ["strace", "-f", "-y", "-s", "2000", "-e", calls, "-o", str(log), "-p", str(server.process.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            assert tracer.stderr
            while "attached" not in tracer.stderr.readline():
                assert tracer.poll() is None
            for number in range(10):
                studio.say(notice={"kind": "NOTICE_KIND_BREAK"}, event_id=f"traced-{number}-event")
            tracer.send_signal(signal.SIGINT)
            tracer.communicate()
    for number in range(10):
        assert order_of(log.read_text(), f"traced-{number}-event") == ["received", "written", "synced", "answered"]


def order_of(trace: str, event_id: str) -> list[str]:
    """What happens to an event, in its order; what happens several times, at the last time before the answer."""
    moments: dict[str, int] = {}
    syncing: set[str] = set()
    for place, line in enumerate(trace.splitlines()):
        thread, _, call = line.partition(" ")
        network = re.match(r"\s*(?:<\.\.\. )?(recvmsg|sendmsg|read|write)\b", call)
        if network and event_id in call:
            heard = network[1] in ("recvmsg", "read")
            if heard and "received" not in moments:
                moments["received"] = place
            elif not heard and "answered" not in moments and "received" in moments:
                moments["answered"] = place
        if "received" not in moments or "answered" in moments:
            continue
        if re.match(r"\s*pwrite64\(", call) and "journal.sqlite3-wal>" in call:
            moments["written"] = place
        elif re.match(r"\s*(fdatasync|fsync)\(", call) and "journal.sqlite3-wal>" in call:
            if "unfinished" in call:
                syncing.add(thread)
            else:
                assert call.rstrip().endswith("= 0")
                moments["synced"] = place
        elif re.match(r"\s*<\.\.\. (fdatasync|fsync) resumed", call) and thread in syncing:
            syncing.discard(thread)
            assert call.rstrip().endswith("= 0")
            moments["synced"] = place
    return sorted(moments, key=moments.__getitem__)


def outcome(data: Path) -> tuple[int, str]:
    """How a server ends that cannot start, and what it says."""
    done = subprocess.run(
        [*SERVE, "--listen", "127.0.0.1:0", "--http", "off", "--data", str(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_two_servers_on_one_folder(tmp_path: Path) -> None:
    """The second does not start; the first goes on; and a third starts when it has ended."""
    data = tmp_path / "data"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        code, text = outcome(data)
        assert (code, text.count("\n")) == (1, 1)
        assert f"open for writing in process {server.process.pid}" in text
        studio.say(game_opened={})
    with server_process("--data", str(data)) as server, server.channel() as channel:
        assert Studio(channel, "t").look().position == 4


def test_journals_that_cannot_be_served(tmp_path: Path) -> None:
    """One line each, and the exit code 1."""
    data = tmp_path / "data"
    with server_process("--data", str(data)) as server:
        server.stop()
    journal = data / "journal.sqlite3"
    with closing(sqlite3.connect(journal, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = [(*outcome(data), "locked")]
        other.execute("ROLLBACK")
        other.execute("PRAGMA user_version = 99")
    found.append((*outcome(data), "version 99"))
    journal.write_text("no journal")
    found.append((*outcome(data), "no SQLite database"))
    for code, text, word in found:
        assert (code, text.count("\n")) == (1, 1), text
        assert text.startswith("baccarat-pricing: error: data: ")
        assert word in text
    assert "Traceback" not in str(found)


def test_a_row_that_is_not_as_it_was_written_is_not_served(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        studio.say(game_opened={})
        studio.say(card_burned={"card": "9S"})
        server.stop()
    tamper(data, "UPDATE rows SET body = replace(body, '9S', '8S') WHERE position = 4")
    code, text = outcome(data)
    assert (code, text.count("\n")) == (1, 1), text
    assert text.startswith("baccarat-pricing: error: data: row 4 of table t is not as it was written")


def test_a_game_type_that_is_not_as_it_was_kept_is_not_played(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        kept = journal.put_text(GAME.text)
        tamper(tmp_path, "UPDATE texts SET text = replace(text, '0.025', '0.024')")
        with pytest.raises(JournalDamaged, match=kept):
            GameTexts(journal, {})[kept]


def tamper(data: Path, change: str) -> None:
    """Change what is in the journal behind its back."""
    with closing(sqlite3.connect(data / "journal.sqlite3")) as other:
        assert other.execute(change).rowcount == 1
        other.commit()


def test_a_journal_restored_from_a_backup_has_another_epoch(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        copy.mkdir()
        with open_reader(data) as journal:
            journal.backup(copy / "journal.sqlite3")
        studio.say(game_opened={})
        first = studio.look()
    with server_process("--data", str(copy)) as server, server.channel() as channel:
        second = Studio(channel, "t").look()
    assert second.epoch != first.epoch
    assert not second.HasField("game")
