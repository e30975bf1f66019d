"""Tables, which are told again from their journals after every test: live and rebuilt must agree."""

from collections.abc import Iterator

import pytest
from table.playing import MANY_ROUNDS, Play


@pytest.fixture
def play() -> Iterator[Play]:
    """A table of Bet On Baccarat with a fresh shoe."""
    play = Play()
    play.shoe_loaded()
    yield play
    assert play.told_again() == play.table


@pytest.fixture
def many_rounds() -> Iterator[Play]:
    """A table with betting rounds up to the fifth card, and one deck."""
    play = Play(MANY_ROUNDS)
    play.shoe_loaded(1)
    yield play
    assert play.told_again() == play.table
