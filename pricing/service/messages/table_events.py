"""Reports of events from messages: each kind has a reader, and roles that may report it."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.domain.cards import parse_card, parse_cards
from pricing.domain.coup import FULL_COUP, Side
from pricing.domain.errors import PricingError
from pricing.domain.shoe import DECKS, MAX_DECKS, Shoe
from pricing.service.errors import RoleTooLow
from pricing.service.messages.times import read_time
from pricing.service.roles import Caller, Role
from pricing.table import events
from pricing.table.events import CancelReason, HoldOwner, NoticeKind, VoidReason
from pricing.table.past import KEPT_GAMES
from pricing.table.state import Report

_STUDIO: Final = frozenset({Role.STUDIO})
_TRADER: Final = frozenset({Role.TRADER})
_ROUNDS: Final = range(1, FULL_COUP + 1)
_WINNERS: Final = {tables_pb2.WINNER_PLAYER: "player", tables_pb2.WINNER_BANKER: "banker", tables_pb2.WINNER_TIE: "tie"}
_EnumT = TypeVar("_EnumT", VoidReason, CancelReason, NoticeKind)


class InvalidEvent(PricingError):
    """An event that cannot be read."""

    reason = "INVALID_EVENT"


class _Kind(NamedTuple):
    """How one kind of event is read, and who may report it."""

    read: Callable[[Any, bool], events.Event]
    """From its message, and whether the studio reports it."""
    roles: frozenset[Role]


def read_report(message: pb.TableEvent, caller: Caller) -> Report:
    """The report in a message.

    Raises:
        PricingError: What is wrong with it, by its path in the message.
        RoleTooLow: The caller may not report this.
    """
    which = message.WhichOneof("event")
    if which is None:
        raise InvalidEvent("event", "none", f"one of {', '.join(_KINDS)}")
    kind = _KINDS[which]
    if not caller.is_one_of(kind.roles):
        raise RoleTooLow(f"{which} is for {', '.join(sorted(kind.roles))}; got {caller.role}")
    studio = Role.STUDIO in kind.roles and caller.role is not Role.TRADER
    return Report(
        event_id=read_event_id(message.event_id, "event.event_id"),
        event=kind.read(getattr(message, which), studio),
        actor=caller.name,
        studio=studio,
        event_time=_maybe_time(message, "event_time", "event.event_time"),
        source_number=_maybe_number(message, "source_number", "event.source_number"),
        shoe_position=_maybe_number(message, "shoe_position", "event.shoe_position"),
        expected_card_state=_maybe_number(message, "expected_card_state", "event.expected_card_state"),
    )


def read_event_id(given: str, field: str) -> str:
    """An event id. Spaces are for those of the service itself.

    Raises:
        InvalidEvent: No id.
    """
    if not re.fullmatch(r"[!-~]{1,128}", given):
        raise InvalidEvent(field, given[:200], "1 to 128 printable characters of ASCII, no spaces")
    return given


def _maybe_time(message: Any, name: str, field: str) -> int | None:
    return read_time(message, name, field, InvalidEvent)


def _maybe_number(message: Any, name: str, field: str, allowed: range = range(2**63)) -> int | None:
    if not message.HasField(name):
        return None
    value: int = getattr(message, name)
    if value not in allowed:
        most = "" if allowed[-1] == 2**63 - 1 else f" to {allowed[-1]}"
        raise InvalidEvent(field, value, f"{allowed[0]}{most or ' or more'}")
    return value


def _shoe_loaded(body: pb.ShoeLoaded, _studio: bool) -> events.Event:
    """Of what game type is for the table to say; no decks are its game type's own."""
    decks = _maybe_number(body, "decks", "event.shoe_loaded.decks", DECKS)
    return events.ShoeLoaded("", decks or 0)


def _maybe_card(body: Any, field: str) -> int | None:
    return parse_card(body.card, field) if body.HasField("card") else None


def _side(body: pb.CardDealt) -> Side | None:
    if not body.HasField("side"):
        return None
    try:
        return Side(body.side)
    except ValueError:
        raise InvalidEvent("event.card_dealt.side", body.side, "SIDE_PLAYER or SIDE_BANKER") from None


def _named(number: int, names: Any, enum: type[_EnumT], field: str) -> _EnumT:
    """The value of our own that a value of the contract stands for, by the words after its prefix."""
    if number in names.values() and number != 0:
        prefix = names.Name(0).removesuffix("UNSPECIFIED")
        return enum(names.Name(number).removeprefix(prefix))
    raise InvalidEvent(field, number, f"one of {', '.join(names.keys()[1:])}")


def _result(body: pb.ResultAnnounced, _studio: bool) -> events.Event:
    field = "event.result_announced"
    if body.winner not in _WINNERS:
        raise InvalidEvent(f"{field}.winner", body.winner, "WINNER_PLAYER, WINNER_BANKER or WINNER_TIE")
    player, banker = (
        _maybe_number(body, name, f"{field}.{name}", range(10)) for name in ("player_total", "banker_total")
    )
    return events.ResultAnnounced(_WINNERS[body.winner], player, banker)


def _early(body: pb.EarlyCardResolved, _studio: bool) -> events.Event:
    which = body.WhichOneof("resolution")
    if which is None or not getattr(body, which):
        raise InvalidEvent("event.early_card_resolved", which, "burned: true, or dealt: true")
    return events.EarlyCardResolved(which == "dealt")


