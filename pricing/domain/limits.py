"""What may be staked on a bet, in one currency."""

from dataclasses import dataclass, fields

from pricing.domain.currencies import MINOR_UNITS
from pricing.domain.errors import InvalidLimit
from pricing.domain.numbers import whole

MAX_AMOUNT = 10**15
"""Most minor units of any amount: ten billions of a currency of five decimals, exact in every client's numbers."""


@dataclass(frozen=True, slots=True, order=True)
class Limit:
    """Bounds of a stake and of what it may pay. Amounts are whole minor units: 250 is 2.50 EUR, and 250 JPY.

    >>> Limit("EUR", min_stake=100, max_stake=50_000, stake_step=50, max_payout=1_000_000).allows(150)
    True

    Raises:
        InvalidLimit: An unknown currency, an amount out of range or order.
    """

    currency: str
    """By ISO 4217, three capital letters."""
    min_stake: int
    max_stake: int
    stake_step: int
    """A stake is the least one and a whole number of steps."""
    max_payout: int
    """Most that one bet may pay, its stake included."""

    def __post_init__(self) -> None:
        """Check each amount, then their order."""
        if self.currency not in MINOR_UNITS:
            raise InvalidLimit("currency", self.currency, "a currency of ISO 4217, such as EUR")
        for each in fields(self)[1:]:
            whole(getattr(self, each.name), range(1, MAX_AMOUNT + 1), each.name, InvalidLimit)
        if self.max_stake < self.min_stake:
            raise InvalidLimit("max_stake", self.max_stake, f"at least the min_stake of {self.min_stake}")
        if (self.max_stake - self.min_stake) % self.stake_step:
            allowed = f"a whole number of steps of {self.stake_step} above the min_stake of {self.min_stake}"
            raise InvalidLimit("max_stake", self.max_stake, allowed)
        if self.max_payout < self.max_stake:
            raise InvalidLimit("max_payout", self.max_payout, f"at least the max_stake of {self.max_stake}")

    @property
    def decimals(self) -> int:
        """Decimals of the currency's minor unit."""
        return MINOR_UNITS[self.currency]

    def allows(self, stake: int) -> bool:
        """Whether a stake of so many minor units may be taken."""
        return self.min_stake <= stake <= self.max_stake and (stake - self.min_stake) % self.stake_step == 0
