"""Plots panels of the dashboards from a real Prometheus: `python tests/deploy/pictures.py` makes the pictures anew."""

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers, when run as a script

from deploy.monitoring import Prometheus, monitored
from deploy.rules import DASHBOARDS, DEPLOY
from deploy.test_dashboards import filled

PICTURES: Final = {
    "odds": "Odds through the rounds",
    "shoe": "Cards left in the shoe",
    "overround": "Overround by book and round",
    "edge": "House edge by bet and round",
}
"""Each picture's file, and the panel that it is of."""
SECONDS: Final = 45
"""Of play that they show."""
MARKS: Final = "o^s"
"""Of the betting rounds."""


def panel(title: str) -> Any:
    """A panel of the dashboards."""
    boards = (json.loads(file.read_text("utf-8")) for file in DASHBOARDS)
    (found,) = [each for board in boards for each in board["panels"] if each["title"] == title]
    return found


def series_of(prometheus: Prometheus, shown: Any, seconds: float) -> tuple[float, list[Any]]:
    """The time now, and every series of a panel for table t1 in the seconds before it."""
    end, found = time.time(), []
    for target in shown["targets"]:
        query = filled(target["expr"]).replace('table=~".+"', 'table="t1"')
        found += prometheus.get("query_range", query=query, start=end - seconds, end=end, step=0.25)["result"]
    return end, found


def draw(prometheus: Prometheus, title: str, file: Path, seconds: float) -> int:
    """Plot a panel of table t1 for the last seconds, a colour a bet or book, a mark a round; how many series it has."""
    shown = panel(title)
    end, series = series_of(prometheus, shown, seconds)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots()
    names = sorted({name_of(each["metric"]) for each in series})
    for each in series:
        times, values = zip(*((at - end, float(value)) for at, value in each["values"]), strict=True)
        mark = MARKS[int(each["metric"].get("round", 1)) - 1]
        axes.plot(times, values, mark, markersize=3, color=f"C{names.index(name_of(each['metric']))}")
    for place, name in enumerate(names):
        axes.plot([], [], "-", color=f"C{place}", label=name)
    rounds = sorted({each["metric"]["round"] for each in series if "round" in each["metric"]})
    for number in rounds:
        axes.plot([], [], MARKS[int(number) - 1], color="grey", label=f"round {number}")
    axes.set(title=title, xlabel="seconds")
    if shown["fieldConfig"]["defaults"]["unit"] == "percentunit":
        axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8)
    figure.savefig(file, dpi=100, metadata={"Software": None})
    return len(series)


def name_of(labels: Mapping[str, str]) -> str:
    """What a colour stands for: a bet, a book, or a table."""
    return labels.get("bet") or labels.get("book") or labels["table"]


def main() -> None:
    """Let games be played for a while, and plot them."""
    with TemporaryDirectory() as folder, monitored(Path(folder), pause=0.4) as found:
        time.sleep(SECONDS)
        for name, title in PICTURES.items():
            draw(found.prometheus, title, DEPLOY / "grafana" / "pictures" / f"{name}.png", SECONDS)


if __name__ == "__main__":
    main()
