"""Policies that a game type has no use for."""

from dataclasses import replace
from decimal import Decimal

import pytest

from pricing.domain.errors import InvalidPolicy
from pricing.domain.policy import STANDING, Policy, PolicyRule
from pricing.domain.policy_check import check_policy
from pricing.games import load_games

GAMES = load_games()


@pytest.mark.parametrize(
    ("game", "rule", "field", "allowed"),
    [
        ("bet-on-baccarat", PolicyRule(round=4), "round", "1 to 3"),
        ("bet-on-baccarat", PolicyRule(round=0), "round", "1 to 3"),
        ("bet-on-baccarat", PolicyRule(bet="dragon"), "bet", "one of player, banker"),
        ("bet-on-baccarat", PolicyRule(margin_shift=Decimal("-0.03")), "margin_shift", "0.0256 of player-banker"),
        ("bet-on-baccarat", PolicyRule(bet="tie", margin_shift=Decimal("-0.0800001")), "margin_shift", "0.08 of tie"),
        ("bet-on-baccarat", PolicyRule(bet="tie", margin_shift=Decimal("0.92")), "margin_shift", "0 to below 1"),
        ("punto-banco", PolicyRule(bet="tie", margin_shift=Decimal("0.01")), "margin_shift", "payouts are fixed"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_field(game: str, rule: PolicyRule, field: str, allowed: str) -> None:
    with pytest.raises(InvalidPolicy) as refused:
        check_policy(Policy((PolicyRule(closed=False), rule)), GAMES[game])
    assert refused.value.field == f"rules[1].{field}"
    assert allowed in refused.value.allowed


def test_what_can_be_is_taken() -> None:
    game = GAMES["bet-on-baccarat"]
    tie = PolicyRule(bet="tie", round=2, margin_shift=Decimal("-0.08"))
    for policy in (STANDING, Policy((tie, replace(tie, closed=True, margin_shift=None)), Decimal("0.9"))):
        check_policy(policy, game)
