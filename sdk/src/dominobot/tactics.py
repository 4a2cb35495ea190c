"""What a play would lead to: small steps that most strategies need."""

from __future__ import annotations

from dominobot.rules import End, Play, Tile, View


def ends_after(view: View, play: Play) -> tuple[int, int]:
    """The open ends, left and right, if ``play`` were laid.

    Raises RulesError if the tile does not fit that end.
    """
    if view.ends is None or play.end is End.START:
        return play.tile.low, play.tile.high
    left, right = view.ends
    if play.end is End.LEFT:
        return play.tile.other(left), right
    return left, play.tile.other(right)


def hand_after(view: View, play: Play) -> tuple[Tile, ...]:
    """The own tiles left if ``play`` were laid."""
    return tuple(tile for tile in view.hand if tile != play.tile)
