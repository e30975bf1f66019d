"""What somebody who watches asks for."""

from collections.abc import Mapping
from typing import NamedTuple


class Wish(NamedTuple):
    """What a caller asks for."""

    tables: frozenset[str]
    """Empty for all."""
    must_see_only: bool
    epoch: str
    """Of what they have; empty if nothing."""
    sequences: Mapping[str, int]
    heartbeat: float
    """Seconds."""
    delay: float
    """Seconds."""

    @property
    def plain(self) -> bool:
        """Whether everything is wanted at once: all who want that of the same tables may know the same."""
        return not self.must_see_only and not self.delay
