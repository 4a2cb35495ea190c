"""Matches taken apart into pairwise results, as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.results import pair_score

Array: TypeAlias = NDArray[np.float64]
Indexes: TypeAlias = NDArray[np.int64]


class Game(NamedTuple):
    """One rated match: the bots by seat, as indexes, and their final ranks.

    Games of one ``deal`` share their tiles; games of one ``deal`` and ``table`` are its rotations.
    """

    deal: Hashable
    table: Hashable
    bots: tuple[int, ...]
    ranks: tuple[int, ...]


class Pairs(NamedTuple):
    """Pairwise results, one entry for each pair of seats of each game.

    ``score`` is what bot ``first`` got against bot ``second``: 0, a half or 1. ``deal`` and
    ``table`` number the deals, and the (deal, table) pairs, that the results come from.
    """

    first: Indexes
    second: Indexes
    score: Array
    deal: Indexes
    table: Indexes

    def wins(self, n_bots: int) -> Array:
        """Square matrix: points that the row's bot took from the column's."""
        wins = np.zeros((n_bots, n_bots))
        np.add.at(wins, (self.first, self.second), self.score)
        np.add.at(wins, (self.second, self.first), 1.0 - self.score)
        return wins

    def within(self, members: Indexes) -> Pairs:
        """The results between members (ascending), renumbered from 0 in that order."""
        keep = np.isin(self.first, members) & np.isin(self.second, members)
        return Pairs(
            np.searchsorted(members, self.first[keep]),
            np.searchsorted(members, self.second[keep]),
            self.score[keep],
            np.unique(self.deal[keep], return_inverse=True)[1],
            np.unique(self.table[keep], return_inverse=True)[1],
        )


def expand(games: Sequence[Game]) -> Pairs:
    """All pairwise results of all games."""
    deals: dict[Any, int] = {}
    tables: dict[Any, int] = {}
    rows: list[tuple[int, int, float, int, int]] = []
    for game in games:
        deal = deals.setdefault(game.deal, len(deals))
        table = tables.setdefault((game.deal, game.table), len(tables))
        for a, b in combinations(range(len(game.bots)), 2):
            score = pair_score(game.ranks[a], game.ranks[b])
            rows.append((game.bots[a], game.bots[b], score, deal, table))
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 5).T
    first, second, deal_no, table_no = (columns[i].astype(np.int64) for i in (0, 1, 3, 4))
    return Pairs(first, second, columns[2], deal_no, table_no)
