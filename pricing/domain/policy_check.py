"""Whether a policy can be that of a game type."""

from pricing.domain.errors import InvalidPolicy
from pricing.domain.game import GameType
from pricing.domain.policy import Policy


def check(policy: Policy, game: GameType) -> None:
    """See that a policy names only rounds and bets that there are.

    Raises:
        InvalidPolicy: The first that there is not.
    """
    bets = [bet.id for bet in game.bets]
    for place, rule in enumerate(policy.rules):
        if rule.round is not None and not 1 <= rule.round <= len(game.rounds):
            raise InvalidPolicy(f"rules[{place}].round", rule.round, f"1 to {len(game.rounds)}")
        if rule.bet is not None and rule.bet not in bets:
            raise InvalidPolicy(f"rules[{place}].bet", rule.bet, f"one of {', '.join(bets)}")


def fits(policy: Policy, game: GameType) -> bool:
    """Whether a policy can be that of a game type."""
    try:
        check(policy, game)
    except InvalidPolicy:
        return False
    return True
