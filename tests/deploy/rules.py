"""The rules of deploy/prometheus and the queries of deploy/grafana, as the tests read them."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES = sorted((DEPLOY / "prometheus" / "rules").glob("*.yml"))
RUNBOOK = DEPLOY / "runbook"
DASHBOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))


def rules(kind: str) -> list[dict[str, Any]]:
    """Every rule that is a `record` or an `alert`."""
    files = (yaml.safe_load(file.read_text("utf-8")) for file in RULES)
    return [rule for file in files for group in file["groups"] for rule in group["rules"] if kind in rule]


def queries() -> Iterator[tuple[str, str]]:
    """Every query of a panel or of a variable, under a name."""
    for file in DASHBOARDS:
        board = json.loads(file.read_text("utf-8"))
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                yield f"{board['uid']}: {panel['title']}: {target['refId']}", target["expr"]


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it; what it prints is in `stdout`."""
    return subprocess.run(
        ["promtool", *arguments], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
