"""The command line, ``baccarat-pricing``."""

from pricing.cli.main import run

__all__ = ["run"]
