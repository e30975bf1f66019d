"""Whole numbers as callers give them: Python's or NumPy's, in range or refused by field."""

import operator
from collections.abc import Sequence
from typing import SupportsIndex, cast

from pricing.domain.errors import PricingError


def whole(value: object, allowed: range, field: str, error: type[PricingError]) -> int:
    """Check a whole number; booleans, floats and texts are none.

    >>> from pricing.domain.errors import InvalidShoe
    >>> whole(12, range(1, 13), "decks", InvalidShoe)
    12
    >>> whole(6.0, range(1, 13), "decks", InvalidShoe)
    Traceback (most recent call last):
    pricing.domain.errors.InvalidShoe: decks: got 6.0; allowed: a whole number, 1 to 12
    """
    if type(value) is int and value in allowed:  # as nearly always
        return value
    try:
        number = None if isinstance(value, bool) else operator.index(cast(SupportsIndex, value))
    except TypeError:
        number = None
    if number is None or number not in allowed:
        raise error(field, value, f"a whole number, {allowed[0]} to {allowed[-1]}")
    return number


def wholes(values: Sequence[object], highest: int, field: str, error: type[PricingError]) -> bytes:
    """Check whole numbers from 0 to the highest, below 256; a wrong one is named by its place.

    >>> from pricing.domain.errors import InvalidCard
    >>> list(wholes([0, 51], 51, "dealt", InvalidCard))
    [0, 51]
    >>> wholes([0, 52], 51, "dealt", InvalidCard)
    Traceback (most recent call last):
    pricing.domain.errors.InvalidCard: dealt[1]: got 52; allowed: a whole number, 0 to 51
    """
    try:
        numbers = bytes(cast(list[SupportsIndex], [*values]))
        if bool not in map(type, values) and max(numbers, default=0) <= highest:
            return numbers
    except (TypeError, ValueError):
        pass  # one by one below, to name the wrong one
    allowed = range(highest + 1)
    return bytes(whole(value, allowed, f"{field}[{place}]", error) for place, value in enumerate(values))
