"""The kinds of values that settings have: how each is read from text, and shown as text."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Limits: TypeAlias = tuple[tuple[str, int], ...]
"""A number for each name, "*" for any that is not there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a value is read from text; a text that is none raises ValueError with what is allowed."""

    metavar: str
    """What stands for a value in help texts; empty for a switch."""
    read: Callable[[str], Any]

    @staticmethod
    def text(value: Any) -> str:
        """The value as it would be written."""
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return ",".join(f"{key}={number}" for key, number in value)
        return f"{value:g}" if isinstance(value, float) else str(value)


def split_address(text: str) -> tuple[str, int]:
    """Host and port of HOST:PORT, [HOST]:PORT for an IPv6 address.

    >>> split_address("[::1]:50051")
    ('::1', 50051)
    >>> split_address("localhost")
    Traceback (most recent call last):
    ValueError: HOST:PORT, with a port of 0 to 65535
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:\[\]/]+)):(\d{1,5})", text)
    if not found or int(found[3]) > 65_535:
        raise ValueError("HOST:PORT, with a port of 0 to 65535")
    return found[1] or found[2], int(found[3])


def _address(text: str) -> str:
    split_address(text)
    return text


def _optional_address(text: str) -> str:
    return text if text == "off" else _address(text)


def _optional_url(text: str) -> str:
    if text != "off" and not re.fullmatch(r"https?://[^\s/?#]+[^\s#]*", text):
        raise ValueError("http://HOST:PORT/PATH or https://HOST:PORT/PATH, or off")
    return text


def _path(wanted: str, fits: Callable[[Path], bool]) -> Callable[[str], Path]:
    def read(text: str) -> Path:
        path = Path(text)
        if not text or not fits(path):
            raise ValueError(wanted)
        return path

    return read


def _switch(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0", "yes", "no", "on", "off"):
        raise ValueError("true or false")
    return text.lower() in ("true", "1", "yes", "on")


def _limits(text: str) -> Limits:
    limits: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if not re.fullmatch(r"[A-Za-z]\w*|\*", name) or name in limits or not re.fullmatch(r"\d{1,9}", number):
            raise ValueError("METHOD=NUMBER,..., each method once")
        limits[name] = int(number)
    return (*limits.items(), *(() if "*" in limits else (("*", 1000),)))


def whole(least: int, most: int) -> Kind:
    """Whole numbers of a range."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"{least} to {most}")
        return int(text)

    return Kind("NUMBER", read)


def seconds(least: float, most: float) -> Kind:
    """Lengths of time."""

    def read(text: str) -> float:
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text) or not least <= float(text) <= most:
            raise ValueError(f"{least:g} to {most:g} seconds")
        return float(text)

    return Kind("SECONDS", read)


def choice(*texts: str) -> Kind:
    """One of some texts."""

    def read(text: str) -> str:
        if text not in texts:
            raise ValueError(f"one of {', '.join(texts)}")
        return text

    return Kind("|".join(texts), read)


ADDRESS = Kind("HOST:PORT", _address)
OPTIONAL_ADDRESS = Kind("HOST:PORT|off", _optional_address)
OPTIONAL_URL = Kind("URL|off", _optional_url)
FILE = Kind("FILE", _path("a file that exists", Path.is_file))
FOLDER = Kind("DIR", _path("a folder that exists", Path.is_dir))
FOLDER_TO_BE = Kind("DIR", _path("a folder, or a name for one", lambda path: path.is_dir() or not path.exists()))
SWITCH = Kind("", _switch)
LIMITS = Kind("METHOD=NUMBER,...", _limits)
