"""What every journal does, whatever keeps it: nothing here may know which one it is."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.samples import JournalFactory, new_row

from pricing.store.journal import EventIdTaken, Journal, JournalUnavailable, PositionTaken
from pricing.store.rows import FIRST, Row, chain, digest

_examples = count()


def fill(journal: Journal, table: str, rows: int) -> list[Row]:
    answers = [journal.append([new_row(table, position)]) for position in range(1, rows + 1)]
    return [row for answer in answers for row in answer.result()]


def test_rows_come_back_as_they_went_in(journal_factory: JournalFactory) -> None:
    journal = journal_factory()
    row = replace(new_row("tä-1", 1), actor="", kind="'; DROP TABLE rows; --", body='{"a":"\U0001f0a1\\u0000\n"}')
    (appended,) = journal.append([row]).result()
    assert appended.columns == row.columns
    assert appended.hash == chain(FIRST, row)
    journal = journal_factory()
    assert journal.find("tä-1", row.event_id) == appended
    assert list(journal.read("tä-1")) == [appended]
    assert journal.tables() == [("tä-1", 1)]


def test_an_unknown_table_is_empty(journal: Journal) -> None:
    assert journal.tables() == []
    assert list(journal.read("t")) == []
    assert journal.find("t", "e") is None


def test_each_table_has_a_chain_of_its_own(journal: Journal) -> None:
    fill(journal, "a", 3)
    fill(journal, "b", 2)
    for table, last in journal.tables():
        previous = FIRST
        for row in journal.read(table):
            assert row.hash == chain(previous, row)
            previous = row.hash
        assert row.position == last
    assert journal.tables() == [("a", 3), ("b", 2)]
    assert not list(journal.verify())


@pytest.mark.parametrize(
    ("after", "limit"), [(0, None), (0, 0), (0, 256), (3, 257), (255, None), (256, 1), (600, None)]
)
def test_reading_from_a_position(journal: Journal, after: int, limit: int | None) -> None:
    fill(journal, "t", 600)
    expected = list(range(1, 601))[after:][:limit]
    assert [row.position for row in journal.read("t", after, limit)] == expected


def test_reading_goes_on_while_rows_are_appended(journal: Journal) -> None:
    fill(journal, "t", 300)
    reading = journal.read("t")
    next(reading)
    journal.append([new_row("t", 301)]).result()
    assert [row.position for row in reading] == list(range(2, 302))


@pytest.mark.parametrize("position", [1, 2, 4, 100])
def test_only_the_next_position_is_free(journal: Journal, position: int) -> None:
    fill(journal, "t", 2)
    with pytest.raises(PositionTaken) as caught:
        journal.append([new_row("t", position, "new")]).result()
    assert (caught.value.table, caught.value.position, caught.value.current) == ("t", position, 2)
    assert journal.find("t", "new") is None
    journal.append([new_row("t", 3, "new")]).result()


def test_a_known_event_is_answered_with_its_row_for_ever(journal_factory: JournalFactory) -> None:
    journal = journal_factory()
    rows = fill(journal, "t", 3)
    for _ in range(2):
        for position in (1, 3, 4, 9):
            with pytest.raises(EventIdTaken) as caught:
                journal.append([new_row("t", position, rows[0].event_id, body="{}")]).result()
            assert caught.value.rows == (rows[0],)
        journal = journal_factory()
    assert journal.append([new_row("other", 1, rows[0].event_id)]).result()


def test_a_call_over_many_tables_is_all_or_nothing(journal: Journal) -> None:
    fill(journal, "a", 1)
    good = [new_row("a", 2), new_row("b", 1), new_row("a", 3)]
    with pytest.raises(PositionTaken, match="table c"):
        journal.append([*good, new_row("c", 2)]).result()
    assert journal.tables() == [("a", 1)]
    appended = journal.append(good).result()
    assert [row.columns for row in appended] == [row.columns for row in good]
    assert appended[2].hash == chain(appended[0].hash, good[2])
    with pytest.raises(EventIdTaken) as caught:
        journal.append(good).result()
    assert caught.value.rows == appended
    with pytest.raises(EventIdTaken) as caught:
        journal.append([new_row("d", 1), *good[:1]]).result()
    assert caught.value.rows == appended[:1]
    assert not list(journal.verify())


def test_calls_that_make_no_sense_are_refused_at_once(journal: Journal) -> None:
    for rows in ([], [new_row("t", 1), new_row("t", 3)], [new_row("t", 1, "e"), new_row("t", 2, "e")]):
        with pytest.raises(ValueError, match="rows: got"):
            journal.append(rows)


def test_calls_of_one_table_keep_their_order_and_fail_alone(journal: Journal) -> None:
    answers: list[Future[tuple[Row, ...]]] = []
    for position in range(1, 201):
        answers.append(journal.append([new_row("t", position)]))
        answers.append(journal.append([new_row("t", position, f"late-{position}")]))
        answers.append(journal.append([new_row("t", position)]))
    for good, late, again in zip(answers[::3], answers[1::3], answers[2::3], strict=True):
        assert isinstance(late.exception(), PositionTaken)
        known = again.exception()
        assert isinstance(known, EventIdTaken)
        assert known.rows == good.result()
    assert [row.position for row in journal.read("t")] == list(range(1, 201))


def test_writers_that_race_never_both_win_a_position(journal: Journal) -> None:
    won: dict[str, list[int]] = {"a": [], "b": []}
    start = threading.Barrier(2)

    def write(name: str) -> None:
        start.wait()
        position = 1
        while position <= 150:
            try:
                journal.append([new_row("t", position, f"{name}{position}")]).result()
                won[name].append(position)
                position += 1
            except PositionTaken as taken:
                position = max(position, taken.current) + 1

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, won))
    assert sorted(won["a"] + won["b"]) == list(range(1, 151))
    assert [row.event_id[0] for row in journal.read("t")] == ["a" if p in won["a"] else "b" for p in range(1, 151)]
    assert not list(journal.verify())


def test_an_event_that_many_send_at_once_is_written_once(journal: Journal) -> None:
    with ThreadPoolExecutor(8) as pool:
        futures = list(pool.map(lambda position: journal.append([new_row("t", position, "e")]), [1] * 40))
    errors = [future.exception() for future in futures]
    assert errors.count(None) == 1
    (row,) = journal.read("t")
    assert all(isinstance(error, EventIdTaken) and error.rows == (row,) for error in errors if error)


calls = st.lists(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 5), st.sampled_from("uvwxyz")), min_size=1, max_size=2),
    max_size=12,
)


@given(calls, st.booleans())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_history_is_that_of_a_plain_model(
    journal: Journal, history: list[list[tuple[str, int, str]]], at_once: bool
) -> None:
    prefix = f"{next(_examples)}-"
    model: dict[str, list[str]] = {"a": [], "b": []}
    pending: list[tuple[Future[tuple[Row, ...]], str]] = []
    for call in history:
        try:
            answer = journal.append([new_row(prefix + table, position, event) for table, position, event in call])
        except ValueError:
            continue
        pending.append((answer, _expected(model, call)))
        if not at_once:
            answer.exception()
    for answer, expected in pending:
        error = answer.exception()
        assert (type(error).__name__ if error else "") == expected
    for table, events in model.items():
        assert [row.event_id for row in journal.read(prefix + table)] == events


def _expected(model: dict[str, list[str]], call: list[tuple[str, int, str]]) -> str:
    if any(event in model[table] for table, _, event in call):
        return "EventIdTaken"
    after = {table: list(events) for table, events in model.items()}
    for table, position, event in call:
        if position != len(after[table]) + 1:
            return "PositionTaken"
        after[table].append(event)
    model.update(after)
    return ""


def test_texts_by_their_hash(journal_factory: JournalFactory) -> None:
    journal = journal_factory()
    text = 'name = "Bet On Baccarat"\r\n# ß'
    for _ in range(2):
        assert journal.put_text(text) == digest(text)
    assert journal.put_text("") == digest("")
    journal = journal_factory()
    assert journal.text(digest(text)) == text
    with pytest.raises(KeyError):
        journal.text(digest("unknown"))
    with pytest.raises(ValueError, match="NUL"):
        journal.put_text("a\0b")


def test_the_probe_leaves_no_trace(journal: Journal) -> None:
    fill(journal, "t", 2)
    for _ in range(3):
        journal.check()
    assert journal.tables() == [("t", 2)]
    assert not list(journal.verify())


def test_the_epoch_outlives_a_restart(journal_factory: JournalFactory) -> None:
    epochs = {journal_factory().epoch for _ in range(3)}
    assert len(epochs) == 1
    assert len(epochs.pop()) >= 16


def test_closing_writes_what_waits_and_then_nothing(journal_factory: JournalFactory) -> None:
    journal = journal_factory()
    answers = [journal.append([new_row("t", position)]) for position in range(1, 501)]
    journal.close()
    journal.close()
    assert all(answer.done() and not answer.exception() for answer in answers)
    with pytest.raises(JournalUnavailable, match="closed"):
        journal.append([new_row("t", 501)]).result()
    for call in (journal.check, journal.tables, lambda: list(journal.read("t"))):
        with pytest.raises(JournalUnavailable, match="closed"):
            call()
    assert journal_factory().tables() == [("t", 500)]


def test_a_call_that_is_given_up_in_time_writes_nothing(journal: Journal) -> None:
    answers = [journal.append([new_row("t", 1, f"e{number}")]) for number in range(300)]
    given_up = [answer.cancel() for answer in answers]
    done = [
        answer.result() for answer, gone in zip(answers, given_up, strict=True) if not gone and not answer.exception()
    ]
    journal.append([new_row("other", 1)]).result()
    assert [(row,) for row in journal.read("t")] == done


def test_a_backup_may_not_replace_a_file(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("precious")
    with pytest.raises(FileExistsError, match="copy"):
        journal.backup(tmp_path / "copy")
    with pytest.raises(OSError, match="missing"):
        journal.backup(tmp_path / "missing" / "copy")
    assert (tmp_path / "copy").read_text() == "precious"
