"""The file that says who may call: names, roles and credentials. Tokens are in it as digests only."""

import hashlib
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pricing.service.roles import Caller, Role
from pricing.service.settings import InvalidSettings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_KEYS = ({"name", "role", "sha256"}, {"name", "role", "certificate"})


class Callers(NamedTuple):
    """Everybody who may call."""

    by_digest: Mapping[str, Caller]
    """By the SHA-256 of a token, in hex."""
    by_certificate: Mapping[str, Caller]
    """By a name in a certificate: its common name or one of its alternative names."""

    def with_token(self, token: str) -> Caller | None:
        """Whose token it is. Looking up a digest tells nothing of the token by the time that it takes."""
        return self.by_digest.get(digest(token))


def digest(token: str) -> str:
    """What is kept of a token. No salt and no slow hash: a token has 256 bits of chance, unlike a password."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A token that nobody can guess."""
    return f"bp_{secrets.token_urlsafe(32)}"


def entry(name: str, role: Role, token: str) -> str:
    """The lines of the file for a caller with this token.

    >>> print(entry("sportsbook", Role.READER, "secret"))
    [[callers]]
    name = "sportsbook"
    role = "reader"
    sha256 = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
    """
    check_name(name, "name")
    return f'[[callers]]\nname = "{name}"\nrole = "{role}"\nsha256 = "{digest(token)}"'


def check_name(name: object, field: str) -> str:
    """Refuse a name that would be hard to read in a log."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidSettings(field, name, "up to 64 letters, digits and . _ @ -, the first a letter or digit")
    return name


def read_callers(file: Path) -> Callers:
    """Read the file.

    Raises:
        InvalidSettings: What is wrong with it, by entry and key; never with a credential in the message.
    """
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings("tokens", str(file), f"a TOML file that can be read ({error})") from None
    entries = values.get("callers")
    if set(values) != {"callers"} or not isinstance(entries, list):
        raise InvalidSettings("tokens", sorted(values), "[[callers]] and nothing else")
    by_digest: dict[str, Caller] = {}
    by_certificate: dict[str, Caller] = {}
    for place, values in enumerate(entries):
        where = f"tokens: callers[{place}]"
        caller = _caller(values, where)
        kept, key = (by_digest, "sha256") if "sha256" in values else (by_certificate, "certificate")
        credential = _credential(values[key], key, where)
        if credential in kept:
            raise InvalidSettings(f"{where}.{key}", "that of another caller", "one of its own")
        kept[credential] = caller
    return Callers(by_digest, by_certificate)


def _caller(values: Any, where: str) -> Caller:
    if not isinstance(values, dict) or set(values) not in _KEYS:
        given = sorted(values) if isinstance(values, dict) else "no table"
        raise InvalidSettings(where, given, "name, role, and sha256 of a token or certificate, a name in one")
    if values["role"] not in {role.value for role in Role}:
        raise InvalidSettings(f"{where}.role", values["role"], f"one of {', '.join(Role)}")
    return Caller(check_name(values["name"], f"{where}.name"), Role(values["role"]))


def _credential(value: object, key: str, where: str) -> str:
    if key == "sha256" and not (isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value)):
        raise InvalidSettings(f"{where}.sha256", "something else", "64 hexadecimal digits in lower case")
    if not isinstance(value, str) or not value:
        raise InvalidSettings(f"{where}.{key}", value, "a name")
    return value
