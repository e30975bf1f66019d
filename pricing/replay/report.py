"""A report as a page and as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pricing.replay import plots


def report_json(figures: Mapping[str, Any]) -> str:
    """The figures as JSON."""
    return json.dumps(figures, indent=2, allow_nan=False) + "\n"


def report_html(figures: Mapping[str, Any]) -> str:
    """The figures as one page that needs nothing beside it, its plots inline."""
    pages = Environment(
        loader=PackageLoader("pricing.replay", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    pages.filters["number"] = lambda value: "–" if value is None else f"{value:.4f}"
    draw = {each.__name__: each for each in (plots.calibration, plots.hold, plots.drift, plots.prices)}
    drawn = {name: Markup(plot(figures["bets"])) for name, plot in draw.items()} if figures["bets"] else {}
    return pages.get_template("report.html").render(figures, plots=drawn)
