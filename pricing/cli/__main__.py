"""``python -m pricing.cli``: the same as ``baccarat-pricing``."""

from pricing.cli.main import run

run()
