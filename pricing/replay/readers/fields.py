"""What sources call the parts of a game or a shoe, and what they call what happened; small letters only."""

from types import MappingProxyType
from typing import Final

_CALLED: Final = {
    "shoe": "shoe shoeid shoeno shoenumber",
    "number": "number game gameno gamenumber round roundno roundnumber hand handno handnumber",
    "decks": "decks",
    "player": "player playercards playerhand playerhandcards p",
    "banker": "banker bankercards bankerhand bankerhandcards b",
    "cards": "cards coup dealt",
    "winner": "winner result outcome",
    "player_total": "playertotal playerscore playerhandscore",
    "banker_total": "bankertotal bankerscore bankerhandscore",
    "bets": "winningspots bets",
    "burned": "burncards burned burns",
    "cancelled": "cancelledcards",
    "void": "void",
    "games": "games",
}
FIELDS: Final = MappingProxyType({name: field for field, names in _CALLED.items() for name in names.split()})
"""The field of each name."""

_WINNERS: Final = {"player": "p player 1", "banker": "b banker 2", "tie": "t tie 0 draw"}
WINNERS: Final = MappingProxyType({text: winner for winner, texts in _WINNERS.items() for text in texts.split()})
"""The side that won, as the game types call it."""

SPOTS: Final = MappingProxyType(
    {
        "player": "player",
        "banker": "banker",
        "tie": "tie",
        "playerpair": "player-pair",
        "bankerpair": "banker-pair",
        "eitherpair": "either-pair",
        "perfectpair": "perfect-pair",
        "small": "small",
        "big": "big",
    }
)
"""The bet of each name of what won."""

PAIRS: Final = MappingProxyType(
    {
        "N": frozenset[str](),
        "P": frozenset({"player-pair"}),
        "B": frozenset({"banker-pair"}),
        "F": frozenset({"player-pair", "banker-pair"}),
    }
)
"""The pairs of the last letter of a code such as B9N."""
