"""Journals of every kind there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from store.samples import JournalFactory

from pricing.store.journal import Journal
from pricing.store.sqlite import open_journal


@pytest.fixture(params=["sqlite"])
def journal_factory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JournalFactory]:
    """Opens the test's one journal; what is open of it is closed first, so that it can be called again."""
    opened: list[Journal] = []

    def open_again() -> Journal:
        while opened:
            opened.pop().close()
        assert request.param == "sqlite"
        opened.append(open_journal(tmp_path / "data"))
        return opened[-1]

    yield open_again
    while opened:
        opened.pop().close()


@pytest.fixture
def journal(journal_factory: JournalFactory) -> Journal:
    return journal_factory()
