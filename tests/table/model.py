"""A plain model of a table, from the rules of the house: dicts and lists, and no line of the package but its events.

Slow and blunt on purpose: the shoe is a list of what has left it, holds are a set, what stands is found by looking.
"""

from collections import Counter
from typing import Any

import oracle

from pricing.domain.coup import Side
from pricing.domain.policy import Policy
from pricing.table import events as ev
from pricing.table.events import HoldOwner

Shoe = dict[str, Any]
Game = dict[str, Any]
Hold = tuple[str, str, str | None]
RESUMABLE: set[Hold] = {
    ("SYSTEM", reason, None) for reason in ("SOURCE_GAP", "REFUSED_EVENT", "RESTART", "INTERNAL_ERROR", "PRICE_ERROR")
}


def total(hand: list[int]) -> int:
    return sum(map(oracle.points, hand)) % 10


def hands(cards: list[int]) -> tuple[list[int], list[int]]:
    """Whose cards are whose."""
    player, banker = cards[0:4:2], cards[1:4:2]
    for card in cards[4:]:
        (player if len(player) == 2 and oracle.player_draws(total(player)) else banker).append(card)
    return player, banker


def next_side(cards: list[int]) -> Side | None:
    if len(cards) < 4:
        return Side.BANKER if len(cards) % 2 else Side.PLAYER
    player, banker = hands(cards)
    if oracle.is_natural(total(player[:2])) or oracle.is_natural(total(banker[:2])):
        return None
    if len(player) == 2 and oracle.player_draws(total(player)):
        return Side.PLAYER
    third = oracle.points(player[2]) if len(player) == 3 else None
    return Side.BANKER if len(banker) == 2 and oracle.banker_draws(total(banker), third) else None


def is_coup(cards: list[int]) -> bool:
    """Whether these are all the cards of a coup and no more."""
    stages = [next_side(cards[:count]) for count in range(len(cards) + 1)]
    return stages[-1] is None and None not in stages[:-1]


def winner(cards: list[int]) -> tuple[str, int, int]:
    player, banker = map(total, hands(cards))
    return ("tie" if player == banker else "player" if player > banker else "banker"), player, banker


def results(cards: list[int], bets: list[str]) -> list[str]:
    by_bet = oracle.bets(oracle.count([8] * 52, cards)[1])
    names = {(1, 0): "WON", (0, 1): "PUSH", (0, 0): "LOST"}
    return [names[by_bet[bet]] for bet in bets]


