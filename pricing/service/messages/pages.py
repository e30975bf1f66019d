"""Lists in pages. A page's token says after which name it starts, and is the callers' to keep, not to read."""

import base64
import binascii
from collections.abc import Sequence

from pricing.domain.errors import PricingError

MOST = 100
"""Entries on a page, and what page_size 0 stands for."""


class InvalidPage(PricingError):
    """A page that cannot be: its size, or a token that no answer gave."""

    reason = "INVALID_PAGE"


def page(names: Sequence[str], size: int, token: str) -> tuple[Sequence[str], str]:
    """The names on one page, and the token of the next; empty after the last.

    >>> names, token = page(["a", "b", "c"], 2, "")
    >>> names, page(["a", "b", "c"], 2, token)
    (['a', 'b'], (['c'], ''))

    Raises:
        InvalidPage: A size outside 0 to 100, or a token that no answer gave.
    """
    most = check_size(size)
    start = _after(names, token) if token else 0
    found = names[start : start + most]
    more = start + len(found) < len(names)
    return found, write_token(found[-1]) if more else ""


def check_size(size: int) -> int:
    """The most entries that a page of this size has.

    Raises:
        InvalidPage: A size outside 0 to 100.
    """
    if not 0 <= size <= MOST:
        raise InvalidPage("page_size", size, f"0 to {MOST}")
    return size or MOST


def write_token(last: str) -> str:
    """The token of the page after the one that ends with this."""
    return base64.urlsafe_b64encode(f"after:{last}".encode()).decode()


def read_token(token: str) -> str:
    """What the page before ended with.

    Raises:
        InvalidPage: A token that no answer gave.
    """
    try:
        mark, _, last = base64.b64decode(token, altchars=b"-_", validate=True).decode().partition(":")
    except (binascii.Error, ValueError):  # ValueError: no base64, no UTF-8
        mark, last = "", ""
    if mark != "after":
        raise bad_token(token)
    return last


def bad_token(token: str) -> InvalidPage:
    """The error of a token that no answer gave."""
    return InvalidPage("page_token", token, "next_page_token of an earlier answer, unchanged")


def _after(names: Sequence[str], token: str) -> int:
    try:
        return names.index(read_token(token)) + 1
    except ValueError:  # no such name; an InvalidPage is one too
        raise bad_token(token) from None
