"""Changes of several tables racing with cards and with each other, over journals that fail and processes that die."""

import asyncio
import random
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from service.floors import Hall, eventually, hall, tell
from service.studio import GAME

from pricing.domain.policy import Policy, PolicyRule
from pricing.engine.quote import Quote
from pricing.engine.quote import quote as whole
from pricing.service.errors import EtagMismatch, EventIdReused, Forbidden
from pricing.service.floor.guard import PriceGuard
from pricing.service.floor.joint import JointChange
from pricing.service.floor.policies import Policies, PolicyUpdate
from pricing.service.images.image import table_message
from pricing.service.messages.policy_messages import etag_of
from pricing.store.journal import JournalUnavailable
from pricing.store.reader import open_reader
from pricing.store.rows import Row
from pricing.table import events
from pricing.table.events import HoldOwner, HoldPlaced, PolicyChanged
from pricing.table.state import Report, Table

NAMES = ["t", "u", "v"]


def shifted(number: int) -> Policy:
    return Policy((PolicyRule(bet="tie", margin_shift=Decimal(number) / 1000),))


def change(event_id: str, event: events.Event, tables: list[str] | None, **what: bool) -> JointChange:
    return JointChange(Report(event_id, event, "trader"), tables, check=lambda _table: None, **what)


def changed(found: Hall) -> list[list[str]]:
    """The ids of the policy changes of each table, in order."""
    return [[row.event_id for row in found.journal.read(name) if row.kind == "policy_changed"] for name in NAMES]


async def open_all(found: Hall) -> None:
    for name in NAMES[1:]:
        await found.create(name)