def _composition(body: pb.CompositionCorrected, _studio: bool) -> events.Event:
    field = "event.composition_corrected"
    if not body.HasField("remaining"):
        raise InvalidEvent(f"{field}.remaining", "none", "the cards that are left")
    listed = [(each.card, each.count) for each in body.remaining.cards]
    try:
        shoe = Shoe.of_listed(MAX_DECKS, listed, body.unseen_removed)
    except PricingError as error:
        path = error.field.replace("remaining", "remaining.cards", 1)
        raise type(error)(f"{field}.{path}", error.given, error.allowed) from None
    return events.CompositionCorrected(shoe.counts, body.unseen_removed)


def _notice(body: Any, _studio: bool) -> events.Event:
    return events.Notice(
        _named(body.kind, tables_pb2.NoticeKind, NoticeKind, "event.notice.kind"),
        read_text(body.text, "event.notice.text", least=0, most=200),
    )


def _voided(body: pb.GamesVoided, _studio: bool) -> events.Event:
    field = "event.games_voided"
    if len(body.games) > KEPT_GAMES + 1 or len(set(body.games)) < len(body.games):
        raise InvalidEvent(f"{field}.games", f"{len(body.games)} games", f"at most {KEPT_GAMES + 1}, each once")
    games = tuple(read_text(each, f"{field}.games[{place}]") for place, each in enumerate(body.games))
    return events.GamesVoided(games, _named(body.reason, tables_pb2.VoidReason, VoidReason, f"{field}.reason"))


def _resettled(body: pb.GameResettled, _studio: bool) -> events.Event:
    field = "event.game_resettled"
    return events.GameResettled(
        read_text(body.game, f"{field}.game", least=0), parse_cards(body.dealt, f"{field}.dealt")
    )


def _cancelled(body: pb.BetsCancelled, _studio: bool) -> events.Event:
    field = "event.bets_cancelled"
    start, end = (_maybe_time(body, name, f"{field}.{name}") for name in ("from_time", "to_time"))
    if start is not None and end is not None and end <= start:
        raise InvalidEvent(f"{field}.to_time", end, "a time after from_time")
    return events.BetsCancelled(
        game=read_text(body.game, f"{field}.game", least=0),
        round=body.round,
        bet=read_text(body.bet, f"{field}.bet") if body.HasField("bet") else None,
        from_time=start,
        to_time=end,
        reason=_named(body.reason, tables_pb2.CancelReason, CancelReason, f"{field}.reason"),
    )


def read_text(text: str, field: str, *, least: int = 1, most: int = 128) -> str:
    """A text that is shown to people, on one line.

    Raises:
        InvalidEvent: Too short, too long, or not printable.
    """
    if not least <= len(text) <= most or not text.isprintable():
        raise InvalidEvent(field, text[:200], f"{least} to {most} printable characters")
    return text


def _owner(studio: bool) -> HoldOwner:
    return HoldOwner.STUDIO if studio else HoldOwner.TRADER


_KINDS: Mapping[str, _Kind] = {
    "shoe_loaded": _Kind(_shoe_loaded, _STUDIO),
    "game_opened": _Kind(lambda body, _: events.GameOpened(), _STUDIO),
    "betting_closed": _Kind(
        lambda body, _: events.BettingClosed(_maybe_number(body, "round", "event.betting_closed.round", _ROUNDS)),
        _STUDIO,
    ),
    "card_dealt": _Kind(
        lambda body, _: events.CardDealt(parse_card(body.card, "event.card_dealt.card"), _side(body)), _STUDIO
    ),
    "card_burned": _Kind(lambda body, _: events.CardBurned(_maybe_card(body, "event.card_burned.card")), _STUDIO),
    "burn_identified": _Kind(
        lambda body, _: events.BurnIdentified(_maybe_card(body, "event.burn_identified.card")), _STUDIO
    ),
    "early_card_resolved": _Kind(_early, _STUDIO),
    "cut_card_seen": _Kind(lambda body, _: events.CutCardSeen(), _STUDIO),
    "scan_corrected": _Kind(
        lambda body, _: events.ScanCorrected(parse_card(body.card, "event.scan_corrected.card")), _STUDIO
    ),
    "result_announced": _Kind(_result, _STUDIO),
    "composition_corrected": _Kind(_composition, _STUDIO),
    "resumed": _Kind(lambda body, _: events.Resumed(), _STUDIO),
    "notice": _Kind(_notice, _STUDIO),
    "games_voided": _Kind(_voided, _STUDIO | _TRADER),
    "hold_placed": _Kind(
        lambda body, studio: events.HoldPlaced(
            _owner(studio), read_text(body.reason, "event.hold_placed.reason", most=64)
        ),
        _STUDIO | _TRADER,
    ),
    "hold_lifted": _Kind(
        lambda body, studio: events.HoldLifted(
            _owner(studio), read_text(body.reason, "event.hold_lifted.reason", most=64)
        ),
        _STUDIO | _TRADER,
    ),
    "game_resettled": _Kind(_resettled, _TRADER),
    "bets_cancelled": _Kind(_cancelled, _TRADER),
}
