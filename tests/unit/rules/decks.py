"""Decks and states made for one case."""

from __future__ import annotations

from collections.abc import Sequence

from dominobot.rules import ALL_TILES, Round, Tile, Variant
from dominobot.rules.moves import parse_move
from dominobot.rules.notation import parse_tiles


def deck_with(hands: Sequence[str], boneyard: str = "") -> tuple[Tile, ...]:
    """A deck that deals these hands and whose boneyard begins with these tiles.

    The tiles not named follow, ascending.
    """
    named = [tile for hand in hands for tile in parse_tiles(hand)] + list(parse_tiles(boneyard))
    assert len(set(named)) == len(named), "a tile is named twice"
    return (*named, *(tile for tile in ALL_TILES if tile not in named))


def state_after(
    variant: Variant, deck: Sequence[Tile], moves: str, winner: int | None = None
) -> Round:
    """The state after some moves, written as words: "66S 16L draw 26R pass"."""
    state = Round.deal(variant, deck, winner)
    for word in moves.split():
        state = state.after(parse_move(word))
    return state


def words(state: Round) -> str:
    """The distinct moves of the seat in turn."""
    return " ".join(map(str, state.moves()))
