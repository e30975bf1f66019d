"""Each alert fires when it is to, keeps quiet when it is not, and has a page in the runbook."""

import re
from pathlib import Path

import pytest
import yaml
from deploy.alert_cases import CASES, Case, Series
from deploy.rules import DEPLOY, RULES, RUNBOOK, promtool, rules

from pricing.service.telemetry.metric_table import METRICS, Kind

ALERTS = {rule["alert"]: rule for rule in rules("alert")}
RUNBOOK_HEAD = "# Runbook\n\nOne page for each alert of [alerts.yml](../prometheus/rules/alerts.yml).\n\n"


def index() -> str:
    """The runbook's index, as it is generated."""
    rows = [
        f"| [{name}]({name}.md) | {rule['labels']['severity']} | {rule['annotations']['summary']} |"
        for name, rule in ALERTS.items()
    ]
    return RUNBOOK_HEAD + "\n".join(["| Alert | Severity | |", "| --- | --- | --- |", *rows]) + "\n"


def tried(name: str, case: Case, series: Series, folder: Path, *, fires: bool) -> str:
    """What promtool finds wrong when the alert is tried with these series; empty if nothing."""
    rule = ALERTS[name]
    # An alert has the labels of its expression and its own; of a sum that names them, job and instance too.
    labels = {**rule["labels"], "job": "baccarat-pricing", "instance": "i", **case.labels}
    expected = [{"exp_labels": labels, "exp_annotations": rule["annotations"]}] if fires else []
    test = {
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items()],
        "alert_rule_test": [{"eval_time": f"{case.minute}m", "alertname": name, "exp_alerts": expected}],
    }
    file = folder / "test.yml"
    content = {"rule_files": list(map(str, RULES)), "evaluation_interval": "1m", "tests": [test]}
    file.write_text(yaml.safe_dump(content), "utf-8")
    ran = promtool("test", "rules", str(file))
    return ran.stdout if ran.returncode else ""


@pytest.mark.parametrize("name", ALERTS)
def test_alert_fires(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert not tried(name, case, case.fires, tmp_path, fires=True)


@pytest.mark.parametrize("name", ALERTS)
def test_alert_keeps_quiet(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert not tried(name, case, case.quiet, tmp_path, fires=False)


def test_every_alert_is_tried_and_no_other() -> None:
    assert list(CASES) == list(ALERTS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cases_are_of_series_that_there_are(case: Case) -> None:
    """With all their labels: else a case would prove an alert that can never fire."""
    for series in (*case.fires, *case.quiet):
        found = re.fullmatch(r"(\w+)\{(.*)\}", series)
        assert found
        labels = {part.partition("=")[0] for part in found[2].split(",")} - {"job", "instance"}
        if found[1] == "up":
            continue
        name = re.sub("_(bucket|sum|count)$", "", found[1])
        row = METRICS[name]
        assert labels == {*row.labels, *(["le"] if row.kind is Kind.HISTOGRAM else [])}


def test_every_alert_has_a_page_and_every_page_an_alert() -> None:
    pages = {page.stem: page for page in RUNBOOK.glob("*.md") if page.name != "README.md"}
    assert set(pages) == set(ALERTS)
    for name, rule in ALERTS.items():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert DEPLOY.parent / rule["annotations"]["runbook"] == pages[name]
        text = pages[name].read_text("utf-8")
        assert text.startswith(f"# {name}\n\n{rule['annotations']['summary']}\n")
        assert all(f"\n## {head}\n\n" in text for head in ("What it means", "What to do"))


def test_index_of_the_runbook_is_fresh() -> None:
    assert (RUNBOOK / "README.md").read_text("utf-8") == index()


def test_files_are_valid() -> None:
    """The configuration too, with the rules that it names."""
    for arguments in (("rules", *map(str, RULES)), ("config", str(DEPLOY / "prometheus" / "prometheus.yml"))):
        ran = promtool("check", *arguments)
        assert ran.returncode == 0, ran.stdout
        assert "0 rules found" not in ran.stdout


if __name__ == "__main__":
    (RUNBOOK / "README.md").write_text(index(), "utf-8")
