"""``baccarat-pricing token``: makes the token of a caller."""

import click

from pricing.service.calls.tokens import entry, new_token
from pricing.service.roles import Role


@click.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.READER.value,
    show_default=True,
    help="What the caller may do.",
)
def token(name: str, role: str) -> None:
    """Make a token for the caller NAME.

    Prints the token, which nobody can print again, and the lines that make it known to a server: put them into the
    file that `serve --tokens` names.
    """
    made = new_token()
    lines = entry(name, Role(role), made)
    click.echo(f"{made}\n\n{lines}")
