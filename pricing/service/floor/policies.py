"""Policies of tables changed: checked for what they offer first, then set at all tables at once."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pricing.domain.cards import CARDS
from pricing.domain.game import GameType
from pricing.domain.policy import Policy
from pricing.engine.edge import Edge, find_edge
from pricing.games import Catalogue
from pricing.service.errors import EtagMismatch, PolicyEdge
from pricing.service.floor.joint import Joint, JointChange
from pricing.service.floor.records import Receipt
from pricing.service.messages.policy_messages import etag_of
from pricing.table.events import PolicyChanged
from pricing.table.policies import misfit
from pricing.table.state import Report, Table


class PolicyUpdate(NamedTuple):
    """A policy that is to be set."""

    policy: Policy
    comment: str
    etags: Mapping[str, str | None] | None
    """By table, what its policy must still be if that matters; None for all tables."""
    update_id: str
    actor: str
    dry: bool

    @property
    def tables(self) -> Sequence[str] | None:
        """Names, or None for all."""
        return None if self.etags is None else list(self.etags)


class _Unchecked(Exception):
    """A table with a game type that came after the check."""


class Policies:
    """Sets the policies of tables."""

    def __init__(self, joint: Joint, games: Catalogue) -> None:
        """Set them by this.

        Args:
            joint: Changes the tables.
            games: Game types by name, that tables will go by with their next shoes.
        """
        self._joint = joint
        self._games = games

    async def update(self, update: PolicyUpdate) -> list[Receipt]:
        """Set a policy at all tables of an update, or only see whether that can be done.

        Raises:
            PolicyEdge: A bettor would gain by it.
            EtagMismatch: The policy of a table is not what it must be.
            Fault, PricingError, JournalError: As Joint.change does.
        """
        checked: set[GameType] = set()
        event = PolicyChanged(update.policy, update.comment, everywhere=update.tables is None)
        report = Report(update.update_id, event, update.actor)

        def check(table: Table) -> None:
            _check_etag(table, (update.etags or {}).get(table.name))
            if table.game_type not in checked:
                raise _Unchecked

        while True:
            kinds = self._kinds(self._joint.tables(update.tables))
            for kind in kinds - checked:
                await asyncio.to_thread(_check_edge, kind, update.policy)  # too long for the loop
            checked |= kinds
            try:
                return await self._joint.change(JointChange(report, update.tables, check, dry=update.dry))
            except _Unchecked:
                continue  # each time there are more that are checked, and no more than there are game types

    def _kinds(self, tables: Iterable[Table]) -> set[GameType]:
        """Game types that tables go by, now or with their next shoe."""
        now = {table.game_type for table in tables}
        return now | {self._games.get(kind.name, kind) for kind in now}


def _check_etag(table: Table, wanted: str | None) -> None:
    etag = etag_of(table.policy)
    if wanted not in (None, etag):
        raise EtagMismatch(f"table {table.name}: the policy is {etag} now, not {wanted}", {table.name: etag})


def _check_edge(game: GameType, policy: Policy) -> None:
    """Refuse what a bettor would gain by; what does not fit the game type is refused by its tables."""
    if not misfit(policy, game) and (edge := _edge(game, policy)):
        raise _refusal(game, edge)


@lru_cache(maxsize=256)
def _edge(game: GameType, policy: Policy) -> Edge | None:
    return find_edge(game, policy)


def _refusal(game: GameType, edge: Edge) -> PolicyEdge:
    refusal = PolicyEdge("policy", str(edge), f"what leaves no bettor of {game.name} an edge in a fresh shoe")
    refusal.metadata = {
        "game_type": game.name,
        "opening": " ".join(CARDS[card] for card in edge.dealt),
        "round": str(edge.round),
        "bet": edge.bet,
        "gain": f"{float(edge.gain):.9f}",
    }
    return refusal
