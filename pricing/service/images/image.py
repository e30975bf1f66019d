"""Whole images of tables: what stands, and what is offered. Made of the state alone: two of one state agree."""

from collections.abc import Iterable

from pricing.baccarat.v1 import tables_pb2 as pb
from pricing.baccarat.v1 import types_pb2
from pricing.domain.bets import Result
from pricing.domain.cards import CARDS
from pricing.domain.coup import Side
from pricing.engine.books import book_quotes
from pricing.engine.quote import Quote
from pricing.engine.terms import round_terms
from pricing.service.images.offered import round_quote
from pricing.service.messages.convert import bet_message
from pricing.service.messages.policy_messages import limit_messages
from pricing.service.messages.times import time_message
from pricing.table.events import HoldOwner
from pricing.table.state import BettingRound, Game, Hold, Table, TableShoe


def table_message(
    table: Table, epoch: str, outage: int | None = None, *, prices: bool = True, offers: bool = True
) -> pb.Table:
    """A table as a message.

    Args:
        table: The table.
        epoch: Of the journal.
        outage: Since when nothing can be written down, in microseconds since 1970 UTC, if so: the table is held.
        prices: Whether to list the bets of each round, and what was said of them.
        offers: Whether what is offered is; in an image of what was, it no longer is.
    """
    held = outage is not None or not offers
    holds = list(table.holds)
    if outage is not None and not table.closed:
        holds.append(Hold(HoldOwner.SYSTEM, "JOURNAL_UNAVAILABLE", outage))
    state = "CLOSED" if table.closed else "HELD" if table.held or outage is not None else "OPEN"
    return pb.Table(
        table=table.name,
        game_type=table.game_type.name,
        test=table.test,
        state=pb.TableState.Value(f"TABLE_STATE_{state}"),
        position=table.position,
        card_state=table.card_state,
        source_number=table.source_number,
        holds=[_hold_message(hold) for hold in holds],
        shoe=_shoe_message(table.shoe) if table.shoe else None,
        game=game_message(table, table.game, held=held, prices=prices) if table.game else None,
        notice=_notice_message(table),
        round_windows_ms=table.windows_ms,
        epoch=epoch,
    )


def _hold_message(hold: Hold) -> pb.Hold:
    owner = pb.HoldOwner.Value(f"HOLD_OWNER_{hold.owner}")
    return pb.Hold(owner=owner, reason=hold.reason, since=time_message(hold.since), bet=hold.bet)


def _notice_message(table: Table) -> pb.Notice | None:
    if table.notice is None:
        return None
    kind, text = table.notice
    return pb.Notice(kind=pb.NoticeKind.Value(f"NOTICE_KIND_{kind}"), text=text)


def _shoe_message(shoe: TableShoe) -> pb.TableShoe:
    return pb.TableShoe(
        number=shoe.number,
        decks=shoe.decks,
        state=pb.ShoeState.Value(f"SHOE_STATE_{shoe.phase}"),
        drawn=shoe.drawn,
        cards_remaining=shoe.left,
        remaining=[
            types_pb2.CardCount(card=CARDS[card], count=count) for card, count in enumerate(shoe.counts) if count
        ],
        unseen_removed=shoe.unseen_removed,
        unread=shoe.unread,
    )


def game_message(table: Table, game: Game, *, held: bool = False, prices: bool = True) -> pb.Game:
    """A game of a table as a message; one of the past has no offers any more."""
    coup = game.coup
    return pb.Game(
        game=game.reference,
        shoe_number=game.shoe,
        state=pb.GameState.Value(f"GAME_STATE_{game.phase}"),
        open_time=time_message(game.open_time),
        dealt=[CARDS[card] for card in game.dealt],
        next_card=coup.next_side,  # type: ignore[arg-type]  # the domain's numbers are the contract's
        player_total=coup.total(Side.PLAYER),
        banker_total=coup.total(Side.BANKER),
        rounds=[_round_message(table, game, each, held=held, prices=prices) for each in game.rounds],
        results=_results(game, game.results),
        outcomes=[
            pb.Outcome(
                kind=pb.OutcomeKind.Value(f"OUTCOME_KIND_{each.kind}"),
                position=each.position,
                results=_results(game, each.results),
                reason=each.reason,
            )
            for each in (game.outcomes if prices else ())
        ],
        cancellations=[
            pb.Cancellation(
                round=each.round,
                bet=each.bet,
                from_time=time_message(each.from_time),
                to_time=time_message(each.to_time),
                reason=pb.CancelReason.Value(f"CANCEL_REASON_{each.reason}"),
                position=each.position,
            )
            for each in (game.cancellations if prices else ())
        ],
        early_card=CARDS[table.early.card] if table.early and game is table.game else "",
    )


def _results(game: Game, results: Iterable[Result]) -> list[pb.BetOutcome]:
    return [
        pb.BetOutcome(bet=bet.id, result=result)  # type: ignore[arg-type]
        for bet, result in zip(game.game_type.bets, results, strict=False)
    ]


def _round_message(table: Table, game: Game, each: BettingRound, *, held: bool, prices: bool) -> pb.BettingRound:
    offer = round_quote(table, game, each, held=held) if prices else None
    terms = round_terms(game.game_type, each.policy, each.number).bets if offer else ()
    return pb.BettingRound(
        round=each.number,
        state=pb.RoundState.Value(f"ROUND_STATE_{each.phase}"),
        open_time=time_message(each.open_time),
        close_time=time_message(each.close_time),
        bets=[bet_message(bet) for bet in offer.bets] if offer else [],
        total_ways=offer.total_ways if offer else 0,
        policy_version=offer.policy_version if offer else "",
        limits=[pb.BetLimits(bet=bet.bet, limits=limit_messages(bet.limits)) for bet in terms if bet.limits],
        books=_books(game, each, offer) if offer else [],
    )


def _books(game: Game, each: BettingRound, offer: Quote) -> list[pb.BookImage]:
    return [
        pb.BookImage(
            book=book.book,
            model=book.margin.model,
            margin=float(book.margin.margin),
            overround=None if book.overround is None else float(book.overround),
        )
        for book in book_quotes(game.game_type, offer, each.policy)
    ]
