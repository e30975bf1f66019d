"""A table and its model, told the same; what each shows must be the same, and what holds for every table must hold."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from table.model import Model, next_side, winner
from table.playing import SECOND, START, TYPES, through_json

from pricing.domain.bets import Result
from pricing.domain.coup import Side
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy, PolicyRule
from pricing.table import events as ev
from pricing.table.apply import apply, create
from pricing.table.decide import decide
from pricing.table.state import Entry, Game, Report, RoundPhase, Table, TablePhase

Choose = Callable[[Sequence[Any]], Any]
"""Takes one of several: hypothesis' draw, or a random generator's choice."""
MOVES_CARDS = (
    ev.ShoeLoaded | ev.CardDealt | ev.CardBurned | ev.BurnIdentified | ev.EarlyCardResolved | ev.ScanCorrected
    | ev.CompositionCorrected
)  # fmt: skip


class Twin:
    def __init__(self, kind: GameType) -> None:
        change = kind.shoe_change
        stages, bets = [each.cards for each in kind.rounds], [bet.id for bet in kind.bets]
        self.model = Model(stages, change.below, change.games_after, bets, START)
        created = ev.TableCreated(kind.name, kind.name, False, (0,) * len(stages))
        self.entries = [Entry(1, START, Report("e1", created, "admin"))]
        self.table = create("t1", self.entries[0], TYPES)
        self.references: list[str] = []
        self.now = START

    def tell(
        self,
        event: ev.Event,
        *,
        studio: bool = True,
        named: Sequence[int] = (),
        number: int | None = None,
        late: int = 0,
    ) -> None:
        """Tell both of an event. Games are named by number; it was seen so many microseconds before it is told."""
        seen = self.now - late if late else None
        before, event = self.table, self._with_references(event, named)
        report = Report(f"e{before.position + 1}", event, "somebody", studio, seen, number)
        refusal = decide(before, report)
        taken = self.model.tell(event, list(named), studio=studio, number=number, seen=seen, now=self.now)
        assert (refusal is None) == taken, (event, refusal)
        if refusal and not studio:
            return
        entry = Entry(before.position + 1, self.now, report, refusal)
        self.table = apply(before, entry, TYPES)
        self.entries.append(entry)
        assert through_json(entry, self.table) == entry
        if self.table.game and self.table.game.reference not in self.references[-1:]:
            self.references.append(self.table.game.reference)
        self.compare()
        check_step(before, entry, self.table)

    def _with_references(self, event: ev.Event, named: Sequence[int]) -> ev.Event:
        known = dict(enumerate(["", *self.references]))
        names = [known.get(number, "t1-20260101T000000-999999") for number in named]
        if isinstance(event, ev.GamesVoided):
            return replace(event, games=tuple(names))
        if isinstance(event, ev.WindowEnded | ev.GameResettled | ev.BetsCancelled):
            return replace(event, game=names[0] if names else "")
        return event

    def compare(self) -> None:
        """Everything that the model knows of the table."""
        model, table = self.model, self.table
        assert (table.position, table.time, table.card_state) == (model.position, model.time, model.card_state)
        assert (table.source_number, table.closed) == (model.source, model.closed)
        assert {(hold.owner.value, hold.reason, hold.bet) for hold in table.holds} == model.holds
        assert len(model.holds) == len(table.holds)
        assert table.policy == model.policy
        assert (table.early and table.early._asdict()) == model.early
        self._compare_shoe()
        assert len(self.references) == len(model.games)
        self._compare_games(2)
        if table.game and model.game:
            kept = [each.policy for each in table.game.rounds]
            assert kept == [each["policy"] for each in model.game["rounds"]]
        offered = model.open_round()
        if (
            model.closed
            or any(bet is None for _, _, bet in model.holds)
            or not (model.running and model.priceable(model.running))
        ):
            offered = None
        assert (table.offering and table.offering.number) == (offered and offered["number"])

    def _compare_shoe(self) -> None:
        model, shoe = self.model, self.table.shoe
        assert (shoe is None) == (model.shoe is None)
        if shoe is None or model.shoe is None:
            return
        counts = [count - shoe.impossible.count(card) for card, count in enumerate(shoe.counts)]
        assert counts == model.counts()
        expected = model.shoe["stage"] if model.possible() else "UNTRUSTED"
        assert (shoe.phase.value, shoe.left) == (expected, max(0, model.left()))
        assert (shoe.number, shoe.decks, shoe.drawn) == (model.shoes, model.shoe["decks"], model.shoe["drawn"])
        assert (shoe.unread, shoe.unseen_removed) == (model.shoe["unread"], model.shoe["unseen"])

    def _compare_games(self, newest: int) -> None:
        found = [self.table.find_game(reference) for reference in self.references[-newest:]]
        assert [shown(game) for game in found if game] == [told(game) for game in self.model.games[-newest:]]

    def finish(self) -> None:
        """What holds at the end: earlier games, the same table from the journal alone, references that sort."""
        self._compare_games(100)
        table = create("t1", self.entries[0], TYPES)
        for entry in self.entries[1:]:
            table = apply(table, through_json(entry, self.table), TYPES)
        assert table == self.table
        assert self.references == sorted(set(self.references))


def shown(game: Game) -> dict[str, Any]:
    """What a table says of a game."""
    return {
        "number": game.number,
        "shoe": game.shoe,
        "cards": list(game.dealt),
        "phase": game.phase.value,
        "rounds": [
            {"number": each.number, "phase": each.phase.value, "opened": each.open_time, "closed": each.close_time}
            for each in game.rounds
        ],
        "said": [(each.kind.value, [result.name for result in each.results], each.reason) for each in game.outcomes],
        "cut": [(*cut[:4], cut.reason.value) for cut in game.cancellations],
        "disputed": game.disputed,
    }


def told(game: dict[str, Any]) -> dict[str, Any]:
    keys = ("number", "shoe", "cards", "phase", "said", "cut", "disputed")
    rounds = [{key: each[key] for key in ("number", "phase", "opened", "closed")} for each in game["rounds"]]
    return {key: game[key] for key in keys} | {"rounds": rounds}


def check_step(before: Table, entry: Entry, after: Table) -> None:
    """What holds whatever happens, without a model."""
    assert after.position == before.position + 1
    assert after.card_state - before.card_state in ((1,) if not entry.refusal and _moves(entry) else (0, 1))
    if entry.refusal:
        same = before._replace(position=after.position, time=after.time, source_number=after.source_number)
        assert after == same._replace(holds=after.holds)
        assert set(before.holds) <= set(after.holds)
        return
    if not isinstance(entry.event, MOVES_CARDS | ev.GameResettled):
        assert after.card_state == before.card_state
    if after.phase is not TablePhase.OPEN:
        assert after.offering is None
    for game in (before.game, after.game):
        now = after.find_game(game.reference) if game else None
        if game and now:
            check_game(game, now)


def _moves(entry: Entry) -> bool:
    return isinstance(entry.event, MOVES_CARDS)


def check_game(before: Game, after: Game) -> None:
    begun = {RoundPhase.OPEN, RoundPhase.CLOSED, RoundPhase.CANCELLED}
    assert [each.phase for each in after.rounds].count(RoundPhase.OPEN) <= 1
    for old, new in zip(before.rounds, after.rounds, strict=True):
        if old.phase in (RoundPhase.CLOSED, RoundPhase.CANCELLED):
            assert new.phase in (old.phase, RoundPhase.CANCELLED)
        if old.phase in begun:
            assert (new.phase, new.open_time) != (RoundPhase.PENDING, None)
            assert new.open_time == old.open_time
    if len(after.dealt) > len(before.dealt):  # betting stopped before the card counted
        assert before.open_round is None or after.rounds[before.open_round.number - 1].phase is RoundPhase.CLOSED
    assert after.outcomes[: len(before.outcomes)] == before.outcomes
    assert after.cancellations[: len(before.cancellations)] == before.cancellations
    stated = [bool(outcome.results) for outcome in after.outcomes]
    assert all(first != second for first, second in pairwise(stated))
    if after.phase.value == "OPEN":
        assert after.results == ()
    else:
        assert len(after.results) == len(after.game_type.bets)
        assert Result.UNDECIDED not in after.results
        assert (set(after.results) == {Result.VOID}) == (after.phase.value == "VOID")
        assert after.open_round is None


def go_on(twin: Twin, choose: Choose) -> None:
    """What an orderly table would do next; now and then a card is early, or was misread."""
    model = twin.model
    if model.closed:
        return
    game = model.running
    unlucky = choose(range(12)) == 11
    if unlucky and model.may(ev.ScanCorrected(0), []):
        twin.tell(ev.ScanCorrected(likely_card(twin, choose)))
    elif model.early:
        twin.tell(ev.EarlyCardResolved(choose([True, False])))
    elif game is None and model.game and model.game["phase"] == "ENDED":
        twin.tell(ev.ResultAnnounced(*winner(model.game["cards"])))
    elif game is None and not model.may(ev.GameOpened(), []):
        twin.tell(ev.ShoeLoaded(twin.table.game_type.name, choose([1, 1, 1, 2, 6])))
    elif game is None:
        twin.tell(ev.GameOpened())
    elif (open_round := model.open_round()) and not unlucky:
        if choose([True, False]):
            twin.tell(ev.BettingClosed(choose([None, open_round["number"]])))
        else:
            twin.tell(ev.WindowEnded("", open_round["number"]), studio=False, named=[len(model.games)])
    else:
        twin.tell(ev.CardDealt(likely_card(twin, choose), choose([None, next_side(game["cards"])])))


def likely_card(twin: Twin, choose: Choose) -> int:
    """Mostly a card that is there."""
    there = [card for card, count in enumerate(twin.model.counts()) if count > 0] if twin.model.shoe else []
    return int(choose(there if there and choose(range(12)) else range(52)))


def coup(twin: Twin, choose: Choose) -> bytes:
    """A whole coup, mostly."""
    cards: list[int] = []
    while next_side(cards) and choose(range(30)):
        cards.append(likely_card(twin, choose))
    return bytes(cards)


def some_games(twin: Twin, choose: Choose) -> list[int]:
    """Numbers of up to three games, some known no more, some not yet."""
    last = len(twin.model.games)
    return [choose(range(max(0, last - 4), last + 2)) for _ in range(choose(range(4)))]


def _cancelled(twin: Twin, choose: Choose) -> ev.BetsCancelled:
    times = [None, None, twin.now - 5 * SECOND, twin.now]
    bet = choose([None, None, "player", "lucky-six"])
    return ev.BetsCancelled("", choose(range(1, 4)), bet, choose(times), choose(times), choose(list(ev.CancelReason)))


def _composition(_twin: Twin, choose: Choose) -> ev.CompositionCorrected:
    kinds = choose([0, 5, 6, 8, 40, 52])
    counts = bytes((1,) * kinds + (choose([0, 0, 2]),) * (52 - kinds))
    return ev.CompositionCorrected(counts, choose([0, 0, 3, 60]))


def _hold(choose: Choose) -> tuple[ev.HoldOwner, str, str | None]:
    return choose(list(ev.HoldOwner)[:2]), choose(["A", "B"]), choose([None, None, "tie", "lucky-six"])


POLICIES = (
    STANDING,
    Policy((PolicyRule(bet="tie", closed=True), PolicyRule(round=1, margin_shift=Decimal("0.01")))),
    Policy((PolicyRule(round=3, closed=True),)),
    Policy((PolicyRule(bet="lucky-six", closed=True),)),
)
"""The third fits where there are so many rounds, the last nowhere."""

MISHAPS: dict[str, Callable[[Twin, Choose], ev.Event]] = {
    "shoe_loaded": lambda twin, choose: ev.ShoeLoaded(twin.table.game_type.name, choose([1, 6])),
    "game_opened": lambda _twin, _choose: ev.GameOpened(),
    "betting_closed": lambda _twin, choose: ev.BettingClosed(choose([None, 1, 2, 3])),
    "window_ended": lambda _twin, choose: ev.WindowEnded("", choose([1, 2, 3])),
    "card_dealt": lambda twin, choose: ev.CardDealt(likely_card(twin, choose), choose([None, None, *Side])),
    "card_burned": lambda twin, choose: ev.CardBurned(choose([None, likely_card(twin, choose)])),
    "burn_identified": lambda twin, choose: ev.BurnIdentified(choose([None, likely_card(twin, choose)])),
    "early_resolved": lambda _twin, choose: ev.EarlyCardResolved(choose([True, False])),
    "cut_card": lambda _twin, _choose: ev.CutCardSeen(),
    "scan_corrected": lambda twin, choose: ev.ScanCorrected(likely_card(twin, choose)),
    "announced": lambda _twin, choose: ev.ResultAnnounced(
        choose(["player", "banker", "tie"]), choose([None, 9]), choose([None, 0])
    ),
    "voided": lambda _twin, choose: ev.GamesVoided((), choose(list(ev.VoidReason))),
    "resettled": lambda twin, choose: ev.GameResettled("", coup(twin, choose)),
    "cancelled": _cancelled,
    "composition": _composition,
    "hold_placed": lambda _twin, choose: ev.HoldPlaced(*_hold(choose)),
    "hold_lifted": lambda _twin, choose: ev.HoldLifted(*_hold(choose)),
    "policy_changed": lambda _twin, choose: ev.PolicyChanged(choose(POLICIES), ""),
    "resumed": lambda _twin, _choose: ev.Resumed(),
    "notice": lambda _twin, choose: ev.Notice(choose(list(ev.NoticeKind)), ""),
    "restarted": lambda _twin, _choose: ev.Restarted(),
    "created": lambda twin, _choose: ev.TableCreated("x", twin.table.game_type.name, False, ()),
    "table_closed": lambda _twin, _choose: ev.TableClosed(),
}
"""Everything that can be told of a table, in its turn or out of it."""
_MOST_NAMED = {ev.GamesVoided: 3, ev.GameResettled: 1, ev.BetsCancelled: 1, ev.WindowEnded: 1}


def mishap(twin: Twin, choose: Choose, what: str) -> None:
    """One event of a kind, legal or not, from the studio or another side, numbered or not."""
    if what == "table_closed" and choose(range(8)):
        return
    event = MISHAPS[what](twin, choose)
    named = some_games(twin, choose)[: _MOST_NAMED.get(type(event), 0)]
    last = twin.model.source or 0
    number = choose([None, None, last + 1, last + 1, last + 2, last, max(0, last - 3)])
    late = choose([0, 0, SECOND // 4, 60 * SECOND, -SECOND])
    twin.tell(event, studio=choose([True, True, True, False]), named=named, number=number, late=late)


def anything(twin: Twin, dice: random.Random, mishaps: float) -> None:
    """Let time pass, and then play go on or, in such a share of cases, something happen."""
    pass_time(twin, dice.choice)
    if dice.random() < mishaps:
        mishap(twin, dice.choice, dice.choice(list(MISHAPS)))
    else:
        go_on(twin, dice.choice)


def pass_time(twin: Twin, choose: Choose) -> None:
    """Mostly a second, sometimes none, and now and then the clock is set back."""
    twin.now += choose([SECOND, SECOND, SECOND, 0, -3600 * SECOND, 7200 * SECOND])
