"""Traces as a collector gets them: one an event, with its stages one after the other, and nothing that was reported."""

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from gzip import decompress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from service.serving import SERVE, server_process
from service.studio import Studio
from test_readme import free_port

STAGES = ["wait", "decide", "write", "publish"]


class Collector:
    """Takes OTLP over HTTP."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                body = decompress(body) if self.headers["Content-Encoding"] == "gzip" else body
                requests.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(200 if self.path == "/v1/traces" else 404)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Requests are no news."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"

    def spans(self) -> list[Span]:
        resources = [each for request in self.requests for each in request.resource_spans]
        return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    thread = Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def attributes(span: Span) -> dict[str, str | int]:
    return {
        each.key: each.value.string_value if each.value.HasField("string_value") else each.value.int_value
        for each in span.attributes
    }


def test_each_event_is_a_trace_of_its_stages(collector: Collector) -> None:
    start = time.time_ns()
    with server_process("--traces", collector.url) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        studio.say(game_opened={})
        studio.deal("2D")
        assert server.stop() == 0  # sends what there is
    events = [span for span in collector.spans() if not span.parent_span_id]
    found = [attributes(span) for span in events]
    kinds = ["shoe_loaded", "game_opened", "betting_closed", "card_dealt"]
    assert found == [{"table": "t", "kind": kind, "position": at} for at, kind in enumerate(kinds, 2)]
    assert len({span.trace_id for span in events}) == len(events)
    for event in events:
        stages = [span for span in collector.spans() if span.parent_span_id == event.span_id]
        assert [span.name for span in stages] == STAGES
        assert {span.trace_id for span in stages} == {event.trace_id}
        assert [attributes(span) for span in stages] == [attributes(event)] * len(STAGES)
        ends = [event.start_time_unix_nano, *(span.end_time_unix_nano for span in stages)]
        assert ends[:-1] == [span.start_time_unix_nano for span in stages]
        assert ends == sorted(ends)
        assert ends[-1] == event.end_time_unix_nano
        assert start < ends[0] < ends[-1] < time.time_ns()
    resource = {
        each.key: each.value.string_value for each in collector.requests[0].resource_spans[0].resource.attributes
    }
    assert resource["service.name"] == "baccarat-pricing"


def test_events_that_wait_for_the_one_before_tell_so(collector: Collector) -> None:
    with server_process("--traces", collector.url) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        studio.say(game_opened={})
        events = [studio.event(notice={"kind": "NOTICE_KIND_BREAK", "text": str(number)}) for number in range(20)]
        with ThreadPoolExecutor(len(events)) as pool:
            list(pool.map(studio.send, events))
        server.stop()
    waits = [span for span in collector.spans() if span.name == "wait"]
    longest = max(span.end_time_unix_nano - span.start_time_unix_nano for span in waits)
    writes = [span for span in collector.spans() if span.name == "write"]
    assert longest > min(span.end_time_unix_nano - span.start_time_unix_nano for span in writes)


def test_no_collector_is_no_trouble() -> None:
    with server_process("--traces", f"http://127.0.0.1:{free_port()}/v1/traces") as server, server.channel() as channel:
        Studio(channel, "t").create().play_game()
        assert server.stop() == 0


def test_missing_libraries_are_named() -> None:
    """As where the extra was not installed: the libraries are made unfindable."""
    hidden = "import sys, runpy; sys.modules['opentelemetry'] = None; from pricing.cli import run; run()"
    command = [sys.executable, "-c", hidden, *SERVE[3:], "--traces", "http://127.0.0.1:4318/v1/traces"]
    ran = subprocess.run([*command, "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert "traces: got 'http://127.0.0.1:4318/v1/traces'; allowed: off, unless" in ran.stderr
    assert "baccarat-pricing[otel]" in ran.stderr


@pytest.mark.parametrize("given", ["127.0.0.1:4318", "ftp://127.0.0.1", "http://", "on"])
def test_what_is_no_url_is_refused(given: str) -> None:
    ran = subprocess.run([*SERVE, "--traces", given], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert f"traces: got {given!r}; allowed: http://HOST:PORT/PATH" in ran.stderr
