"""Which bots can be rated on one scale, and what is certain about the order of those groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.core.rating_pairs import Array


def find_groups(
    wins: Array,
) -> tuple[list[tuple[int, ...]], tuple[tuple[bool, ...], ...]]:
    """The strongly connected groups of "took at least half a point from", and their order.

    ``wins`` is the square matrix of points taken. Returns the groups, each ascending, from top to
    bottom, and for each pair of groups whether the first is certainly above the second: it took
    points that never came back, directly or by way of others.
    """
    n_bots = len(wins)
    reaches = _closure(wins > 0)
    mutual = reaches & reaches.T
    members = sorted({tuple(int(j) for j in np.flatnonzero(mutual[i])) for i in range(n_bots)})
    heads = [group[0] for group in members]
    above = reaches[np.ix_(heads, heads)] & ~reaches[np.ix_(heads, heads)].T
    order = _from_the_top(above, [_share(wins, group) for group in members])
    return (
        [members[i] for i in order],
        tuple(tuple(bool(above[i, j]) for j in order) for i in order),
    )


def _closure(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Who reaches whom over any number of edges, itself included (Warshall)."""
    reaches = edges | np.eye(len(edges), dtype=bool)
    for via in range(len(edges)):
        reaches |= np.outer(reaches[:, via], reaches[via])
    return reaches


def _share(wins: Array, group: tuple[int, ...]) -> float:
    """The share of all points that a group took; -1 without a game."""
    bots = list(group)
    points, games = wins[bots].sum(), wins[bots].sum() + wins[:, bots].sum()
    return float(points / games) if games else -1.0


def _from_the_top(above: NDArray[np.bool_], share: list[float]) -> list[int]:
    """Groups so that none comes before one above it; else by share of points, then by number."""
    left = list(range(len(share)))
    order: list[int] = []
    while left:
        free = [i for i in left if not any(above[j, i] for j in left)]
        order.append(min(free, key=lambda i: (-share[i], i)))
        left.remove(order[-1])
    return order
