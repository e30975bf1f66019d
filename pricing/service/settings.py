"""Everything that may be set on a server. Each setting is declared once: name, kind, default and help."""

import ipaddress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from pricing.domain.errors import PricingError
from pricing.service import kinds

PREFIX = "BACCARAT_PRICING_"
"""What the environment's names start with."""
OFF = "off"


class InvalidSettings(PricingError):
    """A setting that cannot be used."""

    reason = "INVALID_SETTINGS"


class Setting(NamedTuple):
    """The declaration of one setting."""

    name: str
    kind: kinds.Kind
    default: Any
    help: str
    shown: str
    """The default in words, for one that differs from machine to machine."""

    @property
    def flag(self) -> str:
        """What it is called on the command line; without the dashes in front, in the file."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """What it is called in the environment."""
        return PREFIX + self.name.upper()


def _about(kind: kinds.Kind, help: str, shown: str = "") -> dict[str, Any]:
    return {"kind": kind, "help": help, "shown": shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force."""

    listen: str = field(
        default="127.0.0.1:50051",
        metadata=_about(kinds.ADDRESS, "Where gRPC is served, HOST:PORT; with port 0 on any that is free."),
    )
    http: str = field(
        default="127.0.0.1:9464",
        metadata=_about(kinds.OPTIONAL_ADDRESS, 'Where /metrics and /healthz are served over HTTP, or "off".'),
    )
    data: Path = field(
        default=platformdirs.user_data_path("baccarat-pricing"),
        metadata=_about(kinds.FOLDER_TO_BE, "Folder for what the server remembers.", "the user's data folder"),
    )
    games: Path | None = field(default=None, metadata=_about(kinds.FOLDER, "Folder with more game types, *.toml."))
    tls_cert: Path | None = field(
        default=None,
        metadata=_about(
            kinds.FILE, "Certificate chain of the server, PEM: turns TLS on. A changed file is taken up by itself."
        ),
    )
    tls_key: Path | None = field(default=None, metadata=_about(kinds.FILE, "Private key of that certificate, PEM."))
    tls_client_ca: Path | None = field(
        default=None,
        metadata=_about(
            kinds.FILE, "Certificates, PEM, of which one must have signed a caller's: turns mutual TLS on."
        ),
    )
    tokens: Path | None = field(
        default=None,
        metadata=_about(kinds.FILE, "Who may call, and in which role, TOML. A changed file is taken up by itself."),
    )
    allow_plaintext: bool = field(
        default=False,
        metadata=_about(kinds.SWITCH, "Serve others than this machine without TLS, as behind a proxy that ends it."),
    )
    reflection: bool = field(default=True, metadata=_about(kinds.SWITCH, "Tell callers the API by gRPC's reflection."))
    grace: float = field(
        default=20.0,
        metadata=_about(
            kinds.seconds(0, 3600), "Seconds that open calls have to finish in when the server is told to stop."
        ),
    )
    max_message: int = field(default=1 << 20, metadata=_about(kinds.whole(1024, 1 << 30), "Largest request, in bytes."))
    max_streams: int = field(
        default=1000, metadata=_about(kinds.whole(1, 1_000_000), "Most calls at one time on one connection.")
    )
    pending_soft: int = field(
        default=20_000,
        metadata=_about(
            kinds.whole(1, 10_000_000), "Calls waiting to be looked at, above which some are turned away unseen."
        ),
    )
    pending_hard: int = field(
        default=40_000, metadata=_about(kinds.whole(1, 10_000_000), "The same, above which all are.")
    )
    admission: kinds.Limits = field(
        default=(("BatchPrice", 16), ("Watch", 10_000), ("WatchTables", 10_000), ("*", 1000)),
        metadata=_about(
            kinds.LIMITS,
            "Most calls of a method at one time, METHOD=NUMBER,...; * is any not named. Others are refused at once.",
        ),
    )
    write_timeout: float = field(
        default=30.0,
        metadata=_about(
            kinds.seconds(0.01, 86_400), "Seconds after which a stream whose reader takes nothing more is ended."
        ),
    )
    feed_must_see: int = field(
        default=256,
        metadata=_about(
            kinds.whole(1, 1_000_000), "Most must-see images that wait for a subscriber, who is ended with more."
        ),
    )
    feed_batch: int = field(
        default=32,
        metadata=_about(
            kinds.whole(1, 1_000_000),
            "Most writes to subscribers under way at a time, so that others are served in between.",
        ),
    )
    feed_pause: float = field(
        default=0.0, metadata=_about(kinds.seconds(0, 10), "Seconds to wait before more are begun.")
    )
    metrics_tables: int = field(
        default=50,
        metadata=_about(
            kinds.whole(0, 1_000_000), "Tables with metrics of their own, the first by name; of all there are bounds."
        ),
    )
    traces: str = field(
        default=OFF,
        metadata=_about(
            kinds.OPTIONAL_URL,
            'Collector of traces, OTLP over HTTP: "http://127.0.0.1:4318/v1/traces", or "off"; needs the extra otel.',
        ),
    )
    keepalive: float = field(
        default=30.0, metadata=_about(kinds.seconds(1, 86_400), "Seconds of silence after which a client is pinged.")
    )
    keepalive_timeout: float = field(
        default=10.0,
        metadata=_about(kinds.seconds(0.1, 3600), "Seconds in which it must answer, or the connection is closed."),
    )
    min_ping_interval: float = field(
        default=10.0,
        metadata=_about(kinds.seconds(0, 3600), "Seconds that a client's own pings must be apart, or it is sent away."),
    )
    handshake_timeout: float = field(
        default=10.0,
        metadata=_about(kinds.seconds(0.1, 3600), "Seconds in which a new connection must have said hello."),
    )
    log_level: str = field(
        default="info",
        metadata=_about(
            kinds.choice("debug", "info", "warning", "error"), "Least that is logged; with debug, every call."
        ),
    )
    log_format: str = field(
        default="json", metadata=_about(kinds.choice("json", "text"), "Form of the log on stderr, a line a record.")
    )

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if (self.tls_cert is None) != (self.tls_key is None):
            missing = "tls_key" if self.tls_key is None else "tls_cert"
            raise InvalidSettings(missing, None, "tls-cert and tls-key, or neither")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise InvalidSettings("tls_client_ca", str(self.tls_client_ca), "together with tls-cert and tls-key")
        if self.pending_hard < self.pending_soft:
            raise InvalidSettings("pending_hard", self.pending_hard, f"pending-soft, {self.pending_soft}, or more")
        if not (self.tls_cert or self.allow_plaintext or is_loopback(self.listen)):
            allowed = "a loopback address, or TLS, or allow-plaintext"
            raise InvalidSettings("listen", self.listen, allowed)


def declared() -> tuple[Setting, ...]:
    """The declarations of all settings, in order."""
    return tuple(Setting(each.name, default=each.default, **each.metadata) for each in fields(Settings))


def shown(settings: Settings) -> dict[str, str]:
    """The settings in force, as text; secrets are in files, of which only the names are here."""
    return {each.name: each.kind.text(getattr(settings, each.name)) for each in declared()}


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    host, _ = kinds.split_address(address)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def markdown_table() -> str:
    """The settings as they are listed for users, one row each."""
    rows = [
        f"| `{each.flag}` | `{each.variable}` | {each.shown or f'`{each.kind.text(each.default)}`'} | {each.help} |"
        for each in declared()
    ]
    return "\n".join(["| Flag | Environment | Default | |", "| --- | --- | --- | --- |", *rows])
