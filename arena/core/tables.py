"""Which tables play when there are too many: a balanced draw by the master seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb

from arena.core.ids import fields_hash

ALL_UP_TO = 500
"""Up to this many tables of three or four all of them play by default."""

Table = tuple[int, ...]


def default_limit(n_bots: int, seats: int) -> int | None:
    """How many tables play when nobody said: None (all) up to ``ALL_UP_TO``, else that many.

    At two seats all do: a round robin leaves out no pairing.
    """
    return None if seats == 2 or comb(n_bots, seats) <= ALL_UP_TO else ALL_UP_TO


def draw_tables(n_bots: int, seats: int, limit: int | None, master: bytes) -> tuple[Table, ...]:
    """All tables of ``seats`` bots out of ``n_bots``, or ``limit`` of them.

    A limited draw is balanced: the numbers of tables of any two bots differ by at most 1, and
    pairs of bots meet about equally often. The same master seed draws the same tables.
    """
    total = comb(n_bots, seats)
    if limit is None or limit >= total:
        return tuple(combinations(range(n_bots), seats))
    if limit > total // 2:
        # Over all tables every bot plays equally often, so what is left after leaving out a
        # balanced draw is balanced too; and the draw stays far from its dead ends.
        out = set(_Draw(n_bots, seats, master).take(total - limit))
        return tuple(t for t in combinations(range(n_bots), seats) if t not in out)
    return tuple(sorted(_Draw(n_bots, seats, master).take(limit)))


class _Draw:
    """Takes one table after the other, always from the bots that have played least."""

    def __init__(self, n_bots: int, seats: int, master: bytes) -> None:
        self._n_bots = n_bots
        self._seats = seats
        self._master = master
        self._taken: dict[Table, None] = {}
        self._played: Counter[int] = Counter()
        self._met: Counter[tuple[int, int]] = Counter()

    def take(self, number: int) -> list[Table]:
        """The first ``number`` tables of the draw."""
        while len(self._taken) < number:
            table = next(self._candidates(), None)
            self._add(next(self._unbalanced()) if table is None else table)
        while not self._is_balanced():
            self._exchange()
        return list(self._taken)

    def _add(self, table: Table) -> None:
        self._taken[table] = None
        self._played.update(table)
        self._met.update(combinations(table, 2))

    def _is_balanced(self) -> bool:
        counts = [self._played[bot] for bot in range(self._n_bots)]
        return max(counts) - min(counts) <= 1

    def _exchange(self) -> None:
        """Give one table of a bot that plays most to one that plays least.

        There is always one to give: putting the other bot in its place turns the tables of the
        first without the second into as many different ones, and not all of them can be taken,
        since the second has fewer.
        """
        most = max(range(self._n_bots), key=lambda bot: (self._played[bot], self._lot(bot, ())))
        least = min(range(self._n_bots), key=lambda bot: (self._played[bot], self._lot(bot, ())))
        for table in list(self._taken):
            if most not in table or least in table:
                continue
            other = tuple(sorted({*table, least} - {most}))
            if other not in self._taken:
                del self._taken[table]
                self._played.subtract(table)
                self._met.subtract(combinations(table, 2))
                self._add(other)
                return
        raise AssertionError("unreachable: see the argument above")

    def _candidates(self) -> Iterator[Table]:
        """Untaken tables that keep the draw balanced, the best first.

        Every bot that has played least must come in (or fill the table); the other places go to
        the bots one table ahead of them.
        """
        least = min(self._played[bot] for bot in range(self._n_bots))
        low = [bot for bot in range(self._n_bots) if self._played[bot] == least]
        if len(low) >= self._seats:
            yield from self._fill((), low)
        else:
            rest = [bot for bot in range(self._n_bots) if bot not in low]
            yield from self._fill(tuple(low), rest)

    def _fill(self, chosen: Table, pool: list[int]) -> Iterator[Table]:
        """Complete ``chosen`` from ``pool`` depth first, those it has met least before others."""
        if len(chosen) == self._seats:
            table = tuple(sorted(chosen))
            if table not in self._taken:
                yield table
            return
        order = sorted(pool, key=lambda bot: (self._meetings(bot, chosen), self._lot(bot, chosen)))
        for position, bot in enumerate(order):
            yield from self._fill((*chosen, bot), order[position + 1 :])

    def _unbalanced(self) -> Iterator[Table]:
        """Untaken tables when none keeps the balance: those of the bots that played least first."""
        order = sorted(range(self._n_bots), key=lambda bot: (self._played[bot], self._lot(bot, ())))
        for table in combinations(order, self._seats):
            if tuple(sorted(table)) not in self._taken:
                yield tuple(sorted(table))

    def _meetings(self, bot: int, chosen: Table) -> int:
        return sum(self._met[min(bot, other), max(bot, other)] for other in chosen)

    def _lot(self, bot: int, chosen: Table) -> bytes:
        return fields_hash("tables", self._master, len(self._taken), bot, *chosen)