class Model:
    def __init__(self, rounds: list[int], below: int, games_after: int, bets: list[str], time: int) -> None:
        self.stages, self.below, self.games_after, self.bets = rounds, below, games_after, bets
        self.position, self.time, self.card_state = 1, time, 0
        self.source: int | None = None
        self.closed = False
        self.holds: set[Hold] = set()
        """Whose, why, and of which bet, None for the table."""
        self.policy = Policy()
        self.shoe: Shoe | None = None
        self.shoes = 0
        self.games: list[Game] = []
        self.early: dict[str, int] | None = None

    # What there is

    @property
    def game(self) -> Game | None:
        return self.games[-1] if self.games else None

    @property
    def running(self) -> Game | None:
        return self.game if self.game and self.game["phase"] == "OPEN" else None

    @property
    def between_games(self) -> bool:
        return self.game is None or self.game["phase"] in ("CONFIRMED", "VOID")

    def counts(self) -> list[int]:
        assert self.shoe
        counts = list(self.shoe["base"])
        for card in self.shoe["gone"]:
            counts[card] -= 1
        return counts

    def left(self) -> int:
        assert self.shoe
        return sum(self.counts()) - int(self.shoe["unseen"]) - int(self.shoe["unread"])

    def possible(self) -> bool:
        return min(self.counts()) >= 0 and self.left() >= 0

    def priceable(self, game: Game) -> bool:
        assert self.shoe
        return self.shoe["stage"] != "RETIRED" and self.possible() and self.left() >= 6 - len(game["cards"])

    def open_round(self) -> dict[str, Any] | None:
        rounds = self.running["rounds"] if self.running else []
        return next((each for each in rounds if each["phase"] == "OPEN"), None)

    def find(self, number: int) -> Game | None:
        """By number, 0 for the last; only the hundred before it are still known."""
        if number == 0:
            return self.game
        return next((each for each in self.games[-101:] if each["number"] == number), None)

    # What may happen

    def may(self, event: ev.Event, named: list[int]) -> bool:  # noqa: PLR0911, PLR0912 - a kind each
        """Whether the table takes an event; games are named by number."""
        shoe, game = self.shoe, self.running
        match event:
            case ev.TableCreated():
                return False
            case ev.TableClosed():
                return self.between_games
            case ev.ShoeLoaded():
                return self.between_games or (game is not None and not self.possible())
            case ev.GameOpened():
                over = shoe is None or shoe["stage"] == "RETIRED" or not self.possible() or self.left() < 6
                last = shoe is not None and shoe["stage"] == "LAST_GAME" and shoe["games_left"] == 0
                return self.between_games and not over and not last
            case ev.BettingClosed(number):
                begun = [each["number"] for each in game["rounds"] if each["opened"] is not None] if game else []
                return bool(begun) and number in (None, begun[-1])
            case ev.WindowEnded(_, number):
                open_round = self.open_round()
                return open_round is not None and (named, number) == ([len(self.games)], open_round["number"])
            case ev.CardDealt(_, side):
                return game is not None and self.early is None and side in (None, next_side(game["cards"]))
            case ev.CardBurned():
                return shoe is not None and self.early is None
            case ev.BurnIdentified():
                return shoe is not None and shoe["unread"] > 0
            case ev.EarlyCardResolved():
                return self.early is not None
            case ev.CutCardSeen():
                return shoe is not None
            case ev.ScanCorrected():
                last = shoe["last"] if shoe else None
                if last is None or last["where"] != "COUP":
                    return last is not None
                return not self.between_games and last["game"] is self.game
            case ev.ResultAnnounced():
                return self.game is not None and self.game["phase"] == "ENDED"
            case ev.HoldPlaced(owner, reason, bet):
                return (owner.value, reason, bet) not in self.holds and bet in (None, *self.bets)
            case ev.HoldLifted(owner, reason, bet):
                return (owner.value, reason, bet) in self.holds
            case ev.PolicyChanged(policy):
                return self.fits(policy)
            case ev.GamesVoided() | ev.GameResettled() | ev.BetsCancelled() | ev.CompositionCorrected():
                return self.may_repair(event, named)
        return True

    def fits(self, policy: Policy) -> bool:
        """Whether there are all rounds and bets that it names."""
        rounds = [None, *range(1, len(self.stages) + 1)]
        return all(rule.round in rounds and rule.bet in (None, *self.bets) for rule in policy.rules)

    def may_repair(self, event: ev.Event, named: list[int]) -> bool:
        games = [self.find(number) for number in named or [0]]
        phases = [game["phase"] if game else "" for game in games]
        match event:
            case ev.GamesVoided():
                numbers = [game["number"] for game in games if game]
                return len(set(numbers)) == len(games) and "VOID" not in phases
            case ev.GameResettled(_, dealt):
                return phases[0] in ("ENDED", "CONFIRMED") and is_coup(list(dealt))
            case ev.BetsCancelled(_, number, bet, start, end):
                rounds = games[0]["rounds"] if games[0] else []
                begun = [each["number"] for each in rounds if each["opened"] is not None]
                span = start is None or end is None or start < end
                return phases[0] != "VOID" and number in begun and bet in (None, *self.bets) and span
            case ev.CompositionCorrected(remaining, unseen):
                last, shoe = self.game, self.shoe
                after = last is not None and shoe is not None and last["phase"] == "VOID" and last["shoe"] == self.shoes
                return after and shoe is not None and max(remaining) <= shoe["decks"] and unseen <= sum(remaining)
        raise AssertionError(event)

    # What does happen

    def tell(
        self, event: ev.Event, named: list[int], *, studio: bool, number: int | None, seen: int | None, now: int
    ) -> bool:
        """Whether the event was taken; what nobody but the studio may not do leaves no trace."""
        anew = isinstance(event, ev.Resumed)
        late = studio and not anew and number is not None and self.source is not None and number <= self.source
        taken = not self.closed and not late and self.may(event, named)
        if not taken and not studio:
            return False
        self.position += 1
        now = self.time = max(self.time, now)
        if self.closed:
            return False
        if studio and anew and number is not None:
            self.source = number
        elif studio and number is not None:
            if self.source is not None and number > self.source + 1:
                self.holds.add(("SYSTEM", "SOURCE_GAP", None))
            if self.source is not None and number == self.source + 1 and taken:
                self.holds.discard(("SYSTEM", "RESTART", None))
            self.source = number if self.source is None else max(self.source, number)
        if not taken:
            self.holds.add(("SYSTEM", "REFUSED_EVENT", None))
            return False
        self.happen(event, named, now if seen is None else min(seen, now), now)
        self.consequences()
        return True

    def happen(self, event: ev.Event, named: list[int], seen: int, now: int) -> None:  # noqa: PLR0912 - a kind each
        match event:
            case ev.TableClosed():
                self.closed = True
            case ev.ShoeLoaded(_, decks):
                self.load(decks, now)
            case ev.GameOpened():
                self.open(now)
            case ev.BettingClosed() | ev.WindowEnded():
                self.close_round(now)
            case ev.Restarted():
                self.close_round(now)
                self.holds.add(("SYSTEM", "RESTART", None))
            case ev.CardDealt(card):
                self.deal(card, seen, now)
            case ev.CardBurned(card):
                self.leave(card, "DISCARDS", now)
            case ev.BurnIdentified(card):
                self.identify(card, now)
            case ev.EarlyCardResolved(was_dealt):
                self.resolve(was_dealt, now)
            case ev.CutCardSeen():
                self.last_game()
            case ev.ScanCorrected(card):
                self.correct(card, now)
            case ev.ResultAnnounced(side, player, banker):
                self.announce([side, player, banker])
            case ev.GamesVoided(_, reason):
                self.void([self.known(number) for number in named or [0]], reason.value, now)
            case ev.GameResettled(_, dealt):
                self.resettle(self.known((named or [0])[0]), list(dealt))
            case ev.BetsCancelled(_, number, bet, start, end, reason):
                self.cancel(self.known((named or [0])[0]), (number, bet, start, end, reason.value), now)
            case ev.CompositionCorrected(remaining, unseen):
                assert self.shoe
                self.shoe |= {"base": list(remaining), "gone": [], "unseen": unseen, "unread": 0, "last": None}
                self.shoe["counted"] = len(self.games)
                self.card_state += 1
                self.near_end()
            case ev.HoldPlaced(owner, reason, bet):
                self.holds.add((owner.value, reason, bet))
            case ev.HoldLifted(owner, reason, bet):
                self.holds.remove((owner.value, reason, bet))
            case ev.PolicyChanged(policy):
                self.policy = policy
            case ev.Resumed():
                self.holds -= RESUMABLE
            case ev.Notice():
                pass
            case _:
                raise AssertionError(event)

    def consequences(self) -> None:
        """Holds that last as long as their cause, and the rounds whose prices the last card went into."""
        shoe, game = self.shoe, self.game
        causes = {
            "EARLY_CARD": self.early is not None,
            "UNREAD_CARD": shoe is not None and shoe["unread"] > 0,
            "SHOE_UNTRUSTED": shoe is not None and not self.possible(),
            "RESULT_MISMATCH": game is not None and game["disputed"],
        }
        for reason, there in causes.items():
            (self.holds.add if there else self.holds.discard)((HoldOwner.SYSTEM.value, reason, None))
        if game and shoe and self.early is None and (open_round := self.open_round()) and self.priceable(game):
            open_round["policy"] = self.policy
            if shoe["last"]:
                shoe["last"]["rounds"].append((game["number"], open_round))

    def known(self, number: int) -> Game:
        game = self.find(number)
        assert game
        return game

    def load(self, decks: int, now: int) -> None:
        if self.running:
            self.void([self.running], "SHOE_UNTRUSTED", now)
        self.shoes += 1
        self.shoe = {"decks": decks, "base": [decks] * 52, "gone": [], "drawn": 0, "unseen": 0, "unread": 0}
        self.shoe |= {"stage": "ACTIVE", "games_left": 0, "last": None, "counted": 0}
        self.card_state += 1
        self.near_end()

    def open(self, now: int) -> None:
        assert self.shoe
        if self.shoe["stage"] == "LAST_GAME":
            self.shoe["games_left"] -= 1
        rounds = [
            {"number": number, "phase": "PENDING", "opened": None, "closed": None, "policy": Policy()}
            for number in range(1, len(self.stages) + 1)
        ]
        game = {"number": len(self.games) + 1, "shoe": self.shoes, "cards": [], "rounds": rounds, "phase": "OPEN"}
        self.games.append(game | {"said": [], "cut": [], "disputed": False})
        self.go_on(now)

    def go_on(self, now: int) -> None:
        """The round of so many cards opens, or the coup is over."""
        game = self.games[-1]
        if next_side(game["cards"]) is None:
            self.close_round(now)
            for each in game["rounds"]:
                if each["phase"] == "PENDING":
                    each["phase"] = "SKIPPED"
            game["phase"] = "ENDED"
            game["said"].append(("SETTLED", results(game["cards"], self.bets), ""))
            return
        for stage, each in zip(self.stages, game["rounds"], strict=True):
            if stage == len(game["cards"]) and each["phase"] == "PENDING":
                each["phase"] = "OPEN" if self.priceable(game) else "SKIPPED"
                each["opened"] = now if each["phase"] == "OPEN" else None

    def close_round(self, now: int) -> None:
        if each := self.open_round():
            each |= {"phase": "CLOSED", "closed": now}

    def leave(self, card: int | None, where: str, now: int) -> None:
        assert self.shoe
        self.shoe["drawn"] += 1
        self.card_state += 1
        if card is None:
            self.shoe |= {"unread": self.shoe["unread"] + 1, "last": None}
        else:
            self.shoe["gone"].append(card)
            self.shoe["last"] = {"card": card, "where": where, "since": now, "rounds": [], "game": self.game}
        self.near_end()

    def deal(self, card: int, seen: int, now: int) -> None:
        if each := self.open_round():
            self.leave(card, "EARLY", now)
            self.early = {"card": card, "round": each["number"], "time": max(seen, each["opened"])}
        else:
            self.leave(card, "COUP", now)
            self.games[-1]["cards"].append(card)
            self.go_on(now)

    def resolve(self, was_dealt: bool, now: int) -> None:
        assert self.shoe
        assert self.early
        early, self.early = self.early, None
        self.card_state += 1
        self.shoe["last"] |= {"where": "COUP" if was_dealt else "DISCARDS", "since": now, "rounds": []}
        if was_dealt:
            self.close_round(now)
            self.games[-1]["cut"].append((early["round"], None, early["time"], None, "LATE_BETS"))
            self.games[-1]["cards"].append(early["card"])
            self.go_on(now)

    def identify(self, card: int | None, now: int) -> None:
        assert self.shoe
        self.shoe["unread"] -= 1
        self.card_state += 1
        if card is None:
            self.shoe["unseen"] += 1
        else:
            self.shoe["gone"].append(card)
            found = {"card": card, "where": "DISCARDS", "since": now, "rounds": [], "game": self.game}
            self.shoe["last"] = self.shoe["last"] or found

    def correct(self, card: int, now: int) -> None:
        assert self.shoe
        last, game = self.shoe["last"], self.game
        self.card_state += 1
        if card == last["card"]:
            return
        self.shoe["gone"].remove(last["card"])
        self.shoe["gone"].append(card)
        if self.early:
            self.early["card"] = card
        if game and not self.between_games:
            seen = {each["number"]: each for number, each in last["rounds"] if number == game["number"]}
            for number in sorted(seen):
                start = max(seen[number]["opened"], last["since"])
                game["cut"].append((number, None, start, now, "INCORRECT_ODDS"))
        last |= {"card": card, "since": now, "rounds": []}
        if game and last["where"] == "COUP":
            self.take_back(game)
            game |= {"phase": "OPEN", "cards": [*game["cards"][:-1], card], "disputed": False}
            for stage, each in zip(self.stages, game["rounds"], strict=True):
                if each["phase"] == "SKIPPED" and stage >= len(game["cards"]):
                    each["phase"] = "PENDING"
            self.go_on(now)

    def announce(self, said: list[Any]) -> None:
        game = self.games[-1]
        agrees = all(theirs in (None, ours) for theirs, ours in zip(said, winner(game["cards"]), strict=True))
        game |= {"disputed": not agrees, "phase": "CONFIRMED" if agrees else "ENDED"}
        if agrees:
            self.retire_after(game)

    def void(self, games: list[Game], reason: str, now: int) -> None:
        for game in games:
            if game is self.running:
                self.early = None
            self.take_back(game)
            game["said"].append(("VOIDED", ["VOID"] * len(self.bets), reason))
            for each in game["rounds"]:
                if each["phase"] == "OPEN":
                    each["closed"] = now
                each["phase"] = "CANCELLED" if each["opened"] is not None else "SKIPPED"
            game |= {"phase": "VOID", "disputed": False}
            if game is self.game and self.shoe:
                self.retire_after(game)
            last = self.shoe["last"] if self.shoe else None
            if last and last["where"] != "DISCARDS" and last["game"] is game:
                last |= {"where": "DISCARDS", "since": now, "rounds": []}
        if reason == "BAD_SHUFFLE" and self.shoe and self.shoes in [game["shoe"] for game in games]:
            self.shoe["stage"] = "RETIRED"

    def take_back(self, game: Game) -> None:
        if game["said"] and game["said"][-1][1]:
            game["said"].append(("ROLLED_BACK", [], ""))

    def resettle(self, game: Game, cards: list[int]) -> None:
        self.take_back(game)
        game["said"].append(("SETTLED", results(cards, self.bets), ""))
        old, game["cards"], game["disputed"] = game["cards"], cards, False
        if self.shoe is None or game["shoe"] != self.shoes:
            return
        last = self.shoe["last"]
        if last and last["where"] == "COUP" and last["game"] is game:
            self.shoe["last"] = None
        if game["number"] <= self.shoe["counted"]:
            return
        for card in old:
            self.shoe["gone"].remove(card)
        self.shoe["gone"] += cards
        self.card_state += Counter(old) != Counter(cards)
        self.near_end()

    def cancel(self, game: Game, cut: tuple[Any, ...], now: int) -> None:
        game["cut"].append(cut)
        for each in game["rounds"]:
            if cut[1:4] == (None, None, None) and each["number"] == cut[0]:
                if each["phase"] == "OPEN":
                    each["closed"] = now
                each["phase"] = "CANCELLED"

    def near_end(self) -> None:
        if self.left() < self.below:
            self.last_game()

    def last_game(self) -> None:
        assert self.shoe
        if self.shoe["stage"] == "ACTIVE":
            self.shoe |= {"stage": "LAST_GAME", "games_left": self.games_after}

    def retire_after(self, game: Game) -> None:
        shoe = self.shoe
        if shoe and game["shoe"] == self.shoes and shoe["stage"] == "LAST_GAME" and shoe["games_left"] == 0:
            shoe["stage"] = "RETIRED"
