"""Events and reports for hypothesis: every kind, with any values that a reader lets through."""

from dataclasses import fields
from decimal import Decimal
from typing import Any, get_args

from hypothesis import strategies as st

from pricing.domain.coup import Side
from pricing.domain.limits import Limit
from pricing.domain.policy import Policy, PolicyRule
from pricing.table import events
from pricing.table.state import Report

KINDS: tuple[type, ...] = get_args(events.Event)
POLICIES = st.builds(
    Policy,
    st.lists(
        st.builds(
            PolicyRule,
            round=st.none() | st.integers(1, 4),
            bet=st.none() | st.sampled_from(["tie", "player", "lucky-six"]),
            margin_shift=st.none() | st.decimals("-0.05", "0.1", places=3),
            closed=st.none() | st.booleans(),
            limits=st.sampled_from([(), (Limit("EUR", 100, 500_000, 100, 2_500_000),)]),
        ),
        max_size=3,
    ).map(tuple),
    max_return=st.none() | st.just(Decimal("0.98")),
)
MAYBE_TIME = st.none() | st.integers(0, 2**53)
MAYBE_NUMBER = st.none() | st.integers(0, 2**63 - 1)
# By the name of the field; those of one name are of one type in every kind but the two in _SPECIAL.
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "actor": st.text(max_size=5),
    "bet": st.none() | st.sampled_from(["tie", "player"]),
    "card": st.integers(0, 51),
    "everywhere": st.booleans(),
    "dealt": st.binary(max_size=8).map(lambda given: bytes(each % 52 for each in given)),
    "decks": st.integers(1, 12),
    "from_time": MAYBE_TIME,
    "game": st.text(max_size=30),
    "game_hash": st.text(max_size=5),
    "game_type": st.text(max_size=5),
    "games": st.lists(st.text(max_size=30), max_size=3).map(tuple),
    "notice": st.sampled_from(events.NoticeKind),
    "owner": st.sampled_from(events.HoldOwner),
    "comment": st.text(max_size=5),
    "player_total": st.none() | st.integers(0, 9),
    "banker_total": st.none() | st.integers(0, 9),
    "policy": POLICIES,
    "reason": st.text(max_size=5),
    "remaining": st.binary(min_size=52, max_size=52),
    "round": st.integers(1, 5),
    "side": st.none() | st.sampled_from(Side),
    "test": st.booleans(),
    "text": st.text(max_size=10),
    "to_time": MAYBE_TIME,
    "unseen_removed": st.integers(0, 100),
    "was_dealt": st.booleans(),
    "windows_ms": st.lists(st.integers(0, 3_600_000), max_size=3).map(tuple),
    "winner": st.sampled_from(["player", "banker", "tie"]),
}
_SPECIAL: dict[tuple[type, str], st.SearchStrategy[Any]] = {
    (events.CardBurned, "card"): st.none() | st.integers(0, 51),
    (events.BurnIdentified, "card"): st.none() | st.integers(0, 51),
    (events.BettingClosed, "round"): st.none() | st.integers(1, 5),
    (events.GamesVoided, "reason"): st.sampled_from(events.VoidReason),
    (events.BetsCancelled, "reason"): st.sampled_from(events.CancelReason),
}


def of_kind(kind: type[Any]) -> st.SearchStrategy[Any]:
    given = {
        field.name: _SPECIAL[kind, field.name] if (kind, field.name) in _SPECIAL else _FIELDS[field.name]
        for field in fields(kind)
    }
    return st.builds(kind, **given)


EVENTS = st.sampled_from(KINDS).flatmap(of_kind)
REPORTS = st.builds(
    Report,
    event_id=st.text(min_size=1, max_size=5),
    event=EVENTS,
    actor=st.text(max_size=5),
    studio=st.booleans(),
    event_time=MAYBE_TIME,
    source_number=MAYBE_NUMBER,
    shoe_position=MAYBE_NUMBER,
    expected_card_state=MAYBE_NUMBER,
)
