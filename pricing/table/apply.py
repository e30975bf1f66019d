"""What an event does to a table. The one way in which state comes about: live, at a restart and in replay."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pricing.domain.game import GameType
from pricing.table import cards, changes, events, rounds
from pricing.table.entries import Entry
from pricing.table.holds import STUDIO_MAY_RESUME, HoldReason, lift, place
from pricing.table.state import Table

GameTypes = Mapping[str, GameType]
"""Game types by the hash of their text."""


def create(name: str, entry: Entry, game_types: GameTypes) -> Table:
    """The table that its first event makes."""
    event = entry.event
    if not isinstance(event, events.TableCreated):
        raise ValueError(f"the first event of table {name} is {type(event).__name__}, not TableCreated")
    game_type = game_types[event.game_hash]
    return Table(
        name, game_type, event.test, event.windows_ms, position=entry.position, time=max(0, entry.recorded_time)
    )


def apply(table: Table, entry: Entry, game_types: GameTypes) -> Table:
    """The table after an entry of its journal.

    Args:
        table: The table before it.
        entry: The entry, taken or refused.
        game_types: Those that the journal's events name, by hash.
    """
    if entry.recorded_time < table.time:
        # The clock went back. The table's time does not, so that its games sort and no window ends before it began.
        entry = replace(entry, recorded_time=table.time)
    counted = _counted(table, entry)
    if entry.refusal:
        return counted
    event = entry.event
    if isinstance(event, events.ShoeLoaded):
        changed = changes.shoe_loaded(counted, event, entry, game_types[event.game_hash])
    else:
        changed = _CHANGES[type(event)](counted, event, entry)
    return _with_holds(_with_prices(changed, counted), counted, entry)


def _counted(table: Table, entry: Entry) -> Table:
    """Take down the position and the studio's number: a jump says that an event was lost, a refusal that one is wrong.

    A number that continues says that nothing was lost while the service was away. A studio that resumes may begin to
    count anew.
    """
    report, holds = entry.report, table.holds
    number, last = report.source_number, table.source_number
    if not report.studio or table.closed:
        return table._replace(position=entry.position, time=entry.recorded_time)
    if number is None or last is None or isinstance(entry.event, events.Resumed):
        following = last if number is None else number
    else:
        following = max(last, number)
        if number > last + 1:
            holds = place(holds, HoldReason.SOURCE_GAP, entry.recorded_time)
        elif number == last + 1 and not entry.refusal:
            holds = lift(holds, HoldReason.RESTART)
    if entry.refusal:
        holds = place(holds, HoldReason.REFUSED_EVENT, entry.recorded_time)
    return table._replace(position=entry.position, time=entry.recorded_time, source_number=following, holds=holds)


def _with_prices(table: Table, before: Table) -> Table:
    """Keep what the open round's prices are made from; an early card is not in them until it is burned."""
    game, shoe, same = table.running, table.shoe, table.policy is before.policy
    if game is None or shoe is None or table.early or (same and game is before.game and shoe is before.shoe):
        return table
    if game.open_round is None or not shoe.can_finish(len(game.dealt)):
        return table
    kept = rounds.remember_prices(game.rounds, shoe, game.dealt, table.policy)
    return table._replace(game=game._replace(rounds=kept))


_LASTING: Mapping[HoldReason, Callable[[Table], bool]] = {
    HoldReason.EARLY_CARD: lambda table: table.early is not None,
    HoldReason.UNREAD_CARD: lambda table: table.shoe is not None and table.shoe.unread > 0,
    HoldReason.SHOE_UNTRUSTED: lambda table: table.shoe is not None and not table.shoe.trusted,
    HoldReason.RESULT_MISMATCH: lambda table: table.game is not None and table.game.disputed,
}
"""Holds that last as long as what they are for, and no longer."""


def _with_holds(table: Table, before: Table, entry: Entry) -> Table:
    """The table with the holds that its state asks for, and without those that it no longer does."""
    if table.shoe is before.shoe and table.game is before.game and table.early is before.early:
        return table
    holds = table.holds
    for reason, lasts in _LASTING.items():
        if lasts(table):
            holds = place(holds, reason, entry.recorded_time)
        elif holds:
            holds = lift(holds, reason)
    return table if holds == table.holds else table._replace(holds=holds)


def _betting_closed(table: Table, _: object, entry: Entry) -> Table:
    game = table.running
    if game is None:
        return table
    return table._replace(game=game._replace(rounds=rounds.close_open(game.rounds, entry.recorded_time)))


def _restarted(table: Table, event: object, entry: Entry) -> Table:
    """Nobody watched the clock while the service was away: a round that was open is closed."""
    closed = _betting_closed(table, event, entry)
    return closed._replace(holds=place(closed.holds, HoldReason.RESTART, entry.recorded_time))


def _hold_placed(table: Table, event: events.HoldPlaced, entry: Entry) -> Table:
    return table._replace(holds=place(table.holds, event.reason, entry.recorded_time, event.owner, event.bet))


def _hold_lifted(table: Table, event: events.HoldLifted, _: Entry) -> Table:
    return table._replace(holds=lift(table.holds, event.reason, owner=event.owner, bet=event.bet))


def _policy_changed(table: Table, event: events.PolicyChanged, _: Entry) -> Table:
    return table._replace(policy=event.policy, holds=lift(table.holds, HoldReason.POLICY_DROPPED))


_CHANGES: Mapping[type, Callable[[Table, Any, Entry], Table]] = {
    events.TableClosed: lambda table, _event, _entry: table._replace(closed=True),
    events.GameOpened: changes.game_opened,
    events.BettingClosed: _betting_closed,
    events.WindowEnded: _betting_closed,
    events.CardDealt: cards.dealt,
    events.CardBurned: cards.burned,
    events.BurnIdentified: cards.burn_identified,
    events.EarlyCardResolved: cards.early_resolved,
    events.CutCardSeen: changes.cut_card_seen,
    events.ScanCorrected: cards.corrected,
    events.ResultAnnounced: changes.announced,
    events.GamesVoided: changes.voided,
    events.GameResettled: changes.resettled,
    events.BetsCancelled: changes.bets_cancelled,
    events.CompositionCorrected: changes.composition_corrected,
    events.HoldPlaced: _hold_placed,
    events.HoldLifted: _hold_lifted,
    events.PolicyChanged: _policy_changed,
    events.Resumed: lambda table, _event, _entry: table._replace(holds=lift(table.holds, *STUDIO_MAY_RESUME)),
    events.Notice: lambda table, event, _entry: table._replace(notice=(event.notice, event.text)),
    events.Restarted: _restarted,
}
