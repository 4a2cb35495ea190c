"""Two bots, deal by deal: the pentanomial statistics.

A deal is played twice with the seats swapped, so that one bot takes 0, a half, 1, one and a half
or 2 points of it. Counting deals instead of games lets the luck of the tiles cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from arena.core.rating import Z95, normal_cdf
from arena.core.rating_fit import SCALE


class PairStatistics(NamedTuple):
    """The first bot against the second. A value that cannot be told (no spread) is None.

    ``score`` is points a game, 0 to 1. ``elo`` and its 95 % half-width ``error``; ``nelo`` is the
    difference in units of the spread of one game (normalized Elo), with its half-width;
    ``los`` is the likelihood of superiority.
    """

    deals: int
    score: float
    elo: float | None
    error: float | None
    nelo: float | None
    nelo_error: float
    los: float | None


def pentanomial(counts: Sequence[int]) -> PairStatistics | None:
    """Statistics from the number of deals with 0, 0.5, 1, 1.5 and 2 points; None without a deal.

    Raises:
        ValueError: not five counts, or a negative one.
    """
    if len(counts) != 5 or min(counts) < 0:
        raise ValueError("five counts of deals are needed")
    deals = sum(counts)
    if not deals:
        return None
    score = sum(count * points / 4 for points, count in enumerate(counts)) / deals
    variance = sum(c * (points / 4 - score) ** 2 for points, c in enumerate(counts)) / deals
    nelo_error = Z95 * 2 * SCALE / math.sqrt(2 * deals)
    if variance <= 1e-12:
        return PairStatistics(deals, score, _elo(score), None, None, nelo_error, None)
    deviation = math.sqrt(variance / deals)
    low, high = _elo(score - Z95 * deviation), _elo(score + Z95 * deviation)
    return PairStatistics(
        deals,
        score,
        _elo(score),
        None if low is None or high is None else (high - low) / 2,
        (score - 0.5) / math.sqrt(2 * variance) * 2 * SCALE,
        nelo_error,
        normal_cdf((score - 0.5) / deviation),
    )


def _elo(score: float) -> float | None:
    """The difference that explains a score; None at or beyond 0 and 1."""
    if not 0 < score < 1:
        return None
    return SCALE * math.log(score / (1 - score)) + 0.0
