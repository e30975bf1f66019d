"""The drawing rules, as data. This is the only place in the product that states them."""

from dataclasses import dataclass


def _span(first: int, last: int) -> frozenset[int]:
    return frozenset(range(first, last + 1))


@dataclass(frozen=True, slots=True)
class DrawingRules:
    """When a coup ends and who draws a third card, by two-card totals."""

    naturals: frozenset[int]
    """Totals of either side that end the coup at four cards, whatever else holds."""
    player_draws: frozenset[int]
    """Player totals that draw."""
    banker_draws_after_stand: frozenset[int]
    """Banker totals that draw when Player stood."""
    banker_draws_on: tuple[frozenset[int], ...]
    """For each Banker total 0 to 9, the points of Player's third card on which Banker draws."""

    def banker_draws(self, banker_total: int, player_third: int | None) -> bool:
        """Whether Banker draws; ``player_third`` is None when Player stood, as 0 is a card's worth."""
        if player_third is None:
            return banker_total in self.banker_draws_after_stand
        return player_third in self.banker_draws_on[banker_total]

    def masks(self) -> tuple[int, ...]:
        """The rules as thirteen bit masks over totals, the form the kernel reads.

        In order: naturals, Player draws, Banker draws when Player stood, then for each worth 0 to 9 of Player's third
        card the Banker totals that draw.
        """
        after = ({total for total in range(10) if third in self.banker_draws_on[total]} for third in range(10))
        sets = (self.naturals, self.player_draws, self.banker_draws_after_stand, *after)
        return tuple(sum(1 << total for total in totals) for totals in sets)


STANDARD = DrawingRules(
    naturals=_span(8, 9),
    player_draws=_span(0, 5),
    banker_draws_after_stand=_span(0, 5),
    banker_draws_on=(
        _span(0, 9),
        _span(0, 9),
        _span(0, 9),
        _span(0, 9) - {8},
        _span(2, 7),
        _span(4, 7),
        _span(6, 7),
        frozenset(),
        frozenset(),
        frozenset(),
    ),
)
"""The rules of Punto Banco the world over, which Bet On Baccarat shares."""
