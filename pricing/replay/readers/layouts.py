"""Layouts of files: JSON, JSON Lines, CSV with a header, or a coup a line, each as records of keys and values."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from pricing.replay.readers.fields import FIELDS

MAX_LINE: Final = 1 << 20
"""Characters of a line that are looked at; the longest shoe is far below."""
_DELIMITERS: Final = ",;\t|"
_PLACE: Final = re.compile(r"(p|b)(?:layer|anker)?(?:card)?([123])")
_HANDS: Final = re.compile(r"\s*[;|\t]\s*|\s+")


class Record(NamedTuple):
    """One record of a file."""

    place: str
    """File and line."""
    values: Mapping[str, Any]
    """By name of the field; empty where it could not be read."""
    text: str
    """As it stands in the file, for findings."""


def records(path: Path) -> Iterator[Record]:
    """The records of a text file, one at a time."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = ""
        for line in _lines(file):
            if line.strip():
                first = line
                break
        rest = chain([first], _lines(file))
        if first.lstrip().startswith("["):
            found: Iterable[tuple[int, Any, str]] = _json_list(rest)
        elif first.lstrip().startswith("{"):
            found = _json_lines(rest)
        elif (delimiter := _header(first)) is not None:
            found = _csv(rest, delimiter)
        else:
            found = ((number, _plain(line), line) for number, line in enumerate(rest, 1))
        for number, values, text in found:
            if text.strip():
                yield Record(f"{utf8(path.name)}:{number}", _named(values), text.strip())


def utf8(text: str) -> str:
    """The text with a question mark for whatever cannot be written as UTF-8, as in a file's name."""
    return text.encode("utf-8", "replace").decode()


def _lines(file: TextIO) -> Iterator[str]:
    return iter(lambda: file.readline(MAX_LINE), "")


def _json_lines(lines: Iterable[str]) -> Iterator[tuple[int, Any, str]]:
    for number, line in enumerate(lines, 1):
        yield number, _json(line), line


def _json_list(lines: Iterable[str]) -> Iterator[tuple[int, Any, str]]:
    """The entries of a list, which is read whole."""
    values = _json("".join(lines))
    for number, value in enumerate(values if isinstance(values, list) else [None], 1):
        yield number, value, json.dumps(value)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _header(line: str) -> str | None:
    """The delimiter with which a line names fields; None where it does not."""
    for delimiter in _DELIMITERS:
        names = line.strip().split(delimiter)
        if any(_plain_key(name) in FIELDS or _place(name) is not None for name in names):
            return delimiter
    return None


def _csv(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, Any, str]]:
    csv.field_size_limit(MAX_LINE)  # of the whole process: no line is longer
    reader = csv.DictReader(lines, delimiter=delimiter, restkey="")
    for values in reader:
        yield reader.line_num, values, delimiter.join(str(value) for value in values.values())


def _plain(line: str) -> Mapping[str, Any]:
    """A line without names: two hands, or a whole coup."""
    text = line.strip().strip('"')
    hands = _HANDS.split(text)
    return {"player": hands[0], "banker": hands[1]} if len(hands) == 2 else {"cards": text}


def _named(values: Any, prefix: str = "") -> dict[str, Any]:
    """Values by field, whatever their source calls them; what is nested by its whole path."""
    if not isinstance(values, Mapping):
        return {}
    found: dict[str, Any] = {}
    places: list[Any] = [""] * 6
    placed = False
    for key, value in values.items():
        name = prefix + _plain_key(str(key))
        if isinstance(value, Mapping):
            found |= _named(value, name)
        elif (place := _place(str(key))) is not None:
            places[place], placed = value, True
        elif name in FIELDS and (name != "game" or str(value).isdecimal()):  # else it is the name of a game type
            found.setdefault(FIELDS[name], value)
    return found | ({"cards": places} if placed else {})


def _plain_key(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


def _place(key: str) -> int | None:
    """Which of P1,B1,P2,B2,P3,B3 a name is; None for any other.

    >>> _place("Banker Card 3")
    5
    """
    found = _PLACE.fullmatch(re.sub(r"[^a-z0-9]", "", key.lower()))
    return None if found is None else 2 * int(found[2]) - (2 if found[1] == "p" else 1)
