"""What can be wrong with what a replay is asked for."""

from typing import ClassVar

from pricing.domain.errors import PricingError


class InvalidRun(PricingError):
    """A replay that cannot be run as asked."""

    reason: ClassVar[str] = "INVALID_RUN"
