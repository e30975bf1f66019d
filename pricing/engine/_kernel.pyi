from collections.abc import Iterable
from typing import Self, TypeAlias, final

import numpy as np
from _typeshed import ReadableBuffer, WriteableBuffer
from numpy.typing import NDArray

# Before Python 3.12 the type checker does not know that an array is a buffer.
_Bytes: TypeAlias = ReadableBuffer | NDArray[np.uint8]
_Counts: TypeAlias = WriteableBuffer | NDArray[np.int64]

def deplete(decks: int, removed: _Bytes) -> bytes | None: ...

@final
class CoupCounter:
    def __new__(cls, rules: Iterable[int], groups: Iterable[Iterable[int]]) -> Self: ...
    @property
    def groups(self) -> int: ...
    def count(self, remaining: _Bytes, dealt: _Bytes, out: _Counts) -> int: ...
    def cells(self, remaining: _Bytes, dealt: _Bytes, out: _Counts) -> int: ...
    def count_many(self, remaining: _Bytes, dealt: _Bytes, lengths: _Bytes, totals: _Counts, out: _Counts) -> None: ...
