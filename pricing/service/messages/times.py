"""Times of messages as the tables have them, in microseconds since 1970 UTC."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from pricing.domain.errors import PricingError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_time(message: Any, name: str, field: str, error: type[PricingError]) -> int | None:
    """Microseconds since 1970 UTC of a field of a message; None where it is absent.

    Raises:
        PricingError: The given error, for a time that no calendar has.
    """
    if not message.HasField(name):
        return None
    timestamp: Timestamp = getattr(message, name)
    try:
        return (timestamp.ToDatetime(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise error(field, f"{timestamp.seconds} seconds", "a time of the years 1 to 9999") from None


def time_message(microseconds: int | None) -> Timestamp | None:
    """A time as a message."""
    if microseconds is None:
        return None
    seconds, rest = divmod(microseconds, 1_000_000)
    return Timestamp(seconds=seconds, nanos=rest * 1_000)
