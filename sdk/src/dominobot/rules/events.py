"""What happens in a match: what every seat sees, and the log that knows everything.

Public are the ends, the chain, the number of tiles in each hand and in the boneyard, how many were
drawn, the passes and the totals; after the round all hands. Which tiles were drawn is not (A16).
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple, TypeAlias

from dominobot.rules.moves import End, Pass, Play
from dominobot.rules.tiles import Tile

Ends: TypeAlias = tuple[int, int]
"""The open ends of the chain: left, right."""

Opening: TypeAlias = Literal["double", "highest", "winner"]
"""Why a seat opens: it holds the highest double (F9), or the largest sum as nobody has a double
(F10), both with a forced tile; or it won the round before and may lay any tile (F11)."""


class RoundEnding(Enum):
    """How a round ends: someone laid the last tile (F27), or nobody can play any more (F28)."""

    DOMINO = "domino"
    BLOCKED = "blocked"


class RoundStart(NamedTuple):
    """The tiles of round ``round_no`` (from 1) are dealt and ``opener`` lays the first."""

    round_no: int
    opener: int
    opening: Opening


class Played(NamedTuple):
    """A seat laid a tile."""

    seat: int
    tile: Tile
    end: End


class Drew(NamedTuple):
    """A seat drew ``count`` tiles in this turn."""

    seat: int
    count: int  # type: ignore[assignment]  # an event is no row to count in


class Passed(NamedTuple):
    """A seat passed."""

    seat: int


class RoundEnd(NamedTuple):
    """A round is over and all hands lie open.

    ``winner`` is None after a tie; ``points`` is what the winner scored, carried points included;
    ``hands`` and ``totals`` are by seat, each hand ascending.
    """

    how: RoundEnding
    winner: int | None
    points: int
    hands: tuple[tuple[Tile, ...], ...]
    totals: tuple[int, ...]


Event: TypeAlias = RoundStart | Played | Drew | Passed | RoundEnd


class Turn(NamedTuple):
    """One seat's go, with what only a referee sees.

    ``ends`` are those before the turn (None before the first tile), ``drew`` the tiles drawn in
    order, ``legal`` every placement allowed after that (with equal ends LEFT and RIGHT both),
    ``distinct`` how many of them differ (A11), ``hand_left`` and ``boneyard_left`` numbers of tiles
    after the turn.
    """

    seat: int
    ends: Ends | None
    drew: tuple[Tile, ...]
    legal: tuple[Play, ...]
    distinct: int
    move: Play | Pass
    hand_left: int
    boneyard_left: int


class RoundLog(NamedTuple):
    """A whole round: the ``deck`` in deal order, every turn, and how it was counted.

    ``hands_left`` by seat, ascending; ``boneyard_left`` in drawing order; ``chain`` the tiles as
    they lie from left to right; ``totals`` after the round.
    """

    round_no: int
    deck: tuple[Tile, ...]
    opener: int
    opening: Opening
    turns: tuple[Turn, ...]
    how: RoundEnding
    winner: int | None
    points: int
    hands_left: tuple[tuple[Tile, ...], ...]
    boneyard_left: tuple[Tile, ...]
    chain: tuple[tuple[int, int], ...]
    totals: tuple[int, ...]
