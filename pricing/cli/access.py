"""The flags by which a server is reached, the same for every command that calls one."""

import re
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from pricing.cli.flags import finite

if TYPE_CHECKING:
    from pricing.client.calls import Access

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def _checked_address(_context: click.Context, option: click.Parameter, address: str | None) -> str | None:
    from pricing.service.kinds import split_address

    try:
        if address is not None:
            split_address(address)
    except ValueError as error:
        raise click.UsageError(f"{option.opts[0]}: got {address!r}; allowed: {error}") from None
    return address


_OPTIONS: Final = (
    click.option("--tls", is_flag=True, help="Talk TLS to the server."),
    click.option("--ca", type=_FILE, metavar="FILE", help="Certificates to check the server's by; implies --tls."),
    click.option("--cert", type=_FILE, metavar="FILE", help="Your own certificate, for a server that asks for it."),
    click.option("--key", type=_FILE, metavar="FILE", help="The key of your certificate."),
    click.option(
        "--token", envvar="BACCARAT_PRICING_TOKEN", show_envvar=True, metavar="TOKEN", help="Your token of the server."
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0, 3600, min_open=True),
        callback=finite,
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for the server.",
    ),
)


def server_options(
    *, help: str, default: str | None = None, flag: str = "--server"
) -> Callable[[_CommandT], _CommandT]:
    """Give a command the flags by which a server is reached: server, tls, ca, cert, key, token, timeout."""

    def decorate(command: _CommandT) -> _CommandT:
        for option in reversed(_OPTIONS):
            command = option(command)
        return click.option(
            flag,
            "server",
            metavar="HOST:PORT",
            callback=_checked_address,
            default=default,
            show_default=default is not None,
            envvar=None if default is None else "BACCARAT_PRICING_SERVER",
            show_envvar=default is not None,
            help=help,
        )(command)

    return decorate


def read_access(  # noqa: PLR0913 - the flags
    *, server: str, tls: bool, ca: Path | None, cert: Path | None, key: Path | None, token: str | None
) -> "Access":
    """How the flags say a server is reached, looked at before it is.

    Raises:
        click.UsageError: What gRPC would only fail with.
    """
    from pricing.client.calls import Access

    _check_credentials(ca, cert, key, token)
    tls = tls or ca is not None or cert is not None
    return Access(address=server, tls=tls, ca=ca, certificate=cert, key=key, token=token)


def refuse_without_server(context: click.Context, server: str = "--server") -> None:
    """Refuse flags that say how to reach a server where none is named by that flag."""
    for flag in ("tls", "ca", "cert", "key", "timeout", "token"):
        if context.get_parameter_source(flag) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{flag}: got it without {server}; allowed: only with {server}")


def _check_credentials(ca: Path | None, cert: Path | None, key: Path | None, token: str | None) -> None:
    """Refuse what gRPC would only fail with, and what is a secret not shown in the message."""
    context = ssl.create_default_context()
    try:
        if ca is not None:
            context.load_verify_locations(ca)
    except OSError:
        raise click.UsageError(f"--ca: got {str(ca)!r}; allowed: a file of certificates, PEM") from None
    try:
        if cert is not None or key is not None:
            context.load_cert_chain(cert or "", key or "", password="")
    except OSError:
        given = f"{cert and str(cert)!r} with --key {key and str(key)!r}"
        raise click.UsageError(f"--cert: got {given}; allowed: a certificate and its key, PEM") from None
    if token is not None and not re.fullmatch("[!-~]+", token):
        raise click.UsageError("--token: got something else; allowed: letters, digits and signs of ASCII")
