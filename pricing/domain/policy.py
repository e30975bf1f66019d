"""What a trader sets over a game type: margins shifted, bets closed, limits, a cap on what a bet may return."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from pricing.domain.errors import InvalidPolicy, PricingError
from pricing.domain.limits import Limit

MAX_RULES = 500
"""Most rules of a policy; three rounds of nine bets in a dozen currencies are 324."""


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """Something that is set for some bets in some rounds."""

    round: int | None = None
    """A betting round, from 1; None for every one."""
    bet: str | None = None
    """A bet's id; None for every one."""
    margin_shift: Decimal | None = None
    """Added to the margin of the bet's book."""
    closed: bool | None = None
    """Whether the bet is not offered."""
    limits: tuple[Limit, ...] = ()

    def covers(self, round: int, bet: str) -> bool:
        """Whether it is about a bet in a round."""
        return self.round in (None, round) and self.bet in (None, bet)

    @property
    def sets_anything(self) -> bool:
        """Whether it makes any difference."""
        return self.margin_shift is not None or self.closed is not None or bool(self.limits)

    def less(self, later: "PolicyRule") -> "PolicyRule":
        """What is left of it before a later rule, which wins in all that it is about."""
        if later.round not in (None, self.round) or later.bet not in (None, self.bet):
            return self
        currencies = {limit.currency for limit in later.limits}
        return replace(
            self,
            margin_shift=self.margin_shift if later.margin_shift is None else None,
            closed=self.closed if later.closed is None else None,
            limits=tuple(limit for limit in self.limits if limit.currency not in currencies),
        )


class PolicyTerms(NamedTuple):
    """What holds for one bet in one round."""

    margin_shift: Decimal
    closed: bool
    limits: Mapping[str, Limit]
    """By currency."""


def terms_of(rules: Iterable[PolicyRule], round: int, bet: str) -> PolicyTerms:
    """What rules come to for a bet in a round: a later one wins over an earlier one in each thing that it sets."""
    shift, closed, limits = Decimal(0), False, dict[str, Limit]()
    for rule in rules:
        if rule.covers(round, bet):
            shift = shift if rule.margin_shift is None else rule.margin_shift
            closed = closed if rule.closed is None else rule.closed
            limits |= {limit.currency: limit for limit in rule.limits}
    return PolicyTerms(shift, closed, limits)


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules, of which a later one wins over an earlier one in each thing that it sets.

    >>> policy = Policy((PolicyRule(closed=True), PolicyRule(bet="tie", closed=False)))
    >>> policy.terms(1, "tie").closed, policy.terms(1, "player").closed
    (False, True)
    """

    rules: tuple[PolicyRule, ...] = ()
    max_return: Decimal | None = None
    """Most that a unit staked on a priced bet may return on average, above 0 to 1; the game type's cap where None."""

    def __post_init__(self) -> None:
        """Check what can be checked without a game type."""
        if len(self.rules) > MAX_RULES:
            raise InvalidPolicy("rules", f"{len(self.rules)} rules", f"at most {MAX_RULES}")
        if self.max_return is not None and not 0 < self.max_return <= 1:
            raise InvalidPolicy("max_return", str(self.max_return), "above 0, at most 1")

    def terms(self, round: int, bet: str) -> PolicyTerms:
        """What holds for a bet in a round."""
        return terms_of(self.rules, round, bet)

    def with_rule(self, rule: PolicyRule) -> "Policy":
        """The policy with one more rule, and without what that wins over.

        >>> [rule.closed for rule in Policy((PolicyRule(closed=True),)).with_rule(PolicyRule(closed=False)).rules]
        [False]
        """
        kept = (each.less(rule) for each in self.rules)
        return replace(self, rules=(*(each for each in kept if each.sets_anything), rule))


STANDING = Policy()
"""Nothing set: the game type alone."""


def check_scope(rule: PolicyRule, bets: Sequence[str], rounds: int, field: str, error: type[PricingError]) -> None:
    """Check that a rule is about bets and rounds that there are.

    Raises:
        PricingError: Of the given kind, by field.
    """
    if rule.round is not None and not 1 <= rule.round <= rounds:
        raise error(f"{field}.round", rule.round, f"a betting round, 1 to {rounds}")
    if rule.bet is not None and rule.bet not in bets:
        raise error(f"{field}.bet", rule.bet, f"one of {', '.join(bets)}")
