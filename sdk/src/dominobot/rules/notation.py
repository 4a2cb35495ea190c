"""Texts of tiles, hands, chains and turns, to read and to compare.

tile     two digits, the smaller first:      25
tiles    separated by a space:               00 25 66
chain    as it lies, each tile left half first, so that equal digits touch:  66-65-52
play     tile and S (first of the round), L or R:  25L
turn     seat, each tile drawn with a plus, then the play or "pass":  0 +14 +25 25L
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dominobot.rules.errors import RulesError
from dominobot.rules.events import Opening, RoundEnding, RoundLog, Turn
from dominobot.rules.moves import DRAW, Draw, End, Move, Pass, Play, parse_move
from dominobot.rules.tiles import Tile


class TurnText(NamedTuple):
    """What the text of a turn says."""

    seat: int
    drew: tuple[Tile, ...]
    move: Move


def tiles_text(tiles: Iterable[Tile]) -> str:
    """Tiles in the given order; empty for none."""
    return " ".join(map(str, tiles))


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Read what ``tiles_text`` writes.

    Raises:
        RulesError: something in it is no tile.
    """
    return tuple(map(Tile.parse, text.split()))


def chain_text(chain: Iterable[tuple[int, int]]) -> str:
    """The chain from left to right; empty before the first tile."""
    return "-".join(f"{left}{right}" for left, right in chain)


def turn_text(turn: Turn) -> str:
    """One turn as a line."""
    return " ".join([str(turn.seat), *(f"+{tile}" for tile in turn.drew), str(turn.move)])


def parse_turn(text: str) -> TurnText:
    """Read what ``turn_text`` writes.

    Raises:
        RulesError: not a turn.
    """
    seat, *drew, move_text = text.split() if text.count(" ") else ("", "")
    move = parse_move(move_text) if seat.isdecimal() else DRAW
    if isinstance(move, Draw) or not all(word.startswith("+") for word in drew):
        raise RulesError(f"{text!r} is no turn: seat, tiles drawn, play, for example 0 +14 25L")
    return TurnText(int(seat), tuple(Tile.parse(word[1:]) for word in drew), move)


_OPENINGS: dict[Opening, str] = {
    "double": "opens with the highest double",
    "highest": "opens with the highest tile, as nobody has a double",
    "winner": "opens as winner of the round before",
}
_ENDS = {End.START: "first", End.LEFT: "left", End.RIGHT: "right"}


def turn_words(turn: Turn) -> str:
    """One turn as an English sentence without its full stop."""
    words = f"seat {turn.seat} "
    if turn.drew:
        words += f"draws {tiles_text(turn.drew)} and "
    if isinstance(turn.move, Pass):
        return words + "passes"
    return words + f"lays {turn.move.tile} {_ENDS[turn.move.end]}"


def round_words(log: RoundLog) -> tuple[str, ...]:
    """A whole round as English lines, one for each turn, with a line before and some after."""
    lines = [f"round {log.round_no}: seat {log.opener} {_OPENINGS[log.opening]}"]
    lines += [f"  {turn_words(turn)}" for turn in log.turns]
    lines.append(f"  {_ending_words(log)}")
    lines.append(f"  chain {chain_text(log.chain)}")
    for seat, hand in enumerate(log.hands_left):
        if hand:
            points = sum(tile.pips for tile in hand)
            lines.append(f"  seat {seat} is left with {tiles_text(hand)} ({points} points)")
    lines.append(f"  totals {' '.join(map(str, log.totals))}")
    return tuple(lines)


def _ending_words(log: RoundLog) -> str:
    if log.winner is None:
        return "blocked, and nobody has the lowest hand alone: nobody scores"
    if log.how is RoundEnding.DOMINO:
        return f"seat {log.winner} goes out and scores {log.points}"
    return f"blocked, seat {log.winner} has the lowest hand and scores {log.points}"


def play_words(play: Play) -> str:
    """A play as words: tile and end."""
    return f"{play.tile} {_ENDS[play.end]}"
