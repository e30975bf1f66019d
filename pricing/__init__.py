"""Exact in-play chances and odds for baccarat.

``chances`` counts from numbers, ``price`` prices from card texts; ``load_games`` reads game types. What is wrong with a
value is told by a ``PricingError``.
"""

from importlib.metadata import version

from pricing.api import chances, price
from pricing.domain.errors import (
    InvalidCard,
    InvalidCoup,
    InvalidGameType,
    InvalidLimit,
    InvalidPolicy,
    InvalidShoe,
    NotEnoughCards,
    PricingError,
    TooManyEntries,
    UnknownBet,
    UnknownGameType,
)
from pricing.domain.game import GameType
from pricing.domain.limits import Limit
from pricing.domain.policy import Policy, PolicyRule
from pricing.engine.chances import Chances
from pricing.engine.quote import BetQuote, Quote
from pricing.games import load_games

__version__ = version("baccarat-pricing")

__all__ = [
    "BetQuote",
    "Chances",
    "GameType",
    "InvalidCard",
    "InvalidCoup",
    "InvalidGameType",
    "InvalidLimit",
    "InvalidPolicy",
    "InvalidShoe",
    "Limit",
    "NotEnoughCards",
    "Policy",
    "PolicyRule",
    "PricingError",
    "Quote",
    "TooManyEntries",
    "UnknownBet",
    "UnknownGameType",
    "chances",
    "load_games",
    "price",
]
