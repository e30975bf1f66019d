"""What was: games, statistics, and what prices were made of."""
