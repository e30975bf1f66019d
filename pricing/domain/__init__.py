"""Values and rules of the game: cards, shoe, drawing rules, coup, bets, game type, ladder. Standard library only."""
