"""The entries for Python callers: chances from counts, prices from card texts."""

from collections.abc import Iterable, Mapping, Set
from itertools import islice
from typing import Any, SupportsIndex

from pricing.domain.cards import MAX_ENTRIES, parse_cards, parse_indexes
from pricing.domain.errors import InvalidCard, InvalidShoe, PricingError
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.domain.policy_check import check_policy
from pricing.domain.shoe import MAX_DECKS, Shoe
from pricing.engine.chances import Chances, way_counter
from pricing.engine.quote import Quote, quote
from pricing.engine.situation import situation
from pricing.games import find_game, load_games


def chances(
    remaining: Iterable[SupportsIndex], dealt: Iterable[SupportsIndex] = (), game: str | GameType = "bet-on-baccarat"
) -> Chances:
    """Count exactly how a coup can end, from the cards left in the shoe.

    Args:
        remaining: How many of each of the 52 cards are left, without the dealt ones: ranks A 2 ... K, within a rank
            the suits C D H S. Whole numbers in a list, a NumPy array or anything that gives them in order.
        dealt: Cards of the coup in dealing order, as indexes 0 to 51 into the same list.
        game: Name of a built-in game type, or a game type.

    Returns:
        The denominator, the ids of the bets and for each bet the ways to win and to push.

    Raises:
        PricingError: A value that cannot be used; the class and ``reason`` tell the kind, ``field`` the place.

    Examples:
        >>> found = chances([6] * 52)
        >>> found.total_ways
        878869206895680
        >>> dict(zip(found.bets, found.ways.tolist()))["tie"]
        [83552962932288, 0]
        >>> chances([6] * 51)
        Traceback (most recent call last):
        pricing.domain.errors.InvalidShoe: remaining: got '51 counts'; allowed: 52 counts
    """
    found = _game(game)
    cards = parse_indexes(_entries(dealt, "dealt", InvalidCard), "dealt")
    shoe = Shoe.of_remaining(MAX_DECKS, _entries(remaining, "remaining", InvalidShoe))
    coup = situation(found, cards).coup
    counts = shoe.remaining(cards)
    shoe.drawable(counts, coup)
    counter = way_counter(found)
    total, ways, _ = counter.count(counts, cards)
    ways.setflags(write=False)
    return Chances(total, counter.bets, ways)


def price(  # noqa: PLR0913 - a state has as many parts, and all but the game are named by the caller
    game: str | GameType = "bet-on-baccarat",
    *,
    dealt: str | Iterable[str] = (),
    removed: str | Iterable[str] | None = None,
    remaining: Mapping[str, int] | None = None,
    decks: int | None = None,
    unseen_removed: int = 0,
    policy: Policy = STANDING,
) -> Quote:
    """Price every bet of a game type in one state of a coup.

    Args:
        game: Name of a built-in game type, or a game type.
        dealt: Cards of the coup in dealing order, in one text ("9S KD") or several.
        removed: Cards that have left the shoe face up, the dealt ones not among them.
        remaining: Instead of ``removed``: how many of each card are left, the dealt ones not among them.
        decks: Decks the shoe was loaded with, 1 to 12; the game type's own by default.
        unseen_removed: Cards that left the shoe without being seen.
        policy: What is set over the game type: margins shifted, bets closed, a cap on what a bet returns.

    Returns:
        Every bet with its exact ways, its state and, in a betting round, its odds.

    Raises:
        PricingError: A value that cannot be used; the class and ``reason`` tell the kind, ``field`` the place.

    Examples:
        >>> quote = price(dealt="9S KD", removed="AS KD")
        >>> quote.betting_round
        3
        >>> quote.bet("player").odds
        '1.51'
        >>> from pricing import Policy, PolicyRule
        >>> price(dealt="9S KD", policy=Policy((PolicyRule(bet="player", closed=True),))).bet("player").state.name
        'INACTIVE'
        >>> price(dealt="9S KX")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        pricing.domain.errors.InvalidCard: dealt[1]: got 'KX'; allowed: a rank of A23456789TJQK, then a suit of CDHS...
    """
    found = _game(game)
    loaded = found.decks if decks is None else decks
    if remaining is None:
        gone = () if removed is None else removed
        shoe = Shoe.without(loaded, parse_cards(_texts(gone, "removed"), "removed"), unseen_removed)
    elif removed is not None:
        raise InvalidShoe("remaining", "removed as well", "either removed or remaining")
    elif isinstance(remaining, Mapping):
        shoe = Shoe.of_listed(loaded, list(islice(remaining.items(), MAX_ENTRIES + 1)), unseen_removed)
    else:
        raise InvalidShoe("remaining", remaining, 'a mapping of card texts to counts, as in {"AS": 6}')
    if policy is not STANDING:
        check_policy(policy, found)
    return quote(found, shoe, parse_cards(_texts(dealt, "dealt"), "dealt"), policy)


def _game(game: str | GameType) -> GameType:
    return game if isinstance(game, GameType) else find_game(load_games(), game)


def _texts(cards: str | Iterable[str], field: str) -> list[Any]:
    return cards.split(maxsplit=MAX_ENTRIES) if isinstance(cards, str) else _entries(cards, field, InvalidCard)


def _entries(values: Iterable[Any], field: str, error: type[PricingError]) -> list[Any]:
    """The entries of a list, as far as lists are looked at. Sets and mappings lose order or repetitions: refused."""
    if isinstance(values, Set | Mapping):
        raise error(field, values, "a list")
    try:
        return list(islice(values, MAX_ENTRIES + 1))
    except TypeError:
        raise error(field, values, "a list") from None
