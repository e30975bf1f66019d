"""The figures of a report, as plain values: what its pages show and its JSON says."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pricing.replay.tally import DEPTHS, PRICES, Key, Tallies, Tally

FAMILY_LEVEL: Final = 0.01
"""The probability that, with all chances right, any number of wins at all lies outside its band."""


def figures(tallies: Tallies, game: Mapping[str, str], findings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Everything a report says.

    Args:
        tallies: The sums over the rows.
        game: Name and policy version of the game type that priced them.
        findings: What was found wrong with the data.
    """
    level = FAMILY_LEVEL / max(1, len(tallies))
    bets = [_figures(key, each, level) for key, each in sorted(tallies.items(), key=lambda item: item[0].round)]
    return {
        "game": dict(game),
        "family_level": FAMILY_LEVEL,
        "level": level,
        "outside": sum(not bet["calibration"]["inside"] for bet in bets),
        "bets": bets,
        "findings": list(findings),
    }


def _figures(key: Key, sums: Tally, level: float) -> dict[str, Any]:
    return {
        "round": key.round,
        "bet": key.bet,
        "games": sums.games,
        "calibration": _calibration(sums, level),
        "scores": {
            "brier": _share(sums.brier, sums.games),
            "expected_brier": _share(sums.expected_brier, sums.games),
            "log": _share(sums.log, sums.games),
        },
        "money": {
            "staked": sums.staked,
            "returned": sums.paid,
            "return": _share(sums.paid, sums.staked),
            "expected_return": _share(sums.mean_returns, sums.staked),
            "hold": _share(sums.staked - sums.paid, sums.staked),
        },
        "drift": [
            {"gone": int(gone), "games": int(games), "expected": expected / games, "won": won / games}
            for gone, (games, expected, won) in zip(DEPTHS, sums.depth.T.tolist(), strict=True)
            if games
        ],
        "prices": [
            {"from": float(low), "to": float(high), "rows": int(rows)}
            for low, high, rows in zip(PRICES, PRICES[1:], sums.prices, strict=False)
            if rows
        ],
    }


def _calibration(sums: Tally, level: float) -> dict[str, Any]:
    low, high = sums.wins.band(level)
    return {
        "won": sums.won,
        "expected": sums.expected,
        "low": low,
        "high": high,
        "deviations": (sums.won - sums.expected) / float(np.sqrt(sums.expected_brier)) if sums.expected_brier else 0.0,
        "inside": low <= sums.won <= high,
    }


def _share(part: float, of: int) -> float | None:
    return part / of if of else None
