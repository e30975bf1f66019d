"""The entry of the command line: its commands, and what becomes of errors."""

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from typing import Final, NoReturn

import click

from pricing.cli.flags import describe
from pricing.domain.errors import PricingError

NAME: Final = "baccarat-pricing"

FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130

_COMMANDS: Final = {
    "demo": ("pricing.cli.demo:demo", "Watch the odds of some coups move, dealt against a server of its own."),
    "explain": ("pricing.cli.explain:explain", "Explain a price that a server offered."),
    "games": ("pricing.cli.games:games", "List or show games that were played at a table."),
    "health": ("pricing.cli.health:health", "Ask a server whether it serves."),
    "hold": ("pricing.cli.hold:hold", "Hold tables, or a bet at them, as a trader."),
    "journal": ("pricing.cli.journal:command", "Verify, copy or export the journal of a server."),
    "policy": ("pricing.cli.policy:policy", "Show or change margins, limits and closed bets of tables."),
    "price": ("pricing.cli.price:price", "Price every bet in one state of a coup."),
    "record": ("pricing.cli.record:record", "Send events of tables to a server."),
    "roads": ("pricing.cli.roads:roads", "Draw the roads of a shoe."),
    "replay": ("pricing.cli.replay:replay", "Price and settle the shoes of an archive, and report on the odds."),
    "serve": ("pricing.cli.serve:serve", "Serve prices over gRPC."),
    "simulate": ("pricing.cli.simulate:simulate", "Deal simulated shoes into a file."),
    "tables": ("pricing.cli.tables:tables", "List the tables of a server."),
    "token": ("pricing.cli.token:token", "Make the token by which a server knows a caller."),
    "watch": ("pricing.cli.watch:watch", "Follow tables of a server and what they offer."),
}
"""Each command: where it is, and a line about it. Imported when it is called, so that `price` starts without gRPC."""


class _Commands(click.Group):
    """The commands, each imported when it is first needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"command: got {args[0]!r}; allowed: one of {', '.join(sorted(_COMMANDS))}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(_COMMANDS.items())])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version(NAME), prog_name=NAME, message="%(prog)s %(version)s")
def group() -> None:
    """Exact chances and odds for every state of a baccarat coup."""


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    0 is success; what the caller got wrong is one line on stderr and 2; what failed for another reason, such as a
    server that cannot be reached, is one line and 1; Ctrl-C is 130. A reader that closes the pipe ends it quietly.

    Args:
        arguments: What follows the program's name; taken from the process by default.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what matters of its log is in the errors that it raises
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        code = group.main(arguments, prog_name=NAME, standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        code = INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.UsageError as error:
        code = _fail(error.format_message(), WRONG_USE)
    except PricingError as error:
        code = _fail(describe(error.field, error.description), WRONG_USE)
    except click.ClickException as error:
        code = _fail(error.format_message(), FAILED)
    except OSError as error:
        code = FAILED if error.errno == errno.EPIPE else _fail(str(error), FAILED)
    _leave(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> int:
    """Say in one line what is wrong."""
    click.echo(f"{NAME}: error: {' '.join(message.split())}", err=True)
    return code


def _leave(code: int) -> NoReturn:
    """Exit; what is still buffered for a reader that is gone is dropped without a word."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
