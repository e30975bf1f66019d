"""The columns of priced states: the one table that the data, the README and Spark's schema are made from."""

from typing import Final, NamedTuple

import pyarrow as pa


class Column(NamedTuple):
    """A column of the output."""

    name: str
    type: pa.DataType
    meaning: str


COLUMNS: Final = (
    Column("shoe", pa.string(), "The shoe's id, as its source has it"),
    Column("game", pa.int64(), "The game's number as its source has it, else its place in the shoe, from 1"),
    Column("round", pa.int8(), "The betting round, from 1"),
    Column("cards", pa.string(), 'Cards on the table, in dealing order: "9S KD"; without suits where none are known'),
    Column("gone", pa.int16(), "Cards that have left the shoe, with those on the table and the burned ones"),
    Column("bet", pa.string(), "The bet's id"),
    Column("ways", pa.int64(), "All ordered completions of the coup to six cards"),
    Column("win_ways", pa.int64(), "Those in which the bet wins"),
    Column("push_ways", pa.int64(), "Those in which the stake comes back"),
    Column("state", pa.string(), "ACTIVE where the bet can be backed, else INACTIVE"),
    Column("odds", pa.float64(), "Decimal odds on offer; null where there are none, or several by how the bet wins"),
    Column("return", pa.float64(), "What one unit staked returns on average; null where nothing is on offer"),
    Column("result", pa.string(), "WON, LOST, PUSH or VOID; UNDECIDED where the game's cards are not all known"),
    Column("paid", pa.float64(), "What one unit staked came back as; null where nothing is on offer or undecided"),
)
"""One row a betting state and bet; a bet that the data cannot price has no row."""

SCHEMA: Final = pa.schema([(column.name, column.type) for column in COLUMNS])


def markdown_table() -> str:
    """The columns as README.md lists them."""
    rows = [f"| `{column.name}` | {column.type} | {column.meaning} |" for column in COLUMNS]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows])
