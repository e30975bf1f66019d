"""One thread that writes for all, and lets calls share a commit."""

import copy
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

from pricing.store.journal import JournalError, JournalUnavailable

_Session = TypeVar("_Session")
_Answer = TypeVar("_Answer")

_MOST: Final = 2000
"""Calls in one commit."""


class Writer(Generic[_Session]):
    """A queue of calls and the thread that commits them, all that wait at once.

    While one commit is on its way to the disk the next calls gather, which groups them without any waiting. Only if
    the last commit was shared is there somebody to wait for: as many calls as then, for a moment at most. So a lone
    writer is never delayed.
    """

    def __init__(self, commit: Callable[[Sequence[Callable[[_Session], Any]]], Sequence[Any]], linger: float) -> None:
        """Start the thread.

        Args:
            commit: Carries out calls in one transaction. Gives each one's answer, or the error that it alone meets;
                raises where nothing was committed.
            linger: Seconds to wait for others.
        """
        self._commit = commit
        self._linger = linger
        self._waiting: list[tuple[Callable[[_Session], Any], Future[Any]]] = []
        self._changed = threading.Condition()
        self._enough = 1
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[[_Session], _Answer]) -> Future[_Answer]:
        """Queue a call; its answer comes after the commit."""
        future: Future[_Answer] = Future()
        with self._changed:
            if self._closed:
                future.set_exception(JournalUnavailable("the journal is closed"))
                return future
            self._waiting.append((call, future))
            if len(self._waiting) >= self._enough:
                self._changed.notify()
        return future

    def close(self) -> None:
        """Refuse new calls, carry out those that wait, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        shared = 1
        while batch := self._take(shared):
            shared = len(batch)
            # What its caller gave up before its turn is left out; from here on it can no longer be given up.
            taken = [(call, future) for call, future in batch if future.set_running_or_notify_cancel()]
            if taken:
                self._carry_out(taken)

    def _take(self, shared: int) -> list[tuple[Callable[[_Session], Any], Future[Any]]]:
        """The calls for the next commit; none once the writer is closed and done."""
        with self._changed:
            self._enough = 1
            while not self._waiting and not self._closed:
                self._changed.wait()
            if shared > 1 and len(self._waiting) < shared and not self._closed:
                self._enough = shared
                self._changed.wait(self._linger)
            batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            return batch

    def _carry_out(self, batch: Sequence[tuple[Callable[[_Session], Any], Future[Any]]]) -> None:
        try:
            answers = self._commit([call for call, _ in batch])
        except BaseException as error:  # whatever it is, the callers must hear of it and the thread must live
            answers = [_fresh(error) for _ in batch]
        for (_, future), answer in zip(batch, answers, strict=True):
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(answer)


def _fresh(error: BaseException) -> BaseException:
    """The error for one caller: raised by many at once, a single one would collect all their tracebacks."""
    if not isinstance(error, JournalError):
        return error
    fresh = copy.copy(error)
    fresh.__cause__ = error.__cause__
    return fresh
