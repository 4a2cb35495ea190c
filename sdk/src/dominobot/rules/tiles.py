"""The 28 tiles of the double-six set (F1), and hands as 28-bit masks.

A tile has a number, its ``index``: 0 for 0-0, 1 for 0-1 and so on to 27 for 6-6, the smaller half
first. Bit ``1 << index`` of a mask says whether the tile is in the set that the mask stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dominobot.rules.errors import RulesError

TOP = 6
"""The highest value of a half (pips)."""


class Tile(NamedTuple):
    """One tile: its halves, ``low <= high``. 2-5 and 5-2 are one tile (F1).

    ``Tile.of`` takes the halves in any order and checks them.
    """

    low: int
    high: int

    @classmethod
    def of(cls, a: int, b: int) -> Tile:
        """The tile with halves ``a`` and ``b``, in any order.

        Raises:
            RulesError: a half is not 0..6.
        """
        tile = _TILE_OF_HALVES.get((a, b))
        if tile is None:
            raise RulesError(f"there is no tile {a}-{b}: halves are 0 to {TOP}")
        return tile

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Read two digits, in any order: "25" and "52" are one tile.

        Raises:
            RulesError: not a tile of the set.
        """
        tile = _TILE_OF_TEXT.get(text)
        if tile is None:
            raise RulesError(f"{text!r} is no tile: two digits from 0 to {TOP}, for example 25")
        return tile

    @property
    def pips(self) -> int:
        """Points of the tile: the sum of its halves (F4)."""
        return self.low + self.high

    @property
    def is_double(self) -> bool:
        """Whether both halves show the same value."""
        return self.low == self.high

    @property
    def index(self) -> int:  # type: ignore[override]  # a tile is no row to search in
        """Number of the tile, 0..27."""
        return self.low * (2 * TOP + 1 - self.low) // 2 + self.high

    @property
    def mask(self) -> int:
        """The mask with this tile alone."""
        return 1 << self.index

    def has(self, value: int) -> bool:
        """Whether a half shows ``value``."""
        return value in self

    def other(self, value: int) -> int:
        """The half that is not ``value``; ``value`` itself for a double.

        Raises:
            RulesError: no half shows ``value``.
        """
        if value not in self:
            raise RulesError(f"tile {self} has no half {value}")
        return self.low + self.high - value

    def __str__(self) -> str:
        return f"{self.low}{self.high}"


ALL_TILES: tuple[Tile, ...] = tuple(
    Tile(low, high) for low in range(TOP + 1) for high in range(low, TOP + 1)
)
"""The whole set, by index."""

ALL_MASK = (1 << len(ALL_TILES)) - 1
"""The mask of the whole set."""

MASKS: dict[Tile, int] = {tile: tile.mask for tile in ALL_TILES}
"""Mask of each tile: quicker than ``Tile.mask``."""

ALL_MASKS: tuple[int, ...] = tuple(MASKS.values())
"""The mask of each tile, by index."""

FITS: tuple[int, ...] = tuple(
    sum(tile.mask for tile in ALL_TILES if tile.has(value)) for value in range(TOP + 1)
)
"""Per value, the mask of the seven tiles that show it."""

DOUBLES: int = sum(tile.mask for tile in ALL_TILES if tile.is_double)
"""The mask of the seven doubles."""

_TILE_OF_HALVES = {
    halves: tile for tile in ALL_TILES for halves in (tuple(tile), tuple(reversed(tile)))
}
_TILE_OF_TEXT = {f"{a}{b}": tile for (a, b), tile in _TILE_OF_HALVES.items()}


def mask_of(tiles: Iterable[Tile]) -> int:
    """The mask of some tiles."""
    mask = 0
    for tile in tiles:
        mask |= MASKS[tile]
    return mask


def tiles_of(mask: int) -> tuple[Tile, ...]:
    """The tiles of a mask, ascending by index."""
    tiles = []
    while mask:
        bit = mask & -mask
        tiles.append(ALL_TILES[bit.bit_length() - 1])
        mask ^= bit
    return tuple(tiles)


# Points by the low and the high 14 bits of a mask: two look-ups instead of a loop over the tiles.
_HALF_BITS = len(ALL_TILES) // 2
_HALF_MASK = (1 << _HALF_BITS) - 1


def _pips_table(first_index: int) -> tuple[int, ...]:
    table = [0]
    for tile in ALL_TILES[first_index : first_index + _HALF_BITS]:
        table += [pips + tile.pips for pips in table]
    return tuple(table)


_PIPS_LOW = _pips_table(0)
_PIPS_HIGH = _pips_table(_HALF_BITS)


def pips_of(mask: int) -> int:
    """Points of a hand given as a mask (F4)."""
    return _PIPS_LOW[mask & _HALF_MASK] + _PIPS_HIGH[mask >> _HALF_BITS]


def reduce_box(halves: Iterable[tuple[int, int]], top: int = TOP) -> tuple[tuple[int, int], ...]:
    """Bring a larger box down (F2): leave out every tile that shows more than ``top``.

    Takes and gives tiles as pairs of halves, since the tiles of a larger box are no ``Tile``; each
    pair is given with the smaller half first, ascending.

    Raises:
        RulesError: what is left is not exactly one tile of each pair 0..``top``.
    """
    left = sorted((min(pair), max(pair)) for pair in halves if max(pair) <= top)
    wanted = [(low, high) for low in range(top + 1) for high in range(low, top + 1)]
    if left != wanted:
        raise RulesError(f"the box does not hold exactly one tile of each pair from 0 to {top}")
    return tuple(left)
