"""Who wins a round and what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dominobot.rules.events import RoundEnding
from dominobot.rules.variant import Count


class Outcome(NamedTuple):
    """A round's ``winner`` (None after a tie) and the ``points`` the winner scores."""

    winner: int | None
    points: int


def score(
    how: RoundEnding, went_out: int | None, hand_pips: Sequence[int], count: Count = "others"
) -> Outcome:
    """Count a round that has ended.

    ``went_out`` is the seat with the empty hand after DOMINO. It wins even for 0 points (F29) and
    even if another seat holds only 0-0. After BLOCKED the smallest sum wins (F31); two or more
    smallest ones are a tie (F32). The winner scores the points of the others' hands (F30), minus
    the own hand if ``count`` is "difference".
    """
    if how is RoundEnding.DOMINO:
        winner = went_out
    else:
        lowest = min(hand_pips)
        winner = hand_pips.index(lowest) if hand_pips.count(lowest) == 1 else None
    if winner is None:
        return Outcome(None, 0)
    points = sum(hand_pips) - hand_pips[winner]
    if count == "difference":
        points -= hand_pips[winner]
    return Outcome(winner, points)
