"""How a server is called: where it is, who calls, and what a call that fails says."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from grpc_status import rpc_status

from pricing.baccarat.v1.pricing_service_pb2 import PriceError

Metadata: TypeAlias = tuple[tuple[str, str], ...]

_CODES: Final = {code.value[0]: code.name for code in grpc.StatusCode}


class CallFailed(Exception):
    """A call that was not answered, or answered with an error.

    Attributes:
        code: Name of the status code, "INVALID_ARGUMENT".
        reason: The server's machine-readable reason; empty when it gave none.
        violations: Each wrong field, by its path, and what is wrong with it.
        metadata: More for machines, such as the current value of what was expected to be another.
    """

    def __init__(
        self,
        code: str,
        message: str,
        reason: str = "",
        violations: Iterable[tuple[str, str]] = (),
        metadata: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Keep what the server said."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.violations = tuple(violations)
        self.metadata = dict(metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a server is reached and who calls it."""

    address: str
    """HOST:PORT."""
    tls: bool = False
    """Whether to talk TLS; plain text otherwise."""
    ca: Path | None = None
    """Certificates, PEM, that the server's is checked against; by default those that gRPC comes with."""
    certificate: Path | None = None
    """The caller's own certificate, PEM, for a server that asks for one."""
    key: Path | None = None
    """The key of that certificate."""
    token: str | None = None
    """The caller's token."""

    @property
    def metadata(self) -> Metadata:
        """What says who calls."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


@asynccontextmanager
async def open_channel(access: Access, options: Sequence[tuple[str, int]] = ()) -> AsyncIterator[grpc.aio.Channel]:
    """A connection for as long as the block lasts.

    Args:
        access: The server.
        options: For gRPC itself.

    Raises:
        OSError: A certificate or key that cannot be read.
    """
    if access.tls:
        pem = [file.read_bytes() if file else None for file in (access.ca, access.key, access.certificate)]
        channel = grpc.aio.secure_channel(access.address, grpc.ssl_channel_credentials(*pem), options)
    else:
        channel = grpc.aio.insecure_channel(access.address, options)
    async with channel:
        yield channel


@contextmanager
def failing() -> Iterator[None]:
    """A block in which a call that fails raises CallFailed."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        raise _failure_of(error) from None


def _failure_of(error: grpc.aio.AioRpcError) -> CallFailed:
    """What an error says, with the details that came along."""
    info, bad = ErrorInfo(), BadRequest()
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it has what is asked of a call
    for detail in status.details if status else ():
        detail.Unpack(info)
        detail.Unpack(bad)
    violations = ((violation.field, violation.description) for violation in bad.field_violations)
    return CallFailed(error.code().name, error.details() or "", info.reason, violations, info.metadata)


def refusal_of(error: PriceError) -> CallFailed:
    """What a stream answers to a wrong request."""
    violations = ((violation.field, violation.description) for violation in error.field_violations)
    return CallFailed(_CODES.get(error.code, "UNKNOWN"), error.message, error.reason, violations, error.metadata)
