"""Whether a table can go by a policy."""

from pricing.domain.errors import InvalidPolicy
from pricing.domain.game import GameType
from pricing.domain.policy import Policy
from pricing.domain.policy_check import check_policy


def misfit(policy: Policy, game_type: GameType) -> str:
    """Why a policy cannot be set over a game type; empty where it can."""
    try:
        check_policy(policy, game_type)
    except InvalidPolicy as error:
        return str(error)
    return ""
