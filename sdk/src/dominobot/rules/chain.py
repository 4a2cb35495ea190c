"""The chain as it lies on the table."""

from __future__ import annotations

from collections import deque

from dominobot.rules.errors import IllegalPlay
from dominobot.rules.events import Ends
from dominobot.rules.moves import End
from dominobot.rules.tiles import Tile


class Chain:
    """Tiles in a row, each as (left half, right half), equal halves touching (F15).

    The first tile lies with its low half to the left.
    """

    __slots__ = ("_row",)

    def __init__(self) -> None:
        self._row: deque[tuple[int, int]] = deque()

    def lay(self, tile: Tile, end: End) -> None:
        """Put ``tile`` at ``end``, turned so that it fits.

        Raises:
            IllegalPlay: the tile does not fit there.
        """
        if end is End.START:
            if self._row:
                raise IllegalPlay("the round is already open")
            self._row.append((tile.low, tile.high))
            return
        if not self._row:
            raise IllegalPlay("the first tile of a round goes to no end")
        inner = self._row[0][0] if end is End.LEFT else self._row[-1][1]
        if inner not in tile:
            raise IllegalPlay(f"{tile} does not fit the {end.name.lower()} end {inner}")
        outer = tile.low + tile.high - inner
        if end is End.LEFT:
            self._row.appendleft((outer, inner))
        else:
            self._row.append((inner, outer))

    @property
    def ends(self) -> Ends | None:
        """The open ends, None before the first tile."""
        return (self._row[0][0], self._row[-1][1]) if self._row else None

    def tiles(self) -> tuple[tuple[int, int], ...]:
        """The tiles from left to right."""
        return tuple(self._row)
