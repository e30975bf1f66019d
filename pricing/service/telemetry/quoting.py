"""Quotes, with the time that they take."""

from time import perf_counter
from typing import Final

from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.domain.shoe import Shoe
from pricing.engine import quote as engine
from pricing.service.telemetry.metric_table import histogram

QUOTE_SECONDS: Final = histogram("quote_seconds", None)
"""One for the process, as all its servers share the kernel."""


def quote(game: GameType, shoe: Shoe, dealt: bytes, policy: Policy = STANDING) -> engine.Quote:
    """Price one state of a coup; see pricing.engine.quote."""
    start = perf_counter()
    found = engine.quote(game, shoe, dealt, policy)
    QUOTE_SECONDS.observe(perf_counter() - start)
    return found
