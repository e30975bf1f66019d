"""Files that are read again when they change."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")
_logger = logging.getLogger(__name__)

_PATIENCE: Final = 1.0
"""Seconds for which nobody looks whether a file has changed."""


class Reloaded(Generic[_T]):
    """What is in some files, as of now; as of before, while they cannot be used."""

    def __init__(self, files: Sequence[Path], read: Callable[[], _T]) -> None:
        """Read the files for the first time; what is wrong with them is raised."""
        self._files = files
        self._read = read
        self._seen = self._stamps()
        self._value = read()
        self._next = monotonic() + _PATIENCE

    @property
    def value(self) -> _T:
        """What was read last."""
        now = monotonic()
        if now >= self._next:
            self._next = now + _PATIENCE
            self._look()
        return self._value

    def _look(self) -> None:
        stamps = self._stamps()
        if stamps == self._seen:
            return
        names = ", ".join(map(str, self._files))
        try:
            self._value = self._read()
        except (OSError, ValueError) as error:
            # Two files that belong together may just be on their way: the next look will tell.
            _logger.error("kept what was read before, as it cannot be read now: %s: %s", names, error)
        else:
            self._seen = stamps
            _logger.warning("read again: %s", names)

    def _stamps(self) -> list[tuple[int, int, int] | None]:
        return [_stamp(file) for file in self._files]


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
