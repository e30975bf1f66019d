"""Who is told of what happens at tables."""

from collections.abc import Callable
from typing import TypeAlias

from pricing.table.state import Entry, Table

Told: TypeAlias = Callable[[Table | None, Entry, Table], object]
"""Takes the table before an event, None for its first, the event, and the table after it. It must not fail."""


def everybody(*all_told: Told) -> Told:
    """Tells each of them, in this order."""

    def told(before: Table | None, entry: Entry, after: Table) -> None:
        for each in all_told:
            each(before, entry, after)

    return told
