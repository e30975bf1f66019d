"""Who may call what."""

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import NamedTuple


@unique
class Role(StrEnum):
    """What a caller is here for."""

    READER = "reader"
    """Reads prices."""
    STUDIO = "studio"
    """Reports cards."""
    TRADER = "trader"
    """Decides what is offered."""
    ADMIN = "admin"
    """Makes and closes tables."""


class Caller(NamedTuple):
    """Who makes a call, by the credential that came with it."""

    name: str
    role: Role
    local: bool = False
    """Nobody is asked for a credential, and who calls is on this machine already: may do what any role may."""

    def is_one_of(self, roles: frozenset[Role]) -> bool:
        """Whether the caller has one of these roles."""
        return self.local or self.role in roles


ANYONE: frozenset[Role] = frozenset()
"""Not even a credential is asked for."""
EVERY_ROLE = frozenset(Role)

_ALLOWED: Mapping[str, frozenset[Role]] = {
    "pricing.baccarat.v1.HistoryService": EVERY_ROLE,
    "pricing.baccarat.v1.OddsService": EVERY_ROLE,
    "pricing.baccarat.v1.PricingService": EVERY_ROLE,
    "pricing.baccarat.v1.TradingService": frozenset({Role.TRADER}),
    "pricing.baccarat.v1.TableService/GetTable": EVERY_ROLE,
    "pricing.baccarat.v1.TableService/ListTables": EVERY_ROLE,
    # Which of them may report which event goes by the event.
    "pricing.baccarat.v1.TableService/RecordEvent": frozenset({Role.STUDIO, Role.TRADER}),
    "pricing.baccarat.v1.TableService/StreamEvents": frozenset({Role.STUDIO, Role.TRADER}),
    # What balancers and tools ask that hold no credentials; they learn no more than this repository tells.
    "grpc.health.v1.Health": ANYONE,
    "grpc.reflection.v1alpha.ServerReflection": ANYONE,
}
"""By service, or by service/method for one that differs."""


def allowed(service: str, method: str) -> frozenset[Role]:
    """The roles that may call a method; one that is not listed is for admins.

    >>> sorted(allowed("pricing.baccarat.v1.PricingService", "Price")) == sorted(Role)
    True
    >>> allowed("some.Service", "Method")
    frozenset({<Role.ADMIN: 'admin'>})
    """
    return _ALLOWED.get(f"{service}/{method}", _ALLOWED.get(service, frozenset({Role.ADMIN})))
