"""What all desks share."""

from collections.abc import Callable
from dataclasses import dataclass

from pricing.service.clock import Clock
from pricing.service.floor.appender import Appender
from pricing.service.floor.game_texts import GameTexts
from pricing.service.images.publisher import Told
from pricing.service.metrics.metrics import TableMetrics
from pricing.store.journal import Journal, JournalError


@dataclass(frozen=True, slots=True)
class Office:
    """What all desks share."""

    journal: Journal
    appender: Appender
    clock: Clock
    texts: GameTexts
    metrics: TableMetrics
    failed: Callable[[JournalError], object]
    """Is told when something could not be written down."""
    told: Told
    """Is told of each event once it is written down and the table is what it makes of it."""
