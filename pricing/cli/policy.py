"""``baccarat-pricing policy``: what traders set over the game types of tables."""

import asyncio
import tomllib
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from pricing.cli.access import read_access, server_options
from pricing.domain.errors import InvalidPolicy
from pricing.domain.policy import Policy, PolicyRule
from pricing.domain.policy_text import from_plain, from_text, to_text

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.trading import TradingClient


class _Wish(NamedTuple):
    """What is asked for at the tables."""

    tables: tuple[str, ...]
    whole: Policy | None
    """In place of the policies that they have."""
    rule: PolicyRule
    """After the rules that they have."""
    check: bool
    comment: str
    update_id: str

    @property
    def changes(self) -> bool:
        return self.whole is not None or self.rule.sets_anything


@click.command()
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@click.option("--all", "everywhere", is_flag=True, help="All tables, for --set.")
@click.option(
    "--set", "file", type=click.File("r", encoding="utf-8"), help="Set the policy of this file, TOML or JSON."
)
@click.option("--bet", metavar="BET", help="The bet that the following are about; every bet if not given.")
@click.option("--round", "number", type=int, metavar="NUMBER", help="The same, the betting round.")
@click.option("--margin-shift", metavar="DECIMAL", help='Add to the margin, "0.01".')
@click.option("--close/--open", "closed", default=None, help="Do not offer it, or do again.")
@click.option("--check", is_flag=True, help="See whether that can be done, and change nothing.")
@click.option("--comment", default="", metavar="TEXT", help="Why, for those who read the journal.")
@click.option("--id", "update_id", metavar="ID", help="Makes a repeated call harmless; a new one if not given.")
@server_options(help="The server that keeps the tables.", default="127.0.0.1:50051")
def policy(  # noqa: PLR0913, PLR0917 - the flags
    tables: tuple[str, ...],
    everywhere: bool,
    file: TextIO | None,
    bet: str | None,
    number: int | None,
    margin_shift: str | None,
    closed: bool | None,
    check: bool,
    comment: str,
    update_id: str | None,
    timeout: float,
    **access: Any,
) -> None:
    """Show or change the policies of tables: margins, bets closed, limits.

    Prints the policy of each TABLE as JSON, a line each; with --check the one that it would get. --margin-shift,
    --close and --open add a rule to what each table has, which wins over earlier ones; --set replaces it. Nothing is
    changed where not all tables can be.
    """
    rule = PolicyRule(number, bet, _decimal(margin_shift), closed)
    if file and rule != PolicyRule():
        raise click.UsageError("--set: got it with parts of a rule; allowed: by itself, as it sets all rules")
    wish = _Wish(tables, policy_in(file) if file else None, rule, check, comment, update_id or str(uuid.uuid4()))
    if rule != PolicyRule() and not rule.sets_anything:
        raise click.UsageError("--bet, --round: got nothing to set; allowed: with --margin-shift, --close or --open")
    if everywhere == bool(tables) or (everywhere and wish.whole is None):
        raise click.UsageError("TABLE: got none, or --all beside; allowed: names of tables, or --all with --set")
    for line in asyncio.run(_policies(read_access(**access), timeout, wish)):
        click.echo(line)


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else from_plain({"rules": [{"margin_shift": text}]}).rules[0].margin_shift


def policy_in(file: TextIO) -> Policy:
    """The policy in a file of TOML or JSON.

    Raises:
        InvalidPolicy: What is wrong with it.
    """
    try:
        text = file.read().lstrip("\ufeff")
        if text.lstrip().startswith("{"):
            return from_text(text)
        values = tomllib.loads(text, parse_float=Decimal)
    except InvalidPolicy:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:  # also numbers and nesting beyond all bounds
        raise InvalidPolicy("policy", str(error), "TOML, or JSON, in UTF-8") from None
    if not values:
        raise InvalidPolicy("policy", "nothing", 'keys of a policy; "rules = []" sets nothing')
    return from_plain(values)


class _Change(NamedTuple):
    """A policy that some tables get."""

    policy: Policy
    etags: Mapping[str, str | None] | None
    """By table what its policy must still be; None for all tables."""


async def _policies(access: "Access", timeout: float, wish: _Wish) -> list[str]:
    """Change what is to be changed, and show what the tables have then, or would have."""
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.trading import trading_connected
    from pricing.service.messages.policy_messages import read_policy

    try:
        async with trading_connected(access, timeout=timeout) as client:
            names: Sequence[str] = wish.tables
            if wish.changes:
                changes = await _changes(client, wish)
                names, would_have = await _make(client, wish, changes)
                if wish.check:
                    return [f"{name}  would have  {to_text(would_have[name])}" for name in names]
            shown = [await client.policy(name) for name in names]
            return [f"{each.table}  {each.version or '-'}  {to_text(read_policy(each.policy))}" for each in shown]
    except CallFailed as failure:
        raise explain(failure, access.address) from None


async def _changes(client: "TradingClient", wish: _Wish) -> list[_Change]:
    """What is to be changed; tables that come to have the same policy, at once."""
    from pricing.service.messages.policy_messages import read_policy

    if wish.whole is not None:
        return [_Change(wish.whole, dict.fromkeys(wish.tables) if wish.tables else None)]
    found: dict[Policy, dict[str, str | None]] = {}
    for name in wish.tables:
        now = await client.policy(name)
        found.setdefault(read_policy(now.policy).with_rule(wish.rule), {})[name] = now.etag
    return [_Change(policy, etags) for policy, etags in found.items()]


async def _make(
    client: "TradingClient", wish: _Wish, changes: Sequence[_Change]
) -> tuple[Sequence[str], Mapping[str, Policy]]:
    """Make changes if all of them can be made: the tables, and what each has then."""
    from pricing.service.messages.policy_messages import policy_message

    after: dict[str, Policy] = {}
    for only_check in (True,) if wish.check else (True, False)[len(changes) == 1 :]:
        for policy, etags in changes:
            done = await client.update(
                policy_message(policy), etags, update_id=wish.update_id, comment=wish.comment, validate_only=only_check
            )
            after |= {each.table: policy for each in done.receipts}
    return wish.tables or list(after), after
