"""Policies written, read again and refused."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.errors import InvalidPolicy
from pricing.domain.limits import Limit
from pricing.domain.policy import STANDING, Policy, PolicyRule
from pricing.domain.policy_text import from_text, to_text, version

AMOUNTS = st.integers(1, 10_000)


def limit(currency: str, least: int, step: int, steps: int, more: int) -> Limit:
    most = least + step * steps
    return Limit(currency, least, most, step, most + more)


LIMITS = st.builds(limit, st.sampled_from(["EUR", "JPY", "KWD"]), AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
SHIFTS = st.sampled_from(["0", "-0", "-0.0", "0.01", "0.010", "1", "1.000", "-0.25"]).map(Decimal) | st.decimals(
    Decimal("-0.5"), Decimal("0.5"), places=4
)
RULES = st.builds(
    PolicyRule,
    st.none() | st.integers(1, 3),
    st.none() | st.sampled_from(["player", "tie"]),
    st.none() | SHIFTS,
    st.none() | st.booleans(),
    st.lists(LIMITS, max_size=2).map(tuple),
)
POLICIES = st.builds(Policy, st.lists(RULES, max_size=4).map(tuple), st.none() | st.just(Decimal("0.999")))


@given(POLICIES)
def test_what_is_written_is_read_again(policy: Policy) -> None:
    assert from_text(to_text(policy)) == policy


@given(POLICIES, POLICIES)
def test_versions_differ_as_texts_do(one: Policy, other: Policy) -> None:
    assert (version(one) == version(other)) == (to_text(one) == to_text(other)) == (one == other)
    assert (version(one) == "") == (one == STANDING)


@pytest.mark.parametrize(
    ("text", "field", "allowed"),
    [
        ("[", "policy", "JSON"),
        ('{"rules": [], "rules": []}', "policy", "each key once"),
        ("[]", "policy", "a table of keys and values"),
        ('{"rule": []}', "rule", "one of rules, max_return"),
        ('{"rules": {}}', "rules", "a list"),
        ('{"rules": [1]}', "rules[0]", "a table of keys and values"),
        ('{"rules": [{"round": true}]}', "rules[0].round", "a whole number"),
        ('{"rules": [{"bet": 1}]}', "rules[0].bet", "a text"),
        ('{"rules": [{"margin_shift": 0.1}]}', "rules[0].margin_shift", "a decimal number"),
        ('{"rules": [{"closed": 1}]}', "rules[0].closed", "true or false"),
        ('{"rules": [{"limits": [{"currency": "EUR"}]}]}', "rules[0].limits[0].min_stake", "all of"),
        ('{"max_return": "1.01"}', "max_return", "above 0, at most 1"),
        ('{"max_return": "1e9"}', "max_return", "a decimal number"),
    ],
)
def test_what_is_no_policy_is_refused_by_field(text: str, field: str, allowed: str) -> None:
    with pytest.raises(InvalidPolicy) as refused:
        from_text(text)
    assert refused.value.field == field
    assert allowed in refused.value.allowed


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"currency": "eur"}, "currency"),
        ({"min_stake": 0}, "min_stake"),
        ({"max_stake": 50}, "max_stake"),
        ({"max_stake": 1025}, "max_stake"),
        ({"stake_step": -1}, "stake_step"),
        ({"max_payout": 900}, "max_payout"),
    ],
)
def test_limits_out_of_order_are_refused(change: dict[str, object], field: str) -> None:
    values = dict(currency="EUR", min_stake=100, max_stake=1000, stake_step=50, max_payout=10_000) | change
    with pytest.raises(InvalidPolicy) as refused:
        from_text(json.dumps({"rules": [{"limits": [values]}]}))
    assert refused.value.field == f"rules[0].limits[0].{field}"


def test_a_later_rule_wins_in_what_it_sets() -> None:
    euro = Limit("EUR", 100, 1000, 100, 50_000)
    less = Limit("EUR", 100, 500, 100, 50_000)
    policy = Policy(
        (
            PolicyRule(margin_shift=Decimal("0.01"), limits=(euro,)),
            PolicyRule(round=2, limits=(less, Limit("JPY", 1, 2, 1, 3))),
            PolicyRule(round=2, bet="tie", closed=True),
        )
    )
    assert policy.terms(1, "tie") == (Decimal("0.01"), False, {"EUR": euro})
    assert policy.terms(2, "tie") == (Decimal("0.01"), True, {"EUR": less, "JPY": Limit("JPY", 1, 2, 1, 3)})
