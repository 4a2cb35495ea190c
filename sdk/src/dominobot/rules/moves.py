"""What a seat can do in its turn: lay a tile at an end, draw, or pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from dominobot.rules.errors import RulesError
from dominobot.rules.tiles import ALL_TILES, Tile


class End(Enum):
    """Where a tile is laid. The value is its letter in texts such as "25L"."""

    START = "S"
    """The first tile of a round: there is no end yet."""
    LEFT = "L"
    RIGHT = "R"


_ENDS = tuple(End)
_END_OF_LETTER = {end.value: end for end in End}
_END_NUMBER = {end: number for number, end in enumerate(_ENDS)}


@dataclass(frozen=True, slots=True)
class Play:
    """A tile laid at an end, with an optional remark for the replay.

    Plays are equal when tile and end are: the note does not count. ``number`` names the play,
    whatever the position: ``3 * tile.index`` plus 0 for START, 1 for LEFT, 2 for RIGHT (0..83).

    Raises:
        RulesError: ``tile`` is not in the set. Its halves may come in any order.
    """

    tile: Tile
    end: End
    note: str = field(default="", compare=False)
    number: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tile = Tile.of(*self.tile)
        object.__setattr__(self, "tile", tile)
        object.__setattr__(self, "number", len(_ENDS) * tile.index + _END_NUMBER[self.end])

    def __hash__(self) -> int:
        return self.number

    def __str__(self) -> str:
        return f"{self.tile}{self.end.value}"

    @classmethod
    def parse(cls, text: str) -> Play:
        """Read two digits and a letter, for example "25L"; "52L" is the same.

        Raises:
            RulesError: not a play.
        """
        end = _END_OF_LETTER.get(text[-1:])
        if len(text) != 3 or end is None:
            raise RulesError(f"{text!r} is no play: a tile and S, L or R, for example 25L")
        return play_of(Tile.parse(text[:2]), end)


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw as the variant says: until a tile fits or the boneyard is empty (F21), or one (C13)."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Pass:
    """Lay nothing: only for a seat that can neither play nor draw (F23, C15, C16, B2)."""

    def __str__(self) -> str:
        return "pass"


Move: TypeAlias = Play | Draw | Pass

DRAW = Draw()
PASS = Pass()

PLAYS: tuple[Play, ...] = tuple(Play(tile, end) for tile in ALL_TILES for end in _ENDS)
"""Every play there is, by ``Play.number``, without a note."""


def play_of(tile: Tile, end: End) -> Play:
    """The play of ``tile`` at ``end`` without a note, from ``PLAYS`` (cheaper than a new one)."""
    return PLAYS[len(_ENDS) * tile.index + _END_NUMBER[end]]


def parse_move(text: str) -> Move:
    """Read a play, "draw" or "pass".

    Raises:
        RulesError: none of them.
    """
    if text == "pass":
        return PASS
    if text == "draw":
        return DRAW
    return Play.parse(text)
