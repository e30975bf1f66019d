"""Betting rounds: which opens, closes, is skipped, is cancelled. At most one is open, none opens twice."""

from enum import StrEnum, unique
from typing import Any, NamedTuple

from pricing.domain.policy import STANDING, Policy
from pricing.table.shoes import TableShoe


@unique
class RoundPhase(StrEnum):
    """A betting round's life; none opens twice."""

    PENDING = "PENDING"
    OPEN = "OPEN"
    CLOSED = "CLOSED"
    SKIPPED = "SKIPPED"
    CANCELLED = "CANCELLED"


class BettingRound(NamedTuple):
    """One betting round of a game."""

    number: int
    phase: RoundPhase = RoundPhase.PENDING
    open_time: int | None = None
    close_time: int | None = None
    """When the round closed, or while it is open when its window ends; None where only an event closes it."""
    shoe: TableShoe | None = None
    """The shoe at its last moment: what its prices were made from. Let go with the next game."""
    dealt: bytes = b""
    """The coup's cards that they were made from: a scan may be corrected later."""
    policy: Policy = STANDING
    """The policy that they were made by."""


Rounds = tuple[BettingRound, ...]


def pending(count: int) -> Rounds:
    """So many rounds that have not begun."""
    return tuple(BettingRound(number) for number in range(1, count + 1))


def open_round(rounds: Rounds, number: int, time: int, window_ms: int) -> Rounds:
    """Open a round that has not begun; a window of 0 leaves closing it to an event."""
    ends = time + window_ms * 1_000 if window_ms else None
    return _changed(rounds, RoundPhase.PENDING, number, phase=RoundPhase.OPEN, open_time=time, close_time=ends)


def close_open(rounds: Rounds, time: int) -> Rounds:
    """Close the round that is open, if one is."""
    return _changed(rounds, RoundPhase.OPEN, phase=RoundPhase.CLOSED, close_time=time)


def skip(rounds: Rounds, number: int | None = None) -> Rounds:
    """A round that has not begun never will; no number means all of them."""
    return _changed(rounds, RoundPhase.PENDING, number, phase=RoundPhase.SKIPPED)


def revive(rounds: Rounds, after: int) -> Rounds:
    """Skipped rounds with numbers after this one may begin after all, as the coup goes on."""
    skipped = (each.number for each in rounds if each.phase is RoundPhase.SKIPPED and each.number > after)
    for number in skipped:
        rounds = _changed(rounds, RoundPhase.SKIPPED, number, phase=RoundPhase.PENDING)
    return rounds


def cancel(rounds: Rounds, time: int, number: int | None = None) -> Rounds:
    """Cancel a round that has begun; no number means all of them."""
    rounds = _changed(rounds, RoundPhase.OPEN, number, phase=RoundPhase.CLOSED, close_time=time)
    return _changed(rounds, RoundPhase.CLOSED, number, phase=RoundPhase.CANCELLED)


def remember_prices(rounds: Rounds, shoe: TableShoe, dealt: bytes, policy: Policy) -> Rounds:
    """Keep what prices are made from as it is now, shoe, coup's cards and policy, with the round that is open."""
    return _changed(rounds, RoundPhase.OPEN, shoe=shoe, dealt=dealt, policy=policy)


def _changed(rounds: Rounds, was: RoundPhase, number: int | None = None, **changes: Any) -> Rounds:
    """The rounds, with those of one phase, and number if given, changed."""
    return tuple(
        each._replace(**changes) if each.phase is was and number in (None, each.number) else each for each in rounds
    )
