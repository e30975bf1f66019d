"""Who is told of what happens at tables."""

from collections.abc import Callable
from typing import TypeAlias

from pricing.table.state import Entry, Table

Told: TypeAlias = Callable[[Table | None, Entry, Table], object]
"""Takes the table before an event, None for its first, the event, and the table after it. It must not fail."""
