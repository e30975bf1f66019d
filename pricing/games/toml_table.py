"""A TOML table whose every key must be known and of the right type."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from pricing.domain.errors import InvalidGameType

_T = TypeVar("_T")

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?")
"""Bounded, as exact arithmetic with 1e999999 would never end."""

_KINDS = {str: "a text", int: "a whole number", list: "a list", dict: "a table of keys and values"}


class Table:
    """A TOML table that is taken apart key by key, and must be empty in the end."""

    def __init__(self, values: object, field: str) -> None:
        """Take the values, which stand in this field of the file."""
        if not isinstance(values, Mapping):
            raise InvalidGameType(field, values, "a table of keys and values")
        self._values = dict(values)
        self.field = field

    def at(self, key: str) -> str:
        """The path of a key."""
        shown = key if _ID.fullmatch(key) else ascii(key[:64])
        return f"{self.field}.{shown}" if self.field else shown

    def take(self, key: str, kind: type[_T], default: _T | None = None) -> _T:
        """The value of a key, of this type."""
        value = self._values.pop(key, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._refusal(key, value, _KINDS[kind])
        return value

    def id(self, key: str) -> str:
        """A name for programs."""
        value = self.take(key, str)
        if not _ID.fullmatch(value):
            raise self._refusal(key, value, "letters, digits and . _ -, at most 64")
        return value

    def text(self, key: str) -> str:
        """A text for people."""
        value = self.take(key, str)
        if not value.strip() or not value.isprintable():
            raise self._refusal(key, value, "a text in one line")
        return value

    def decimal(self, key: str) -> Decimal:
        """An exact number, written as a text or as a number."""
        value = self._values.pop(key, None)
        # Texts as well as TOML's own numbers; Python refuses to write the huge ones of these.
        short = isinstance(value, str | Decimal) or (isinstance(value, int) and value.bit_length() < 64)
        if not short or not _DECIMAL.fullmatch(text := str(value)):
            raise self._refusal(key, value, "a decimal number, at most nine digits before the point and after it")
        return Decimal(text)

    def tables(self, key: str, read: Callable[["Table"], _T]) -> tuple[_T, ...]:
        """What is read from each table of a list."""
        values = self.take(key, list)
        return tuple(read(Table(value, f"{self.at(key)}[{place}]")) for place, value in enumerate(values))

    def get(self, key: str) -> object:
        """The value of a key as it is, not taken; None where there is none."""
        return self._values.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def rest(self) -> Mapping[str, Any]:
        """All that is left, taken."""
        values, self._values = self._values, {}
        return values

    def end(self) -> None:
        """Refuse what is left."""
        for key in self._values:
            raise InvalidGameType(self.at(key), "an unknown key", "the keys of the built-in game types")

    def _refusal(self, key: str, value: object, allowed: str) -> InvalidGameType:
        return InvalidGameType(self.at(key), "nothing" if value is None else value, allowed)
