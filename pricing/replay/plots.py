"""The plots of a report, as SVG to stand in a page."""

import io
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Bets: TypeAlias = Sequence[Mapping[str, Any]]

_STYLE: Any = {"svg.hashsalt": "baccarat-pricing", "svg.fonttype": "none", "font.size": 9, "axes.grid": True}
"""Among others: the same figures make the same SVG."""


def calibration(bets: Bets) -> str:
    """Wins less expected wins in standard deviations, each over its band."""
    figure = Figure((9, 0.3 * len(bets) + 1), layout="constrained")
    axes = figure.add_subplot()
    for place, bet in enumerate(bets):
        found = bet["calibration"]
        scale = (found["won"] - found["expected"]) / found["deviations"] if found["deviations"] else 1.0
        low, high = ((found[end] - found["expected"]) / scale for end in ("low", "high"))
        axes.plot([low, high], [place, place], color="0.75", linewidth=6, solid_capstyle="butt")
        axes.plot(found["deviations"], place, "o", color="tab:blue" if found["inside"] else "tab:red", markersize=4)
    axes.set_yticks(range(len(bets)), [f"{bet['bet']}, round {bet['round']}" for bet in bets])
    axes.invert_yaxis()
    axes.set_xlabel("wins less expected wins, in standard deviations; the bar is the band")
    return _svg(figure)


def drift(bets: Bets) -> str:
    """Chance and share of wins through the shoe, of each bet in its first round."""
    figure, panels = _panels(first_rounds(bets))
    for axes, bet in panels:
        gone = [stretch["gone"] for stretch in bet["drift"]]
        axes.plot(gone, [stretch["won"] for stretch in bet["drift"]], ".", color="tab:orange", label="won")
        axes.plot(gone, [stretch["expected"] for stretch in bet["drift"]], color="tab:blue", label="chance")
        axes.set_title(bet["bet"])
    figure.supxlabel("cards gone")
    _legend(figure)
    return _svg(figure)


def prices(bets: Bets) -> str:
    """How often odds of each size were on offer, by bet and round."""
    figure, panels = _panels(first_rounds(bets))
    for axes, first in panels:
        for bet in bets:
            if bet["bet"] == first["bet"] and bet["prices"]:
                edges = [each["from"] for each in bet["prices"]]
                axes.plot(edges, [each["rows"] for each in bet["prices"]], ".-", label=f"round {bet['round']}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(first["bet"])
    figure.supxlabel("odds")
    _legend(figure)
    return _svg(figure)


def hold(bets: Bets) -> str:
    """What was kept of flat stakes, and what was to be expected."""
    staked = [bet for bet in bets if bet["money"]["staked"]]
    figure = Figure((9, 0.3 * len(staked) + 1), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(staked))
    axes.barh(places, [bet["money"]["hold"] for bet in staked], color="tab:blue", label="kept")
    axes.plot([1 - bet["money"]["expected_return"] for bet in staked], places, "|", color="black", label="expected")
    axes.set_yticks(places, [f"{bet['bet']}, round {bet['round']}" for bet in staked])
    axes.invert_yaxis()
    axes.set_xlabel("hold, as a share of the stakes")
    _legend(figure)
    return _svg(figure)


def first_rounds(bets: Bets) -> list[Mapping[str, Any]]:
    """Each bet in the first of its rounds."""
    firsts: dict[str, Mapping[str, Any]] = {}
    for bet in bets:
        firsts.setdefault(bet["bet"], bet)
    return list(firsts.values())


def _panels(bets: Bets) -> tuple[Figure, list[tuple[Axes, Mapping[str, Any]]]]:
    """A figure with a panel a bet, three in a row."""
    rows = max(1, -(-len(bets) // 3))
    figure = Figure((9, 2.2 * rows), layout="constrained")
    panels = figure.subplots(rows, 3, squeeze=False).flat
    for spare in itertools.islice(figure.axes, len(bets), None):
        spare.set_visible(False)
    return figure, list(zip(panels, bets, strict=False))


def _legend(figure: Figure) -> None:
    """One legend for all panels."""
    named = {label: line for axes in figure.axes for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    if named:
        figure.legend(named.values(), named.keys(), loc="outside upper right", ncols=len(named))


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
