"""Whether a policy can be set over a game type."""

from fractions import Fraction

from pricing.domain.errors import InvalidPolicy
from pricing.domain.game import GameType
from pricing.domain.policy import Policy, check_scope


def check_policy(policy: Policy, game: GameType) -> None:
    """Check a policy against the bets, rounds and margins of a game type.

    Raises:
        InvalidPolicy: A bet or round that is not there, a shift of a margin that is fixed or would leave 0 to below 1,
            by field.
    """
    ids = [bet.id for bet in game.bets]
    for place, rule in enumerate(policy.rules):
        check_scope(rule, ids, len(game.rounds), f"rules[{place}]", InvalidPolicy)
        if rule.margin_shift is None:
            continue
        if rule.bet is not None and game.book_of(rule.bet) is None:
            raise InvalidPolicy(f"rules[{place}].margin_shift", str(rule.margin_shift), "none, as payouts are fixed")
        for book in game.books:
            covered = [bet for bet in book.bets if rule.bet in (None, bet)]
            for number in range(1, len(game.rounds) + 1):
                margin = book.in_round(number).margin
                if covered and rule.round in (None, number) and not 0 <= margin + Fraction(rule.margin_shift) < 1:
                    allowed = f"a shift that leaves the margin of {float(margin):g} of {book.id} at 0 to below 1"
                    raise InvalidPolicy(f"rules[{place}].margin_shift", str(rule.margin_shift), allowed)
