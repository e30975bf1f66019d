"""``baccarat-pricing serve``: settings from flags, environment, file and defaults, in this order, and the server."""

import os
import tomllib
from pathlib import Path
from typing import Any

import click

from pricing.service.kinds import Kind
from pricing.service.settings import PREFIX, Setting, Settings, declared


class _Text(click.ParamType[Any]):
    """A setting's kind, as click wants it."""

    def __init__(self, kind: Kind) -> None:
        self.name = self._metavar = kind.metavar
        self._kind = kind

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self._metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value  # a default, which is as it should be
        try:
            return self._kind.read(value)
        except ValueError as error:
            raise _wrong(param.name if param else None, value, str(error)) from None


def _wrong(name: str | None, given: object, allowed: str) -> click.UsageError:
    return click.UsageError(f"{(name or 'value').replace('_', '-')}: got {given!r}; allowed: {allowed}")


def _option(setting: Setting) -> click.Option:
    return click.Option(
        [setting.flag if setting.kind.metavar else f"{setting.flag}/--no-{setting.flag[2:]}"],
        type=_Text(setting.kind) if setting.kind.metavar else click.BOOL,
        envvar=setting.variable,
        default=setting.default,
        show_default=setting.shown or setting.kind.text(setting.default),
        help=setting.help,
    )


def _read_config(context: click.Context, _: click.Parameter, file: Path | None) -> Path | None:
    """Take what the file sets as the defaults of what flags and environment leave open."""
    if file is None:
        return None
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong("config", str(file), f"a TOML file that can be read ({error})") from None
    known = {setting.flag[2:]: setting for setting in declared()}
    context.default_map = {_known(known, key, file): _plain(key, value) for key, value in values.items()}
    return file


def _known(known: dict[str, Setting], key: str, file: Path) -> str:
    if key not in known:
        raise _wrong(str(file), key, "the names of the flags, without the dashes in front")
    return known[key].name


def _plain(key: str, value: object) -> str:
    """A value of the file as the text it would be on the command line."""
    if isinstance(value, dict) and all(isinstance(number, int) for number in value.values()):
        return ",".join(f"{name}={number}" for name, number in value.items())
    if not isinstance(value, str | int | float):
        raise _wrong(key, value, "a text, a number, true or false")
    return Kind.text(value)


_CONFIG = click.Option(
    ["--config"],
    type=click.Path(path_type=Path),
    is_eager=True,
    envvar=f"{PREFIX}CONFIG",
    callback=_read_config,
    help="TOML file with settings by the names of their flags; flags and environment go before it.",
)


def _serve(config: Path | None, **values: Any) -> None:
    settings = Settings(**values)
    # What the C core has to say comes back as errors; its own lines on stderr would be none of the log's form.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from pricing.service.server.process import run

    click.get_current_context().exit(run(settings, config))


serve = click.Command(
    "serve",
    params=[_CONFIG, *map(_option, declared())],
    callback=_serve,
    help="Serve prices over gRPC until told to stop. Each setting is also read from the environment and from a file.",
)
