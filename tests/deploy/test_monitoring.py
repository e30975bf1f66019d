"""A real Prometheus that scrapes a server with playing tables has data for every query, and raises the alarm."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy.monitoring import Monitored, eventually, monitored
from deploy.pictures import PICTURES, draw
from deploy.rules import DEPLOY, queries, rules
from deploy.test_dashboards import filled

QUERIES = [*queries(), *((rule["record"], rule["record"]) for rule in rules("record"))]


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Monitored]:
    with monitored(tmp_path_factory.mktemp("monitored")) as found:
        yield found


@pytest.mark.parametrize(("name", "query"), QUERIES, ids=[name for name, _ in QUERIES])
def test_query_returns_data(playing: Monitored, name: str, query: str) -> None:
    eventually(lambda: playing.prometheus.values(filled(query)), f"no data for {query}")


def test_rules_are_evaluated_without_errors(playing: Monitored) -> None:
    groups = playing.prometheus.get("rules")["groups"]
    found = [rule for group in groups for rule in group["rules"]]
    assert len(found) == len(rules("record")) + len(rules("alert"))
    assert {rule["lastError"] for rule in found if rule.get("lastError")} == set()


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_plotted_from_what_was_scraped(playing: Monitored, name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.png"
    assert draw(playing.prometheus, PICTURES[name], file, 20) >= 1
    assert file.read_bytes().startswith(b"\x89PNG")
    assert (DEPLOY / "grafana" / "pictures" / file.name).exists()


def test_stopping_the_feed_fires_its_alert(playing: Monitored) -> None:
    """The last of the module, as games are played no more."""
    assert not playing.prometheus.firing() & {"FeedFrozen", "TableSilent", "TargetDown"}
    playing.stop_playing()
    eventually(lambda: playing.prometheus.firing() >= {"FeedFrozen", "TableSilent"}, "nobody is told")
