"""The dashboards are those of their source, and ask for what there is."""

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.rules import DASHBOARDS, DEPLOY, RULES, promtool, queries, rules

from pricing.service.telemetry.metric_table import METRICS

OF_PROCESS = {"up", "process_cpu_seconds_total", "process_resident_memory_bytes"}


def filled(query: str) -> str:
    """A query as Grafana sends it: with every table and a range in the place of what is chosen."""
    return re.sub(r"\$__(rate_interval|range)\b", "5m", query).replace("$instance", ".+").replace("$table", ".+")


def boards() -> list[Any]:
    return [json.loads(file.read_text("utf-8")) for file in DASHBOARDS]


def test_files_are_those_of_the_source() -> None:
    fresh = runpy.run_path(str(DEPLOY / "grafana" / "dashboards.py"))["texts"]()
    assert {file.name: file.read_text("utf-8") for file in DASHBOARDS} == fresh
    assert len(fresh) == 3


def test_ids_are_unique_and_panels_do_not_overlap() -> None:
    assert len({board["uid"] for board in boards()}) == len({board["title"] for board in boards()}) == len(boards())
    for board in boards():
        panels = board["panels"]
        assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
        taken: set[tuple[int, int]] = set()
        for panel in panels:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            assert not cells & taken
            assert max(x for x, _ in cells) < 24
            taken |= cells


def test_data_source_is_chosen_on_the_dashboard() -> None:
    for board in boards():
        assert board["templating"]["list"][0]["type"] == "datasource"
        sources = [each["datasource"] for panel in board["panels"] for each in (panel, *panel["targets"])]
        assert sources
        assert all(source == {"type": "prometheus", "uid": "${datasource}"} for source in sources)


def test_variables_are_all_declared() -> None:
    for board in boards():
        declared = {each["name"] for each in board["templating"]["list"]}
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"])))
        assert used <= declared | {"__rate_interval", "__range"}


def test_queries_are_valid(tmp_path: Path) -> None:
    records = [{"record": f"q{number}", "expr": filled(query)} for number, (_, query) in enumerate(queries())]
    assert len(records) > 25
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "q", "rules": records}]}), "utf-8")
    ran = promtool("check", "rules", str(file))
    assert ran.returncode == 0, ran.stdout


EVERYWHERE = [
    *queries(),
    *((rule.get("record") or rule["alert"], rule["expr"]) for rule in (*rules("record"), *rules("alert"))),
]


@pytest.mark.parametrize(("name", "query"), EVERYWHERE, ids=[name for name, _ in EVERYWHERE])
def test_query_asks_for_metrics_that_there_are(name: str, query: str) -> None:
    names = set(re.findall(r"\b(?:\w+:)?(?:baccarat_pricing|grpc_server|process|up)\w*(?::\w+)?", query))
    known = {*METRICS, *OF_PROCESS, *(rule["record"] for rule in rules("record"))}
    asked = {each if each in known else re.sub("_(bucket|sum|count)$", "", each) for each in names}
    assert asked
    assert asked <= known
    assert "vector(0)" not in query


def test_there_are_rules() -> None:
    assert len(RULES) == 2
