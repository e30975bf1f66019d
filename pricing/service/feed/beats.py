"""The rhythm of heartbeats: one timer for all who want them equally often, one text for all who may know the same."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

from pricing.baccarat.v1 import odds_service_pb2 as pb


class Beating(Protocol):
    """Somebody who wants heartbeats."""

    def beat(self) -> None:
        """One is due."""


class Beats:
    """Tells everybody when a heartbeat is due, each at their own interval."""

    def __init__(self) -> None:
        """Have nobody yet."""
        self._members: dict[float, dict[Beating, None]] = {}
        self._timers: dict[float, asyncio.TimerHandle] = {}

    def join(self, who: Beating, seconds: float) -> None:
        """Tell somebody each time so many seconds have gone by; the first time may be earlier."""
        self._members.setdefault(seconds, {})[who] = None
        if seconds not in self._timers:
            self._later(seconds, asyncio.get_running_loop().time())

    def leave(self, who: Beating, seconds: float) -> None:
        """Tell somebody no more."""
        members = self._members.get(seconds, {})
        members.pop(who, None)
        if not members and seconds in self._timers:
            self._timers.pop(seconds).cancel()
            del self._members[seconds]

    def _later(self, seconds: float, now: float) -> None:
        loop = asyncio.get_running_loop()
        due = max(now + seconds, loop.time())
        self._timers[seconds] = loop.call_at(due, self._tell, seconds, due)

    def _tell(self, seconds: float, due: float) -> None:
        self._later(seconds, due)
        for who in list(self._members[seconds]):
            who.beat()


class Sequences:
    """The newest sequences of tables as heartbeats name them, made once for all who watch the same tables."""

    def __init__(self, epoch: str) -> None:
        """Have made none."""
        self._epoch = epoch
        self._made: dict[frozenset[str], bytes] = {}

    def changed(self) -> None:
        """There is a new image of some table."""
        self._made.clear()

    def shared(self, tables: frozenset[str], newest: Callable[[], Iterable[tuple[str, int]]]) -> bytes:
        """For all who watch these tables, made when one of them is the first to ask since the last change."""
        found = self._made.get(tables)
        if found is None:
            found = self._made[tables] = self.own(newest())
        return found

    def own(self, newest: Iterable[tuple[str, int]]) -> bytes:
        """The part of a heartbeat that names these."""
        named = [pb.TableSequence(table=name, sequence=number) for name, number in newest]
        return pb.Heartbeat(epoch=self._epoch, sequences=named).SerializeToString()
