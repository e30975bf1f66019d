"""The drawing rules say what the rule book says."""

from itertools import product

import oracle

from pricing.domain.drawing import STANDARD


def test_every_cell_of_the_table() -> None:
    for total in range(10):
        assert (total in STANDARD.naturals) is oracle.is_natural(total)
        assert (total in STANDARD.player_draws) is oracle.player_draws(total)
    for total, third in product(range(10), (None, *range(10))):
        assert STANDARD.banker_draws(total, third) is oracle.banker_draws(total, third)


def test_bankers_five_is_not_inverted() -> None:
    """A rule book in circulation has Banker draw on 5 unless the third card is 4 to 7."""
    assert STANDARD.banker_draws_on[5] == {4, 5, 6, 7}
