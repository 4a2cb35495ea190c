"""What can be said of bots that won everything: a bound from one side."""

from __future__ import annotations

import math
from collections.abc import Sequence

DOUBT = 0.05
_MOST = 1e6


def least_gap(leads: Sequence[float]) -> float:
    """How far one group lies above another at least, with 95 % confidence, in Elo points.

    ``leads`` has one entry for each deal in which the groups met, all of it won by the upper one:
    the smallest lead (rating of the winner on its scale minus rating of the loser on its own)
    among the deal's results. Results of one deal hang together, so only that hardest one counts.
    The bound is the gap at which winning all of them had a probability of 5 %.
    """
    low, high = -_MOST, _MOST
    while high - low > 1e-7:
        middle = (low + high) / 2
        if sum(_log_expectation(lead + middle) for lead in leads) < math.log(DOUBT):
            low = middle
        else:
            high = middle
    return round(high, 6) + 0.0


def _log_expectation(lead: float) -> float:
    """log of E(lead), without overflow."""
    odds = -lead * math.log(10.0) / 400.0
    return -(odds + math.log1p(math.exp(-odds))) if odds > 0 else -math.log1p(math.exp(odds))
