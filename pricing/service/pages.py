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
    if not 0 <= size <= MOST:
        raise InvalidPage("page_size", size, f"0 to {MOST}")
    start = _after(names, token) if token else 0
    found = names[start : start + (size or MOST)]
    more = start + len(found) < len(names)
    return found, _token(found[-1]) if more else ""


def _token(name: str) -> str:
    return base64.urlsafe_b64encode(f"after:{name}".encode()).decode()


def _after(names: Sequence[str], token: str) -> int:
    try:
        mark, _, name = base64.b64decode(token, altchars=b"-_", validate=True).decode().partition(":")
        if mark == "after":
            return names.index(name) + 1
    except (binascii.Error, ValueError):  # ValueError: no base64, no UTF-8, no such name
        pass
    raise InvalidPage("page_token", token, "next_page_token of an earlier answer, unchanged")
