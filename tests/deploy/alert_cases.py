"""For each alert: series of which it fires, and very similar ones of which it does not. A value a minute."""

from typing import NamedTuple

Series = dict[str, str]

OWN = "baccarat_pricing_"
TARGET = 'job="baccarat-pricing",instance="i"'


class Case(NamedTuple):
    """What an alert is tried with."""

    fires: Series
    labels: dict[str, str]
    """Of the alert, beside its name, its severity, the job and the instance."""
    quiet: Series
    minute: int = 10
    """When it is looked at."""


def one(name: str, values: str, **labels: str) -> Series:
    """One series of ours."""
    own = "".join(f',{key}="{value}"' for key, value in labels.items())
    return {f"{OWN}{name}{{{TARGET}{own}}}": values}


def latencies(name: str, slow: int) -> Series:
    """A histogram of 100 events a minute, of which so many take more than 0.1 and less than half a second."""
    fast = 100 - slow
    return {
        **one(f"{name}_bucket", f"0+{fast}x30", le="0.1"),
        **one(f"{name}_bucket", "0+100x30", le="0.5"),
        **one(f"{name}_bucket", "0+100x30", le="+Inf"),
    }


def placed(reason: str, values: str) -> Series:
    return one("holds_placed_total", values, owner="system", reason=reason)


def results(wins: int) -> Series:
    """240 games of a bet whose chance is one half."""
    return {
        **one("results_total", "0+1x240", winner="player"),
        **one("bet_wins_total", f"0+{wins / 240}x240", bet="player"),
        **one("bet_expected_wins_total", "0+0.5x240", bet="player"),
        **one("bet_wins_variance_total", "0+0.25x240", bet="player"),
    }


def silent(last_event: str, number: str) -> Series:
    return {
        **one("table_last_event_timestamp_seconds", last_event, table="t"),
        **one("table_round", number, table="t"),
    }


def frozen(last_event: str, tables: str) -> Series:
    return {
        **one("tables_last_event_timestamp_seconds", last_event, bound="max"),
        **one("tables", tables, state="open"),
    }


CASES = {
    "TargetDown": Case({f"up{{{TARGET}}}": "0x30"}, {}, {f"up{{{TARGET}}}": "1x30"}),
    "TableSilent": Case(silent("360x30", "2x30"), {"table": "t"}, silent("360x30", "0x30")),
    "RoundOpenTooLong": Case(
        one("tables_round_open_timestamp_seconds", "240x30", bound="min"),
        {"bound": "min"},
        one("tables_round_open_timestamp_seconds", "310x30", bound="min"),
    ),
    "FeedFrozen": Case(frozen("420x30", "1x30"), {"bound": "max"}, frozen("420x30", "0x30")),
    "FeedDelayed": Case(
        one("feed_oldest_pending_seconds", "3x30"), {}, one("feed_oldest_pending_seconds", "0x9 3 0x20")
    ),
    "ValueForBettor": Case(
        one("tables_bet_return_ratio", "1.001x30", bet="tie", bound="max"),
        {"bet": "tie", "bound": "max"},
        one("tables_bet_return_ratio", "1x30", bet="tie", bound="max"),
    ),
    "PriceError": Case(
        placed("PRICE_ERROR", "0x8 1x30"), {"owner": "system", "reason": "PRICE_ERROR"}, placed("PRICE_ERROR", "1x30")
    ),
    "PolicyDropped": Case(
        placed("POLICY_DROPPED", "0x8 1x30"),
        {"owner": "system", "reason": "POLICY_DROPPED"},
        placed("POLICY_DROPPED", "1x30"),
    ),
    # 120 wins are expected; a standard deviation is 7.75.
    "ResultsOutsideBand": Case(results(160), {"bet": "player"}, results(158), minute=240),
    "JournalFailing": Case(one("journal_fault", "1x30"), {}, one("journal_fault", "0x30")),
    "JournalSlow": Case(latencies("journal_append_seconds", 2), {}, latencies("journal_append_seconds", 1)),
    "EventsSlow": Case(latencies("event_publish_seconds", 2), {}, latencies("event_publish_seconds", 1)),
    "SourceGap": Case(
        placed("SOURCE_GAP", "0x8 1x30"), {"owner": "system", "reason": "SOURCE_GAP"}, placed("SOURCE_GAP", "1x30")
    ),
    "ShoeOrResultDoubted": Case(
        placed("SHOE_UNTRUSTED", "0x8 1x30"),
        {"owner": "system", "reason": "SHOE_UNTRUSTED"},
        placed("RESTART", "0x8 1x30"),
    ),
    "TableHeld": Case(
        one("tables_holds", "1x30", owner="system", reason="RESTART"),
        {"owner": "system", "reason": "RESTART"},
        one("tables_holds", "1x30", owner="trader", reason="OTHER"),
        minute=15,
    ),
    "EventsRefused": Case(
        one("events_total", "0x8 1x30", kind="card_dealt", outcome="refused"),
        {"kind": "card_dealt"},
        one("events_total", "0x8 1x30", kind="card_dealt", outcome="taken"),
    ),
    "SubscribersEvicted": Case(one("feed_evictions_total", "0x8 1x30"), {}, one("feed_evictions_total", "1x30")),
    # The series begins with the first error.
    "InternalErrors": Case(
        one("errors_total", "_x8 1x30", grpc_service="s", grpc_method="m", reason="INTERNAL"),
        {"grpc_service": "s", "grpc_method": "m", "reason": "INTERNAL"},
        one("errors_total", "1x30", grpc_service="s", grpc_method="m", reason="INTERNAL"),
    ),
    "CertificateExpiring": Case(
        one("tls_certificate_expiry_timestamp_seconds", f"{14 * 86_400}x30"),
        {},
        one("tls_certificate_expiry_timestamp_seconds", f"{15 * 86_400}x30"),
    ),
}
