"""The dashboards' source: `python deploy/grafana/dashboards.py` writes dashboards/*.json. The standard library only."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parent / "dashboards"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
OWN = "baccarat_pricing_"
AT = '{job="baccarat-pricing", instance=~"$instance"}'
AT_TABLE = '{job="baccarat-pricing", instance=~"$instance", table=~"$table"}'
WIDTH, HEIGHT = 24, 8


class Panel(NamedTuple):
    """One graph or figure."""

    title: str
    queries: Sequence[tuple[str, str]]
    """PromQL, and the legend."""
    unit: str = "short"
    kind: str = "timeseries"
    width: int = 12
    about: str = ""


class Board(NamedTuple):
    """One dashboard."""

    uid: str
    title: str
    of_table: bool
    """Whether tables are chosen on it."""
    panels: Sequence[Panel]


BOARDS = (
    Board(
        "baccarat-tables",
        "Baccarat: tables",
        True,
        [
            Panel(
                "Odds through the rounds", [(f"{OWN}bet_odds{AT_TABLE}", "{{table}} {{bet}} round {{round}}")], width=24
            ),
            Panel("Open round", [(f"{OWN}table_round{AT_TABLE}", "{{table}}")], kind="stat", width=6),
            Panel(
                "Round open for",
                [("table:baccarat_pricing_round_age_seconds:now" + AT_TABLE, "{{table}}")],
                "s",
                "stat",
                6,
            ),
            Panel(
                "Last event before",
                [("table:baccarat_pricing_last_event_age_seconds:now" + AT_TABLE, "{{table}}")],
                "s",
                "stat",
                6,
            ),
            Panel("Holds", [(f"sum by (reason) ({OWN}tables_holds{AT})", "{{reason}}")], kind="stat", width=6),
            Panel("Held bets", [(f"{OWN}table_held_bets{AT_TABLE}", "{{table}}")], kind="stat", width=6),
            Panel("Cards left in the shoe", [(f"{OWN}table_cards_remaining{AT_TABLE}", "{{table}}")]),
            Panel(
                "Chances", [(f"{OWN}bet_chance_ratio{AT_TABLE}", "{{table}} {{bet}} round {{round}}")], "percentunit"
            ),
            Panel(
                "Results",
                [(f"sum by (winner) (increase({OWN}results_total{AT}[$__range]))", "{{winner}}")],
                kind="bargauge",
            ),
            Panel(
                "Games", [(f"sum by (outcome) (increase({OWN}games_total{AT}[$__range]))", "{{outcome}}")], kind="stat"
            ),
        ],
    ),
    Board(
        "baccarat-book",
        "Baccarat: the book",
        True,
        [
            Panel(
                "Overround by book and round",
                [(f"avg by (book, round) ({OWN}book_overround_ratio{AT_TABLE})", "{{book}} round {{round}}")],
                "percentunit",
            ),
            Panel(
                "Margin by book and round, with the policies in force",
                [(f"avg by (book, round) ({OWN}book_margin_ratio{AT_TABLE})", "{{book}} round {{round}}")],
                "percentunit",
            ),
            Panel(
                "Return by bet and round",
                [(f"avg by (bet, round) ({OWN}bet_return_ratio{AT_TABLE})", "{{bet}} round {{round}}")],
                "percentunit",
            ),
            Panel(
                "House edge by bet and round",
                [(f"avg by (bet, round) ({OWN}bet_house_edge_ratio{AT_TABLE})", "{{bet}} round {{round}}")],
                "percentunit",
            ),
            Panel(
                "Highest return of any table",
                [(f'max by (bet) ({OWN}tables_bet_return_ratio{{job="baccarat-pricing", bound="max"}})', "{{bet}}")],
                "percentunit",
                about="Above 100 % the bettor gains.",
            ),
            Panel(
                "Wins over expected, in standard deviations of a day's games",
                [(f"bet:baccarat_pricing_wins_over_expected:sigmas1d{AT}", "{{bet}}")],
                about="Beyond 5 either way something is wrong.",
            ),
            Panel(
                "Wins, and what the chances said",
                [
                    (f"sum by (bet) (increase({OWN}bet_wins_total{AT}[$__range]))", "{{bet}} won"),
                    (f"sum by (bet) (increase({OWN}bet_expected_wins_total{AT}[$__range]))", "{{bet}} expected"),
                ],
                width=24,
            ),
        ],
    ),
    Board(
        "baccarat-service",
        "Baccarat: service health",
        False,
        [
            Panel("Up", [('up{job="baccarat-pricing"}', "{{instance}}")], kind="stat", width=6),
            Panel("Tables", [(f"sum by (state) ({OWN}tables{AT})", "{{state}}")], kind="stat", width=6),
            Panel("Subscribers", [(f"{OWN}feed_subscribers{AT}", "{{instance}}")], kind="stat", width=6),
            Panel("Journal fault", [(f"{OWN}journal_fault{AT}", "{{instance}}")], kind="stat", width=6),
            Panel("Events a second", [(f"instance:baccarat_pricing_events:rate5m{AT}", "{{outcome}}")]),
            Panel(
                "Latencies, 99 of 100",
                [
                    (f"instance:baccarat_pricing_event_publish_seconds:p99_rate5m{AT}", "event to publish"),
                    (f"instance:baccarat_pricing_journal_append_seconds:p99_rate5m{AT}", "journal append"),
                ],
                "s",
            ),
            Panel(
                "Time of a quote", [(f"instance:baccarat_pricing_quote_seconds:mean_rate5m{AT}", "{{instance}}")], "s"
            ),
            Panel(
                "Calls a second",
                [(f"sum by (grpc_method) (rate(grpc_server_handled_total{AT}[$__rate_interval]))", "{{grpc_method}}")],
            ),
            Panel(
                "Feed",
                [
                    (f"rate({OWN}feed_images_total{AT}[$__rate_interval])", "images a second"),
                    (f"rate({OWN}feed_conflated_total{AT}[$__rate_interval])", "conflated a second"),
                    (f"rate({OWN}feed_evictions_total{AT}[$__rate_interval])", "evictions a second"),
                ],
            ),
            Panel("Oldest image that waits", [(f"{OWN}feed_oldest_pending_seconds{AT}", "{{instance}}")], "s"),
            Panel(
                "Processor", [(f"rate(process_cpu_seconds_total{AT}[$__rate_interval])", "{{instance}}")], "percentunit"
            ),
            Panel("Memory", [(f"process_resident_memory_bytes{AT}", "{{instance}}")], "bytes"),
            Panel(
                "Certificate expires in",
                [(f"{OWN}tls_certificate_expiry_timestamp_seconds{AT} - time()", "{{instance}}")],
                "s",
                "stat",
                6,
            ),
        ],
    ),
)


def placed(panels: Sequence[Panel]) -> Iterator[tuple[Panel, dict[str, int]]]:
    """Each panel with its place, in rows from left to right."""
    x = y = 0
    for panel in panels:
        if x + panel.width > WIDTH:
            x, y = 0, y + HEIGHT
        yield panel, {"x": x, "y": y, "w": panel.width, "h": HEIGHT}
        x += panel.width


def panel_json(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    """A panel as Grafana keeps it."""
    instant = panel.kind != "timeseries"
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.about,
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": SOURCE,
                "expr": query,
                "legendFormat": legend,
                "instant": instant,
                "range": not instant,
            }
            for place, (query, legend) in enumerate(panel.queries)
        ],
    }


def variable(name: str, query: str) -> dict[str, Any]:
    """A choice of label values, all of them at first."""
    return {
        "type": "query",
        "name": name,
        "label": name.capitalize(),
        "datasource": SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "current": {"text": "All", "value": "$__all"},
    }


def board_json(board: Board) -> dict[str, Any]:
    """A dashboard as Grafana keeps it."""
    variables: list[dict[str, Any]] = [
        {"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus"},
        variable("instance", f"label_values({OWN}build_info, instance)"),
    ]
    if board.of_table:
        variables.append(variable("table", f'label_values({OWN}table_sequence{{instance=~"$instance"}}, table)'))
    return {
        "uid": board.uid,
        "title": board.title,
        "tags": ["baccarat"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "templating": {"list": variables},
        "panels": [panel_json(number, panel, place) for number, (panel, place) in enumerate(placed(board.panels), 1)],
    }


def texts() -> dict[str, str]:
    """The text of each file, by name."""
    return {f"{board.uid}.json": json.dumps(board_json(board), indent=1) + "\n" for board in BOARDS}


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, "utf-8")