def test_updates_race_with_cards_and_each_other(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        await open_all(found)
        dice = random.Random(1)

        async def cards(name: str) -> None:
            for number in range(60):
                card = Report(f"card {number}", events.CardBurned(dice.randrange(52)), "studio", studio=True)
                receipt = await found.floor.submit(name, card)
                assert receipt.refusal is None

        async def updates(trader: int) -> None:
            for number in range(15):
                tables = dice.sample(NAMES, 2) if trader == 2 else NAMES
                await found.floor.joint.change(change(f"{trader}-{number}", PolicyChanged(shifted(trader), ""), tables))

        for name in NAMES[1:]:
            await found.floor.submit(name, Report("shoe", events.ShoeLoaded("", 0), "studio", studio=True))
        await asyncio.gather(*map(cards, NAMES), *map(updates, range(3)))
        of_all = [[each for each in ids if not each.startswith("2-")] for ids in changed(found)]
        assert of_all[0] == of_all[1] == of_all[2]
        assert len(of_all[0]) == 30
        assert sum(each.startswith("2-") for ids in changed(found) for each in ids) == 30
        for name in NAMES:
            assert len([row for row in found.journal.read(name) if row.kind == "card_burned"]) == 60
            assert len([*found.floor.history(name)]) == found.floor.table(name).position

    tell(story, tmp_path)


def test_of_many_with_one_etag_one_wins(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        await open_all(found)
        policies = Policies(found.floor.joint, {GAME.name: GAME})
        etag = etag_of(Policy())

        def update(number: int) -> PolicyUpdate:
            return PolicyUpdate(shifted(number), "", dict.fromkeys(NAMES, etag), f"u{number}", "trader", False)

        answers = await asyncio.gather(
            *(policies.update(update(number)) for number in range(1, 6)), return_exceptions=True
        )
        assert sum(isinstance(each, EtagMismatch) for each in answers) == 4
        assert len({found.floor.table(name).policy for name in NAMES}) == 1
        assert [len(ids) for ids in changed(found)] == [1, 1, 1]

    tell(story, tmp_path)


def test_a_failed_commit_changes_no_table_and_may_be_told_again(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        await open_all(found)
        wanted = change("u", PolicyChanged(shifted(1), ""), NAMES)
        found.journal.fail()
        with pytest.raises(JournalUnavailable):
            await found.floor.joint.change(wanted)
        assert {found.floor.table(name).policy for name in NAMES} == {Policy()}
        found.journal.work()
        await found.recovered()
        assert changed(found) == [[], [], []]
        assert [each.duplicate for each in await found.floor.joint.change(wanted)] == [False] * 3
        with pytest.raises(EventIdReused):
            await found.floor.joint.change(change("u", PolicyChanged(shifted(2), ""), NAMES))
        await found.create("w")
        with pytest.raises(EventIdReused):  # it was for three tables
            await found.floor.joint.change(change("u", PolicyChanged(shifted(1), ""), [*NAMES, "w"]))

    tell(story, tmp_path)


def test_a_lost_answer_is_found(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        await open_all(found)
        wanted = change("u", PolicyChanged(shifted(1), ""), NAMES)
        found.journal.lose_answers()
        with pytest.raises(JournalUnavailable):
            await found.floor.joint.change(wanted)
        found.journal.work()
        await found.recovered()
        assert {found.floor.table(name).policy for name in NAMES} == {shifted(1)}
        assert [each.duplicate for each in await found.floor.joint.change(wanted)] == [True] * 3
        assert changed(found) == [["u"]] * 3

    tell(story, tmp_path)


def test_what_one_table_refuses_happens_at_none_unless_it_is_left_out(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        await open_all(found)
        hold = HoldPlaced(HoldOwner.TRADER, "LOOK")
        await found.floor.joint.change(change("one", hold, ["u"]))
        for wanted in (change("two", hold, NAMES), change("two", hold, NAMES, skips=True), change("two", hold, None)):
            with pytest.raises(Forbidden, match="table u: "):
                await found.floor.joint.change(wanted)
        receipts = await found.floor.joint.change(change("all", hold, None, skips=True))
        assert [each.table for each in receipts] == ["t", "v"]

    tell(story, tmp_path)


def test_a_price_that_changes_by_itself_holds_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(found: Hall) -> None:
        await found.say(events.GameOpened())
        await found.say(events.Notice(events.NoticeKind.BREAK, ""))
        assert found.floor.table("t").holds == ()

        def broken(*state: Any) -> Quote:
            quote = whole(*state)
            return quote._replace(bets=(quote.bets[0]._replace(odds="9.99"), *quote.bets[1:]))

        monkeypatch.setattr("pricing.service.floor.guard.quote", broken)
        await found.say(events.Notice(events.NoticeKind.BREAK, ""))
        await eventually(lambda: found.floor.table("t").holds)
        assert [(hold.owner, hold.reason) for hold in found.floor.table("t").holds] == [("SYSTEM", "PRICE_ERROR")]
        assert found.floor.table("t").offering is None
        await found.say(events.Resumed())  # the studio has looked, but the engine is as broken as before
        await eventually(lambda: found.floor.table("t").holds)
        monkeypatch.undo()
        await found.say(events.Resumed())
        assert found.floor.table("t").offering

    tell(story, tmp_path)


def test_cards_burns_and_policies_may_change_prices(tmp_path: Path) -> None:
    async def story(found: Hall) -> None:
        wrong: list[str] = []
        watching = PriceGuard(wrong.append)
        seen: set[str] = set()

        def look(table: Table) -> None:
            watching.look(table)
            image = table_message(table, "epoch")
            seen.update(bet.odds for each in image.game.rounds[:1] for bet in each.bets if bet.bet == "tie")

        await found.say(events.GameOpened())
        for number in range(6):
            look(found.floor.table("t"))
            if number % 2:
                await found.say(*(events.CardBurned(36) for _ in range(3)))
            else:
                await found.floor.joint.change(change(f"p{number}", PolicyChanged(shifted(number * 10), ""), ["t"]))
        assert wrong == []
        assert len(seen) > 3

    tell(story, tmp_path)


KILLED = """
import asyncio, sys
from pathlib import Path
from service.floors import hall
from service.floor.test_joint import NAMES, change, open_all, shifted
from pricing.table.events import PolicyChanged

async def run():
    async with hall(Path(sys.argv[1])) as found:
        await found.create()
        await open_all(found)
        print("ready", flush=True)
        number = 0
        while True:
            number += 1
            await found.floor.joint.change(change(f"u{number}", PolicyChanged(shifted(number % 9), ""), NAMES))
            print(number, flush=True)

asyncio.run(run())
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_process_that_is_killed_leaves_all_or_none(tmp_path: Path, seed: int) -> None:
    wait = random.Random(seed).uniform(0.05, 0.3)
    tests = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path], cwd=tests, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    told = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    with open_reader(tmp_path / "data") as journal:
        rows: list[list[Row]] = [list(journal.read(name)) for name in NAMES]
    ids = [[row.event_id for row in each if row.kind == "policy_changed"] for each in rows]
    assert ids[0] == ids[1] == ids[2]
    assert len(ids[0]) >= len(told) > 0

    async def again() -> None:
        async with hall(tmp_path) as found:
            assert len({found.floor.table(name).policy for name in NAMES}) == 1

    asyncio.run(again())
