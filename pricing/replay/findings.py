"""What is wrong with historical data: where, what kind, what was found and what was expected."""

import json
from collections.abc import Iterable
from enum import StrEnum, unique
from typing import NamedTuple, TextIO

from pricing.domain.errors import PricingError


@unique
class FindingKind(StrEnum):
    """What kind of thing is wrong."""

    RECORD = "record"
    """A record that cannot be read as a game or a shoe; its cards are not known."""
    CARD = "card"
    """What stands for a card is none."""
    DRAWING = "drawing"
    """The hands break the drawing rules."""
    WINNER = "winner"
    """Another side won than the source says."""
    TOTAL = "total"
    """A hand counts to another total than the source says."""
    BETS = "bets"
    """Other side bets won than the source says."""
    DUPLICATE = "duplicate"
    """The record of the game before, once more."""
    TOO_MANY = "too-many"
    """More of a card, of a rank or of all cards than the decks hold."""
    BOUNDARY = "boundary"
    """A shoe's beginning that was none."""


class Finding(NamedTuple):
    """One thing that is wrong."""

    place: str
    """File and line or row."""
    kind: FindingKind
    found: str
    expected: str


class DirtyData(PricingError):
    """Data with something wrong, where none is wanted."""

    reason = "DIRTY_DATA"

    def __init__(self, finding: Finding) -> None:
        """Say what was found."""
        super().__init__(f"{finding.place}: {finding.kind}", finding.found, finding.expected)
        self.finding = finding


def write_findings(findings: Iterable[Finding], file: TextIO) -> int:
    """Write findings as JSON Lines; how many there were.

    >>> import sys
    >>> write_findings([Finding("a.csv:7", FindingKind.WINNER, "player", "banker")], sys.stdout)
    {"place": "a.csv:7", "kind": "winner", "found": "player", "expected": "banker"}
    1
    """
    count = 0
    for count, finding in enumerate(findings, 1):  # noqa: B007 - counts them too
        file.write(json.dumps(finding._asdict(), ensure_ascii=False) + "\n")
    return count
