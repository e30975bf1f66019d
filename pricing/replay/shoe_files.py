"""Files of shoes in the columns of `pricing.replay.arrow`, read piece by piece."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pricing.replay.arrow import SHOES, batch_of, shoes_of
from pricing.replay.errors import InvalidRun
from pricing.replay.shoes import ShoeRecord

_PIECE = 64


class ShoeFiles:
    """Parquet files of shoes, one a row."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Open the files.

        Raises:
            InvalidRun: One that is no such file.
        """
        self._paths = paths
        self._files = [_open(path, place) for place, path in enumerate(paths)]

    @property
    def number(self) -> int:
        """How many shoes there are."""
        return sum(file.metadata.num_rows for file in self._files)

    def fingerprint(self) -> dict[str, Any]:
        """What tells these files from others: the contents, in order."""
        return {"files": [_digest(path) for path in self._paths]}

    def __iter__(self) -> Iterator[ShoeRecord]:
        """The shoes, file by file."""
        for file in self._files:
            for batch in file.iter_batches(_PIECE):
                yield from shoes_of(batch)


def write_shoes(path: Path, shoes: Iterable[ShoeRecord]) -> None:
    """Write shoes to a file that can be replayed."""
    pq.write_table(pa.Table.from_batches([batch_of(shoes)]), path)


def _open(path: Path, place: int) -> pq.ParquetFile:
    allowed = f"a Parquet file with the columns {', '.join(SHOES.names)}"
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InvalidRun(f"files[{place}]", f"{path}: {error}", allowed) from None
    if not file.schema_arrow.equals(SHOES):
        raise InvalidRun(f"files[{place}]", f"{path} with {', '.join(file.schema_arrow.names)}", allowed)
    return file


def _digest(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
