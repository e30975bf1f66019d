"""Canonical JSON, and rows that any database can keep."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store.samples import new_row

from pricing.store.rows import FIRST, Json, NewRow, canonical, chain

texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"))
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(texts, parts, max_size=4),
    max_leaves=6,
)


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(part) for key, part in reversed(value.items())}
    return [shuffled(part) for part in value] if isinstance(value, list) else value


@given(values)
def test_canonical_json_is_one_text_for_a_value(value: Json) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(shuffled(value)) == text == canonical(json.loads(text))


@pytest.mark.parametrize("value", [1.0, float("nan"), {"a": [2.5]}, {1: "a"}, {None: 1}, b"x", {1, 2}, [object()]])
def test_canonical_json_refuses_what_has_no_single_text(value: Any) -> None:
    with pytest.raises(TypeError, match="canonical JSON"):
        canonical(value)


def test_canonical_json_refuses_half_a_surrogate_pair() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        canonical({"a": "\ud800"})


@pytest.mark.parametrize("name", ["table", "event_id", "kind", "actor", "body", "outcome"])
@pytest.mark.parametrize("text", ["a\0b", "\udc80"])
def test_rows_refuse_texts_that_some_database_could_not_keep(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=name):
        replace(new_row("t", 1), **{name: text})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [("table", ""), ("event_id", ""), ("position", 0), ("position", 2**63), ("recorded_time", 2**63)],
)
def test_rows_refuse_values_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        replace(new_row("t", 1), **{name: value})


def test_every_column_and_the_row_before_are_in_the_hash() -> None:
    row = new_row("t", 1)
    changed: list[NewRow] = [replace(row, position=2), replace(row, recorded_time=0)]
    changed += [replace(row, **{name: "x"}) for name in ("table", "event_id", "kind", "actor", "body", "outcome")]  # type: ignore[arg-type]
    hashes = {chain(FIRST, each) for each in [row, *changed]} | {chain("0" * 64, row)}
    assert len(hashes) == 10


def test_the_hash_can_be_computed_by_anybody() -> None:
    row = new_row("t", 1)
    columns = ["", "t", 1, row.event_id, row.kind, row.recorded_time, row.actor, row.body, row.outcome]
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    assert chain(FIRST, row) == hashlib.sha256(text.encode()).hexdigest()


def test_texts_do_not_run_into_each_other() -> None:
    row = new_row("t", 1)
    assert chain(FIRST, replace(row, kind='a","b', actor="c")) != chain(FIRST, replace(row, kind="a", actor='b","c'))
