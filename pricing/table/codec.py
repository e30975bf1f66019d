"""Events as plain values for JSON and back. Cards are texts, so that a journal can be read by eye."""

import json
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import partial
from typing import Any, get_args, get_origin, get_type_hints

from pricing.domain.cards import CARDS, parse_card, parse_cards
from pricing.domain.coup import Side
from pricing.domain.policy import Policy
from pricing.domain.policy_text import from_plain as policy_from_plain
from pricing.domain.policy_text import to_text
from pricing.table.entries import Entry, Refusal, Report
from pricing.table.events import Event
from pricing.table.state import Table

Plain = dict[str, Any]
"""What JSON can hold: texts, whole numbers, truth values, nothing, lists, tables."""
_Reader = Callable[[Any], Any]


def kind_of(event_type: type[Any]) -> str:
    """The name of a kind of event in a journal: "card_dealt"."""
    return _KIND_NAMES[event_type]


_KIND_NAMES: Mapping[type, str] = {
    event_type: re.sub(r"(?<!^)(?=[A-Z])", "_", event_type.__name__).lower() for event_type in get_args(Event)
}
KINDS: Mapping[str, type] = {name: event_type for event_type, name in _KIND_NAMES.items()}
"""The kinds of events by name."""


def to_plain(event: Event) -> Plain:
    """An event as a table of plain values.

    >>> from pricing.table.events import CardDealt
    >>> to_plain(CardDealt(51, None))
    {'kind': 'card_dealt', 'card': 'KS', 'side': None}
    """
    values = {name: _plain(name, getattr(event, name)) for name in _READERS[type(event)]}
    return {"kind": kind_of(type(event)), **values}


def from_plain(values: Plain) -> Event:
    """The event of a table of plain values, as ``to_plain`` makes it.

    >>> from_plain({"kind": "card_dealt", "card": "KS", "side": None})
    CardDealt(card=51, side=None)

    Raises:
        KeyError, ValueError, TypeError: Not such a table.
    """
    event_type = KINDS[values["kind"]]
    event: Event = event_type(**_read(event_type, {**_LATER[event_type], **values}))
    return event


def body_of(report: Report) -> Plain:
    """All that was reported but the id and the reporter, as a table of plain values."""
    return {"event": to_plain(report.event), **{name: getattr(report, name) for name in _REPORTED}}


def outcome_of(table: Table, refusal: Refusal | None) -> Plain:
    """What came of an event, from the table after it: all that its reporter is answered."""
    return {
        "card_state": table.card_state,
        "game": table.game.reference if table.game else "",
        "refusal": refusal._asdict() if refusal else None,
    }


def entry_of(  # noqa: PLR0913, PLR0917 - the columns of a row
    position: int, recorded_time: int, event_id: str, actor: str, body: Plain, outcome: Plain
) -> Entry:
    """The entry of a row of a journal, as ``body_of`` and ``outcome_of`` made it.

    Raises:
        KeyError, ValueError, TypeError: They did not make it.
    """
    reported = {name: read(body[name]) for name, read in _REPORTED.items()}
    report = Report(event_id, from_plain(body["event"]), actor, **reported)
    refusal = outcome["refusal"]
    taken = refusal is None
    return Entry(position, recorded_time, report, None if taken else Refusal(**_read(Refusal, refusal)))


def _read(owner: type[Any], values: Plain) -> Plain:
    return {name: read(values[name]) for name, read in _READERS[owner].items()}


def _readers_of(owner: type[Any]) -> Mapping[str, _Reader]:
    """How each field of a class is read; the event of a report has its own way."""
    names = getattr(owner, "_fields", None) or [field.name for field in fields(owner)]
    hints = get_type_hints(owner)
    return {name: _reader(name, hints[name]) for name in names if name != "event"}


def _reader(name: str, hint: Any) -> _Reader:
    """How a field is read, by its name where it says what the values mean, else by its type."""
    if get_origin(hint) is types.UnionType:
        (inner,) = (part for part in get_args(hint) if part is not types.NoneType)
        return partial(_optional, _reader(name, inner))
    if name == "card":
        return partial(parse_card, field="card")
    if hint is bytes:
        return _cards if name == "dealt" else _counts
    if hint in _BY_TYPE:
        return _BY_TYPE[hint]
    if get_origin(hint) is tuple:
        return partial(_several, get_args(hint)[0])
    return hint if issubclass(hint, Enum) else partial(_exact, hint)


def _optional(read: _Reader, plain: Any) -> Any:
    return None if plain is None else read(plain)


def _exact(hint: type, plain: Any) -> Any:
    """A value of just this type: True is no whole number."""
    if type(plain) is not hint:
        raise TypeError(f"got {type(plain).__name__}; allowed: {hint.__name__}")
    return plain


def _several(hint: type, plain: Any) -> tuple[Any, ...]:
    return tuple(_exact(hint, each) for each in _exact(list, plain))


def _cards(plain: Any) -> bytes:
    return parse_cards(_exact(list, plain), "dealt")


def _counts(plain: Any) -> bytes:
    return bytes(_exact(list, plain))


def _policy(plain: Any) -> Policy:
    """The policy of a journal, where each has one text."""
    policy = policy_from_plain(plain)
    if _plain("policy", policy) != plain:
        raise ValueError("the policy is not as it is written down")
    return policy


_BY_TYPE: Mapping[Any, _Reader] = {Policy: _policy, Side: Side.__members__.__getitem__}
_READERS: Mapping[type, Mapping[str, _Reader]] = {
    owner: _readers_of(owner) for owner in (*get_args(Event), Report, Refusal)
}
_LATER: Mapping[type, Plain] = {
    owner: {field.name: field.default for field in fields(owner) if field.default is not MISSING}
    for owner in get_args(Event)
}
"""Fields that kinds of events did not always have, and what stands for them where they are absent."""
_REPORTED = {name: read for name, read in _READERS[Report].items() if name not in ("event_id", "actor")}


def _plain(name: str, value: Any) -> Any:
    if name == "card" and value is not None:
        return CARDS[value]
    if isinstance(value, bytes):
        return [CARDS[card] for card in value] if name == "dealt" else list(value)
    if isinstance(value, Policy):
        return json.loads(to_text(value))
    if isinstance(value, Side):
        return value.name
    return list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Enum) else value
