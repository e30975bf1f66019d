"""Rows of the journal, their canonical JSON and the chain of hashes through them."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Final

from pricing.store.notes import NOTHING, Notes

Json = None | bool | int | str | list["Json"] | tuple["Json", ...] | dict[str, "Json"]
"""What canonical JSON is made of. Floats are missing: the same number has too many texts."""

FIRST: Final = ""
"""Stands for the hash before a table's first row."""

_LARGEST: Final = 2**63 - 1
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class NewRow:
    """One row to append.

    Raises:
        ValueError: A row that no journal could keep and give back: a position below 1, a number over 64 bits, an
            empty name, a text with a NUL or half a surrogate pair.
    """

    table: str
    position: int
    """Counted from 1 in each table, without gaps."""
    event_id: str
    """Unique in its table, for ever."""
    kind: str
    recorded_time: int
    """Microseconds since 1970 UTC."""
    actor: str
    body: str
    """Canonical JSON of what was asked."""
    outcome: str
    """Canonical JSON of what came of it."""
    notes: Notes = field(default=NOTHING, compare=False, repr=False, kw_only=True)
    """What is noted beside it."""

    def __post_init__(self) -> None:
        """Refuse what could not be kept."""
        if not 1 <= self.position <= _LARGEST:
            raise ValueError(f"position: got {self.position}; allowed: 1 to 2^63 - 1")
        if not -_LARGEST <= self.recorded_time <= _LARGEST:
            raise ValueError(f"recorded_time: got {self.recorded_time}; allowed: a number of 64 bits")
        for name in ("table", "event_id"):
            if not getattr(self, name):
                raise ValueError(f"{name}: got nothing; allowed: a text")
        for name in ("table", "event_id", "kind", "actor", "body", "outcome"):
            check_text(name, getattr(self, name))

    @property
    def columns(self) -> tuple[str, int, str, str, int, str, str, str]:
        """Everything but the hash, in order."""
        return (
            self.table,
            self.position,
            self.event_id,
            self.kind,
            self.recorded_time,
            self.actor,
            self.body,
            self.outcome,
        )


@dataclass(frozen=True, slots=True)
class Row(NewRow):
    """A row of the journal, as it was appended."""

    hash: str
    """SHA-256 over the hash of the table's row before and over every column, in hex."""

    def __post_init__(self) -> None:
        """Take what the journal holds: whether it is right is for its verification to say."""


def check_text(name: str, text: str) -> None:
    """Refuse a text that not every database can keep.

    Raises:
        ValueError: It has a NUL, or half a surrogate pair.
    """
    if "\0" in text:
        raise ValueError(f"{name}: got a text with a NUL; allowed: a text without")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: got half a surrogate pair; allowed: Unicode text") from error


def canonical(value: Json) -> str:
    r"""The one JSON text of a value: keys sorted, no spaces, letters as they are.

    Raises:
        TypeError: A float, a key that is no text, or another thing that has no canonical JSON.
        ValueError: Half a surrogate pair.

    >>> canonical({"side": "player", "card": 12, "seen": [None, True, "ß"]})
    '{"card":12,"seen":[null,true,"ß"],"side":"player"}'
    >>> canonical({"odds": 1.95})
    Traceback (most recent call last):
    TypeError: canonical JSON: got 1.95; allowed: None, bool, int, str, and lists and dicts of them
    """
    _check(value)
    text = _ENCODER.encode(value)
    check_text("canonical JSON", text)
    return text


def _check(value: object) -> None:
    if type(value) in _SCALARS:  # nearly always
        return
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                raise TypeError(f"canonical JSON: got the key {key!r}; allowed: texts")
            _check(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _check(part)
    elif not isinstance(value, int | str):
        allowed = "None, bool, int, str, and lists and dicts of them"
        raise TypeError(f"canonical JSON: got {value!r}; allowed: {allowed}")


def chain(previous: str, row: NewRow) -> str:
    """The hash of a row that follows one with the hash ``previous``, or none (:data:`FIRST`).

    >>> row = NewRow("t1", 1, "e1", "card", 1_700_000_000_000_000, "studio", '{"card":12}', "{}")
    >>> chain(FIRST, row)[:16]
    '0a75bb90c75ced7d'
    """
    return digest(_ENCODER.encode([previous, *row.columns]))


def digest(text: str) -> str:
    """SHA-256 of a text in hex. Bytes that were no UTF-8, and were escaped when they were read, count as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
