"""What is wrong with historical data: where, what kind, what was found and what was expected."""

import json
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum, unique
from typing import Any, NamedTuple, TextIO

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


class Findings:
    """Counts findings by kind, keeps the first of each and writes all of them as JSON Lines.

    >>> import sys
    >>> findings = Findings(sys.stdout)
    >>> findings.add([Finding("a.csv:7", FindingKind.WINNER, "player", "banker")])
    {"place": "a.csv:7", "kind": "winner", "found": "player", "expected": "banker"}
    >>> findings.figures()
    [{'kind': 'winner', 'count': 1, 'place': 'a.csv:7', 'found': 'player', 'expected': 'banker'}]
    """

    def __init__(self, file: TextIO | None = None) -> None:
        """Begin with none; they are written to the file, if there is one."""
        self._file = file
        self._counts: Counter[FindingKind] = Counter()
        self._first: dict[FindingKind, Finding] = {}

    def add(self, findings: Iterable[Finding]) -> None:
        """Take in what was found next."""
        for finding in findings:
            self._counts[finding.kind] += 1
            self._first.setdefault(finding.kind, finding)
            if self._file:
                self._file.write(json.dumps(finding._asdict(), ensure_ascii=False) + "\n")

    def total(self) -> int:
        """How many there were."""
        return self._counts.total()

    def figures(self) -> list[dict[str, Any]]:
        """How many of each kind, and the first of them, as a report has it."""
        return [
            {"kind": kind.value, "count": count, "place": first.place, "found": first.found, "expected": first.expected}
            for kind, count in sorted(self._counts.items())
            for first in (self._first[kind],)
        ]
