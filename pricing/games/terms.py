"""Books, limits and drawing rules, read from the tables of a game type file."""

from fractions import Fraction

from pricing.domain.books import MODELS_BY_SIZE, Book, Margin, MarginModel
from pricing.domain.drawing import DrawingRules
from pricing.domain.errors import InvalidGameType, PricingError
from pricing.domain.limits import Limit
from pricing.domain.policy import PolicyRule
from pricing.games.toml_table import Table

_DIGITS = range(10)
"""Totals of a hand, and what a card is worth."""


def read_book(table: Table) -> Book:
    """A table of ``books``; its ``rounds`` say what differs in single rounds."""
    book, bets = table.id("id"), tuple(table.take("bets", list))
    if not all(isinstance(bet, str) for bet in bets):
        raise InvalidGameType(table.at("bets"), list(bets), "ids of bets")
    usual = MODELS_BY_SIZE.get(len(bets), MODELS_BY_SIZE[1])[0]
    margin = Margin(_model(table, usual), Fraction(table.decimal("margin")))
    rounds = table.tables("rounds", lambda each: _round(each, margin)) if "rounds" in table else ()
    table.end()
    return Book(book, bets, margin, rounds)


def _round(table: Table, usual: Margin) -> tuple[int, Margin]:
    number, model = table.take("round", int), _model(table, usual.model)
    margin = Fraction(table.decimal("margin")) if "margin" in table else usual.margin
    table.end()
    return number, Margin(model, margin)


def _model(table: Table, usual: MarginModel) -> MarginModel:
    name = table.take("model", str, usual.value)
    try:
        return MarginModel(name)
    except ValueError:
        raise InvalidGameType(table.at("model"), name, f"one of {', '.join(MarginModel)}") from None


def read_limit(table: Table) -> PolicyRule:
    """A table of ``limits``: one currency's, for a round or a bet or for all."""
    number = table.take("round", int) if "round" in table else None
    bet = table.id("bet") if "bet" in table else None
    currency, *amounts = Limit.__match_args__
    values = [table.take(key, int) for key in amounts]
    try:
        limit = Limit(table.take(currency, str), *values)
    except PricingError as error:
        raise InvalidGameType(table.at(error.field), error.given, error.allowed) from None
    table.end()
    return PolicyRule(round=number, bet=bet, limits=(limit,))


def read_drawing(table: Table) -> DrawingRules:
    """The table ``drawing``; ``banker`` has for each of Banker's totals the worths of Player's third card that draw."""
    naturals, player, stood = (_digits(table, key) for key in ("naturals", "player", "banker_after_stand"))
    banker = Table(table.take("banker", dict), table.at("banker"))
    rules = DrawingRules(naturals, player, stood, tuple(_digits(banker, str(total)) for total in _DIGITS))
    banker.end()
    table.end()
    return rules


def _digits(table: Table, key: str) -> frozenset[int]:
    values = table.take(key, list)
    for place, value in enumerate(values):
        if type(value) is not int or value not in _DIGITS:
            raise InvalidGameType(f"{table.at(key)}[{place}]", value, "a whole number, 0 to 9")
    return frozenset(values)
