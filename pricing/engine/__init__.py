"""From counts of cards to prices: the compiled kernel's one caller, odds, quotes."""
