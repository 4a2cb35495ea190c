"""Running Elo: each match moves its bots, in schedule order. A history, never a rank.

After a match of n seats a bot's number moves by K / (n - 1) times the sum over the other seats of
result minus expectation. Where it stands at the end depends on the order of the matches, so it
only shows how things went.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from arena.core.results import MatchResult, pair_score

K = 20.0
START = 1500.0


class Moved(NamedTuple):
    """One match: the bots by seat, as indexes, and their running Elo after it."""

    match_id: str
    bots: tuple[int, ...]
    elo: tuple[float, ...]


def running_elo(results: Iterable[MatchResult], n_bots: int, k: float = K) -> tuple[Moved, ...]:
    """The running Elo after each of the given matches, in the order given, from START."""
    elo = [START] * n_bots
    history = []
    for result in results:
        moves = _moves(result, elo, k)
        for bot, move in zip(result.seating, moves, strict=True):
            elo[bot] += move
        after = tuple(elo[bot] for bot in result.seating)
        history.append(Moved(result.match_id, result.seating, after))
    return tuple(history)


def _moves(result: MatchResult, elo: list[float], k: float) -> list[float]:
    seats = range(len(result.seating))
    return [
        k
        / (len(seats) - 1)
        * sum(
            pair_score(result.ranks[seat], result.ranks[other])
            - _expected(elo[result.seating[seat]] - elo[result.seating[other]])
            for other in seats
            if other != seat
        )
        for seat in seats
    ]


def _expected(difference: float) -> float:
    return float(1.0 / (1.0 + 10.0 ** (-difference / 400.0)))
