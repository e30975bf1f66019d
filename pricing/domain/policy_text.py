"""Policies as plain values and as the one text that the journal keeps and the version is a digest of."""

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any

from pricing.domain.errors import InvalidPolicy, PricingError
from pricing.domain.limits import Limit
from pricing.domain.policy import STANDING, Policy, PolicyRule

Plain = Mapping[str, Any]
_KEY = re.compile(r"[a-z_-]{1,64}")
_DECIMAL = re.compile(r"-?[0-9]{1,3}(\.[0-9]{1,9})?")


def to_text(policy: Policy) -> str:
    """The one text of a policy.

    >>> to_text(Policy((PolicyRule(bet="tie", margin_shift=Decimal("0.01")),)))
    '{"rules":[{"bet":"tie","margin_shift":"0.01"}]}'
    """
    rules = [
        _set(rule, "round", "bet", "margin_shift", "closed")
        | ({"limits": [_set(limit, *Limit.__match_args__) for limit in rule.limits]} if rule.limits else {})
        for rule in policy.rules
    ]
    return json.dumps(_set(policy, "max_return") | {"rules": rules}, separators=(",", ":"))


@lru_cache(maxsize=1024)
def version(policy: Policy) -> str:
    """A digest of everything that a policy sets; empty where it sets nothing."""
    return "" if policy == STANDING else sha256(to_text(policy).encode()).hexdigest()[:12]


def from_text(text: str) -> Policy:
    """Read a policy from JSON, as `to_text` writes it.

    >>> from_text('{"rules": [{"bet": "tie", "closed": "yes"}]}')
    Traceback (most recent call last):
    pricing.domain.errors.InvalidPolicy: rules[0].closed: got 'yes'; allowed: true or false

    Raises:
        InvalidPolicy: What is wrong, by field.
    """
    try:
        values = json.loads(text, object_pairs_hook=_table)
    except InvalidPolicy:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidPolicy("policy", str(error), "JSON") from None
    return from_plain(values)


def _table(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidPolicy("policy", f"{len(pairs)} keys, some of them alike", "each key once")
    return found


def from_plain(values: Any) -> Policy:
    """Read a policy from tables of plain values, of JSON or of TOML.

    Raises:
        InvalidPolicy: What is wrong, by field.
    """
    return Policy(**_read(values, "", {"rules": _several(_rule), "max_return": _decimal}))


_Read = Callable[[Any, str], Any]


def _rule(values: Any, field: str) -> PolicyRule:
    keys: Mapping[str, _Read] = {
        "round": _exact(int, "a whole number"),
        "bet": _exact(str, "a text"),
        "margin_shift": _decimal,
        "closed": _exact(bool, "true or false"),
        "limits": _several(_limit),
    }
    return PolicyRule(**_read(values, field, keys))


def _limit(values: Any, field: str) -> Limit:
    keys = dict.fromkeys(Limit.__match_args__, _exact(int, "a whole number")) | {"currency": _exact(str, "a text")}
    found = _read(values, field, keys)
    for key in keys:
        if key not in found:
            raise InvalidPolicy(f"{field}.{key}", "nothing", f"all of {', '.join(keys)}")
    try:
        return Limit(**found)
    except PricingError as error:
        raise InvalidPolicy(f"{field}.{error.field}", error.given, error.allowed) from None


def _read(values: Any, field: str, keys: Mapping[str, _Read]) -> dict[str, Any]:
    """The values of these keys; no others may be there."""
    if not isinstance(values, Mapping):
        raise InvalidPolicy(field or "policy", values, "a table of keys and values")
    path = f"{field}." if field else ""
    for key in values:
        if key not in keys:
            raise InvalidPolicy(
                f"{path}{ascii(key)[1:65].rstrip(chr(39))}", "an unknown key", f"one of {', '.join(keys)}"
            )
    return {key: keys[key](value, path + key) for key, value in values.items()}


def _several(read: _Read) -> _Read:
    def read_list(values: Any, field: str) -> tuple[Any, ...]:
        if not isinstance(values, list):
            raise InvalidPolicy(field, values, "a list")
        return tuple(read(value, f"{field}[{place}]") for place, value in enumerate(values))

    return read_list


def _exact(kind: type, allowed: str) -> _Read:
    def read_exact(value: Any, field: str) -> Any:
        if type(value) is not kind:
            raise InvalidPolicy(field, value, allowed)
        return value

    return read_exact


def _decimal(value: Any, field: str) -> Decimal:
    if not isinstance(value, str | Decimal) or not _DECIMAL.fullmatch(text := str(value)):
        raise InvalidPolicy(field, value, 'a decimal number as a text, "0.025", of at most nine decimals')
    return Decimal(text)


def _set(owner: object, *names: str) -> dict[str, Any]:
    """Those of its values that are set."""
    values = {name: getattr(owner, name) for name in names}
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> Any:
    """A decimal as a text, the same for equal ones, as equal policies have one text; any other value as it is."""
    return f"{value.normalize() + 0:f}" if isinstance(value, Decimal) else value
