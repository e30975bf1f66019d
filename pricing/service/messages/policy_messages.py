"""Policies from messages and back."""

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import ParseDict

from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1 import trading_service_pb2 as pb
from pricing.domain.errors import PricingError
from pricing.domain.game import GameType
from pricing.domain.limits import Limit
from pricing.domain.policy import Policy
from pricing.domain.policy_text import from_plain, to_text, version
from pricing.engine.terms import BetTerms, round_terms

_STANDING = "standing"
_RULE = ("round", "bet", "margin_shift", "closed")


def read_policy(message: pb.Policy) -> Policy:
    """The policy in a message.

    Raises:
        PricingError: What is wrong with it, by its path in the message.
    """
    values = {**_given(message, "max_return"), "rules": [_rule(rule) for rule in message.rules]}
    try:
        return from_plain(values)
    except PricingError as error:
        raise type(error)(f"policy.{error.field}", error.given, error.allowed) from None


def _rule(rule: pb.PolicyRule) -> dict[str, Any]:
    limits = [{name: getattr(limit, name) for name in Limit.__match_args__} for limit in rule.limits]
    return {**_given(rule, *_RULE), **({"limits": limits} if limits else {})}


def _given(message: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(message, name) for name in names if message.HasField(name)}


def policy_message(policy: Policy) -> pb.Policy:
    """A policy as a message."""
    return ParseDict(json.loads(to_text(policy)), pb.Policy())


def etag_of(policy: Policy) -> str:
    """What says that a policy is still the same; never empty."""
    return version(policy) or _STANDING


def limit_messages(limits: Mapping[str, Limit]) -> list[tables_pb2.StakeLimit]:
    """Limits by currency as messages."""
    return [
        tables_pb2.StakeLimit(**{name: getattr(limit, name) for name in Limit.__match_args__})
        for _, limit in sorted(limits.items())
    ]


def terms_messages(game: GameType, policy: Policy) -> list[pb.PolicyTerms]:
    """What holds for every bet in every round."""
    return [
        _terms_message(number, terms)
        for number in range(1, len(game.rounds) + 1)
        for terms in round_terms(game, policy, number).bets
    ]


def _terms_message(number: int, terms: BetTerms) -> pb.PolicyTerms:
    message = pb.PolicyTerms(
        round=number, bet=terms.bet, closed=terms.offering is None, limits=limit_messages(terms.limits)
    )
    if terms.margin is not None:
        message.book = terms.book or ""
        message.model = terms.margin.model
        message.margin = float(terms.margin.margin)
    return message
