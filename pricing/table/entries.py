"""Reports of events, and the entries that a table's journal keeps of them."""

from dataclasses import dataclass
from typing import NamedTuple

from pricing.table.events import Event


class Refusal(NamedTuple):
    """Why an event was not taken."""

    reason: str
    """Machine-readable, UPPER_SNAKE_CASE."""
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """An event as it was reported: what happened, who says so, and what the reporter took for granted."""

    event_id: str
    event: Event
    actor: str
    studio: bool = False
    """Whether the studio reported it: only then do source numbers and refusals move the table."""
    event_time: int | None = None
    source_number: int | None = None
    shoe_position: int | None = None
    expected_card_state: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A report as the journal keeps it: with its place, its time, and whether it was taken."""

    position: int
    recorded_time: int
    report: Report
    refusal: Refusal | None = None

    @property
    def event(self) -> Event:
        """What happened."""
        return self.report.event

    @property
    def time(self) -> int:
        """When it happened: by the studio's clock where it says so, yet never after it was taken down."""
        said = self.report.event_time
        return self.recorded_time if said is None else min(said, self.recorded_time)
