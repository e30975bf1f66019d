"""Events, entries and earlier games as they are written down, and back."""

import json
import re
from copy import deepcopy
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table.playing import BET_ON_BACCARAT, MANY_ROUNDS, START, Play
from table.reports import EVENTS, KINDS, REPORTS, of_kind

from pricing.domain.bets import Result
from pricing.table import apply, decide
from pricing.table.codec import KINDS as CODEC_KINDS
from pricing.table.codec import body_of, entry_of, from_plain, kind_of, outcome_of, to_plain
from pricing.table.events import CancelReason, VoidReason
from pricing.table.games import reference_of
from pricing.table.past import Past, pack, unpack
from pricing.table.state import (
    BettingRound,
    Cancellation,
    Entry,
    Game,
    GamePhase,
    Outcome,
    OutcomeKind,
    Refusal,
    Report,
    RoundPhase,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["AS", "card_dealt"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
TABLE = Play().table
REFUSALS = st.none() | st.builds(Refusal, st.text(max_size=5), st.text(max_size=5))


@given(EVENTS)
def test_events_come_back(event: Any) -> None:
    plain = json.loads(json.dumps(to_plain(event)))
    assert from_plain(plain) == event
    assert type(from_plain(plain)) is type(event)


@given(REPORTS, REFUSALS, st.integers(1, 2**53), st.integers(0, 2**53))
def test_entries_come_back(report: Report, refusal: Refusal | None, position: int, time: int) -> None:
    body, outcome = json.loads(json.dumps([body_of(report), outcome_of(TABLE, refusal)]))
    entry = entry_of(position, time, report.event_id, report.actor, body, outcome)
    assert entry == Entry(position, time, report, refusal)


@pytest.mark.parametrize("kind", KINDS, ids=kind_of)
def test_every_kind_has_a_name_a_check_and_an_effect(kind: type) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind_of(kind))
    assert CODEC_KINDS[kind_of(kind)] is kind
    assert "kind" not in {field.name for field in fields(kind)}  # it is taken
    assert kind in decide._CHECKS
    special = {"TableCreated", "ShoeLoaded"}  # these need the game types
    assert (kind in apply._CHANGES) != (kind.__name__ in special)


@given(JSON, JSON)
def test_garbage_is_told_from_events(body: Any, outcome: Any) -> None:
    for read in (lambda: from_plain(body), lambda: entry_of(1, 1, "e", "a", body, outcome)):
        with pytest.raises((KeyError, ValueError, TypeError)):
            read()


@pytest.mark.parametrize("kind", KINDS, ids=kind_of)
@given(data=st.data())
@settings(max_examples=20)
def test_one_wrong_value_is_found_or_harmless(kind: type, data: st.DataObject) -> None:
    body = body_of(Report("e", data.draw(of_kind(kind)), "a"))
    outcome: dict[str, Any] = outcome_of(TABLE, None)
    broken = deepcopy(body)
    part = data.draw(st.sampled_from([broken, broken["event"], outcome]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(JSON | st.just(10**12))
    try:
        entry = entry_of(1, 1, "e", "a", broken, outcome)
    except (KeyError, ValueError, TypeError):
        return
    again = body_of(entry.report)
    assert again == broken


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "card_dealt", "card": "KS"},
        {"kind": "card_dealt", "card": None, "side": None},
        {"kind": "card_dealt", "card": 51, "side": None},
        {"kind": "card_dealt", "card": "KS", "side": 1},
        {"kind": "betting_closed", "round": True},
        {"kind": "betting_closed", "round": "1"},
        {"kind": "composition_corrected", "remaining": 10**12, "unseen_removed": 0},
        {"kind": "composition_corrected", "remaining": [256], "unseen_removed": 0},
        {"kind": "games_voided", "games": "t1", "reason": "OTHER"},
        {"kind": "games_voided", "games": [1], "reason": "OTHER"},
        {"kind": "games_voided", "games": [], "reason": "RAIN"},
        {"kind": "game_resettled", "game": "t1", "dealt": "AS"},
        {"kind": "unheard_of"},
    ],
)
def test_almost_events_are_none(values: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        from_plain(values)


TIMES = st.none() | st.integers(START - 10**9, START + 10**12) | st.integers(0, 2**62)
RESULTS = st.sampled_from([(), (Result.VOID,) * 9, tuple(Result(2 + each % 3) for each in range(9))])
OUTCOMES = st.builds(
    Outcome,
    kind=st.sampled_from(OutcomeKind),
    position=st.integers(1, 2**40),
    results=RESULTS,
    reason=st.sampled_from(["", *VoidReason]),
)
CANCELLATIONS = st.builds(
    Cancellation,
    round=st.integers(1, 5),
    bet=st.sampled_from([None, "player", "big"]),
    from_time=TIMES,
    to_time=TIMES,
    reason=st.sampled_from(CancelReason),
    position=st.integers(1, 2**40),
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    number, time = draw(st.integers(1, 10**7)), draw(st.integers(0, 2**52))
    phases = draw(st.lists(st.sampled_from(RoundPhase), max_size=5))
    return Game(
        reference=reference_of("t1", time, number),
        number=number,
        shoe=draw(st.integers(1, 10**6)),
        game_type=(BET_ON_BACCARAT, MANY_ROUNDS)[draw(st.integers(0, 1))],
        dealt=draw(st.binary(max_size=6)),
        rounds=tuple(BettingRound(place, phase, draw(TIMES), draw(TIMES)) for place, phase in enumerate(phases, 1)),
        phase=draw(st.sampled_from(GamePhase)),
        open_time=time,
        outcomes=tuple(draw(st.lists(OUTCOMES, max_size=4))),
        cancellations=tuple(draw(st.lists(CANCELLATIONS, max_size=4))),
        disputed=draw(st.booleans()),
    )


@given(games())
def test_earlier_games_come_back(game: Game) -> None:
    assert unpack("t1", pack(game, 0), (game.game_type,)) == game


@given(st.lists(games(), min_size=1, max_size=6), st.data())
@settings(max_examples=30)
def test_the_past_is_a_list_of_games(games: list[Game], data: st.DataObject) -> None:
    past = Past()
    for game in games:
        past = past.add(game)
    back = data.draw(st.integers(1, len(games)))
    assert past.get("t1", back) == games[-back]
    games[-back] = games[-back]._replace(phase=GamePhase.VOID)
    past = past.set(games[-back], back)
    assert [past.get("t1", each) for each in range(len(games), 0, -1)] == games
    assert past.get("t1", 0) is past.get("t1", len(games) + 1) is None
