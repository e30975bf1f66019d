"""What an event may do: the rules of the table, asked before anything is written down."""

from collections.abc import Callable, Mapping
from typing import Any

from pricing.table import check_play, check_repairs, events
from pricing.table.entries import Refusal, Report
from pricing.table.holds import has
from pricing.table.policies import misfit
from pricing.table.state import Table


class CardStateChanged(Exception):
    """The writer's view of the table is not the table's: it must look again and say it again."""

    def __init__(self, field: str, expected: int, current: int) -> None:
        """Keep what was expected and what is."""
        super().__init__(f"{field}: expected {expected}, the table is at {current}")
        self.field = field
        self.expected = expected
        self.current = current


def check_expected(table: Table, report: Report) -> None:
    """Compare what a reporter takes for granted with the table.

    Raises:
        CardStateChanged: They differ.
    """
    card_state, position = report.expected_card_state, report.shoe_position
    if card_state is not None and card_state != table.card_state:
        raise CardStateChanged("expected_card_state", card_state, table.card_state)
    drawn = table.shoe.drawn if table.shoe else 0
    following = drawn + 1 if isinstance(report.event, events.CardDealt | events.CardBurned) else drawn
    if position is not None and position != following:
        raise CardStateChanged("shoe_position", position, following)


def decide(table: Table, report: Report) -> Refusal | None:
    """Say whether the table takes an event, and if not why.

    >>> from pricing.games import load_games
    >>> table = Table("t1", load_games()["bet-on-baccarat"], test=True, windows_ms=(0, 0, 0))
    >>> decide(table, Report("e1", events.GameOpened(), "studio")).reason
    'NO_SHOE'
    >>> decide(table, Report("e2", events.ShoeLoaded("", 6), "studio")) is None
    True
    """
    if table.closed:
        return Refusal("TABLE_CLOSED", "the table is closed")
    number, last = report.source_number, table.source_number
    restarts = isinstance(report.event, events.Resumed)
    if report.studio and not restarts and number is not None and last is not None and number <= last:
        return Refusal("OUT_OF_ORDER", f"source number {number} is not above the last one, {last}")
    return _CHECKS[type(report.event)](table, report.event)


def _hold_placed(table: Table, event: events.HoldPlaced) -> Refusal | None:
    if event.bet is not None and event.bet not in {bet.id for bet in table.game_type.bets}:
        return Refusal("UNKNOWN_BET", f"{event.bet!r} is no bet of {table.game_type.name}")
    placed = has(table.holds, event.reason, event.owner, event.bet)
    what = event.bet or "the table"
    return Refusal("HOLD_PLACED", f"{event.owner} holds {what} for {event.reason} already") if placed else None


def _hold_lifted(table: Table, event: events.HoldLifted) -> Refusal | None:
    placed = has(table.holds, event.reason, event.owner, event.bet)
    what = event.bet or "the table"
    return None if placed else Refusal("NO_SUCH_HOLD", f"{event.owner} does not hold {what} for {event.reason}")


def _policy_changed(table: Table, event: events.PolicyChanged) -> Refusal | None:
    why = misfit(event.policy, table.game_type)
    return Refusal("INVALID_POLICY", why) if why else None


def _always(_table: Table, _event: events.Event) -> None:
    """What may happen at any time."""


_CHECKS: Mapping[type, Callable[[Table, Any], Refusal | None]] = {
    events.TableCreated: lambda table, _: Refusal("TABLE_EXISTS", f"table {table.name} exists already"),
    events.TableClosed: check_play.table_closed,
    events.ShoeLoaded: check_play.shoe_loaded,
    events.GameOpened: check_play.game_opened,
    events.BettingClosed: check_play.betting_closed,
    events.WindowEnded: check_play.window_ended,
    events.CardDealt: check_play.card_dealt,
    events.CardBurned: check_play.card_burned,
    events.BurnIdentified: check_play.burn_identified,
    events.EarlyCardResolved: check_play.early_card_resolved,
    events.CutCardSeen: check_play.cut_card_seen,
    events.ScanCorrected: check_repairs.scan_corrected,
    events.ResultAnnounced: check_play.result_announced,
    events.GamesVoided: check_repairs.games_voided,
    events.GameResettled: check_repairs.game_resettled,
    events.BetsCancelled: check_repairs.bets_cancelled,
    events.CompositionCorrected: check_repairs.composition_corrected,
    events.HoldPlaced: _hold_placed,
    events.HoldLifted: _hold_lifted,
    events.PolicyChanged: _policy_changed,
    events.Resumed: _always,
    events.Notice: _always,
    events.Restarted: _always,
}
