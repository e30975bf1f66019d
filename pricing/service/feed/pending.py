"""What waits to be sent to one subscriber: of each table the newest image, and every must-see image before it."""

from collections import deque
from time import monotonic

from pricing.service.feed.published import Published


class Pending:
    """Images that wait, bounded: one of each table, and so many must-see ones."""

    def __init__(self) -> None:
        """Have none."""
        self.must_see = 0
        """How many must-see images wait."""
        self._tables: dict[str, deque[Published]] = {}
        self._urgent: dict[str, None] = {}
        self._since: dict[str, float] = {}

    def __bool__(self) -> bool:
        """Whether any waits."""
        return bool(self._tables)

    @property
    def urgent(self) -> bool:
        """Whether one of those that wait ends offers."""
        return bool(self._urgent)

    @property
    def oldest(self) -> float | None:
        """Since when the one that waits longest has, on the monotonic clock; from any thread."""
        return min(list(self._since.values()), default=None)

    def add(self, image: Published) -> bool:
        """Let an image wait; whether it took the place of another."""
        name = image.name
        waiting = self._tables.get(name)
        if waiting is None:
            waiting = self._tables[name] = deque()
            self._since[name] = monotonic()
        replaced = bool(waiting) and not waiting[-1].must_see
        if replaced:
            waiting.pop()
        waiting.append(image)
        self.must_see += image.must_see
        if image.stops:
            self._urgent[name] = None
        return replaced

    def next(self, name: str | None = None) -> Published:
        """Take the next image: of a table, or of one that ends offers, or of one that has waited longest."""
        name = name or next(iter(self._urgent or self._tables))
        waiting = self._tables[name]
        image = waiting.popleft()
        self.must_see -= image.must_see
        if not waiting:
            del self._tables[name], self._since[name]
            self._urgent.pop(name, None)
        return image

    def must_see_tables(self) -> list[str]:
        """The tables of which must-see images wait."""
        return [name for name, waiting in self._tables.items() if any(image.must_see for image in waiting)]

    def has(self, name: str) -> bool:
        """Whether an image of a table waits."""
        return name in self._tables
