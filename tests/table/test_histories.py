"""Thousands of histories of a table, legal and illegal, against a plain model of it.

HISTORIES=20000 in the environment plays more of them.
"""

import os
import random
from functools import cache

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from table.playing import TYPES
from table.twin import MISHAPS, Choose, Twin, anything, go_on, mishap, pass_time

pytestmark = pytest.mark.timeout(600)  # when a history fails, hypothesis may take five minutes to find a short one

HISTORIES = int(os.environ.get("HISTORIES", "2500"))


@cache
def below(number: int) -> st.SearchStrategy[int]:
    """Strategies are dear to make, and a history takes thousands of choices."""
    return st.integers(0, number - 1)


def choices(data: st.DataObject) -> Choose:
    return lambda several: several[data.draw(below(len(several)))]


class Histories(RuleBasedStateMachine):
    """Each rule is told to the table and to the model, which are then compared whole."""

    twin: Twin

    @initialize(kind=st.sampled_from(sorted(TYPES)))
    def create(self, kind: str) -> None:
        self.twin = Twin(TYPES[kind])

    @rule(data=st.data(), events=st.integers(1, 8))
    def play_goes_on(self, data: st.DataObject, events: int) -> None:
        for _ in range(events):
            self.twin.now += 1_000_000
            go_on(self.twin, choices(data))

    @rule(data=st.data(), what=st.sampled_from(sorted(MISHAPS)))
    def something_happens(self, data: st.DataObject, what: str) -> None:
        mishap(self.twin, choices(data), what)

    @rule(data=st.data())
    def time_passes(self, data: st.DataObject) -> None:
        pass_time(self.twin, choices(data))

    def teardown(self) -> None:
        if hasattr(self, "twin"):
            self.twin.finish()


TestStateMachine = Histories.TestCase
TestStateMachine.settings = settings(max_examples=HISTORIES // 25, stateful_step_count=30)


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_many_histories(kind: str) -> None:
    """The same by plain dice, which are much faster and reach deeper than hypothesis' choices."""
    shares = [0.1, 0.3, 0.6]
    for seed in range(HISTORIES // len(TYPES)):
        dice = random.Random(f"{kind} {seed}")
        twin = Twin(TYPES[kind])
        try:
            for _ in range(dice.choice([10, 20, 30, 80])):
                anything(twin, dice, shares[seed % len(shares)])
            twin.finish()
        except Exception as error:
            told = [entry.event for entry in twin.entries]
            raise AssertionError(f"seed {seed}: {error}; after {told}") from error
