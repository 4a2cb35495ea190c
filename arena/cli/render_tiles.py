"""Tiles, hands and chains drawn with characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dominobot.rules import Tile
from rich.text import Text

DOUBLE = "bold"


def tile_text(left: int, right: int) -> Text:
    """One tile as it lies: [2|5], and [6‖6] for a double, which lies crosswise."""
    if left == right:
        return Text(f"[{left}‖{right}]", style=DOUBLE)
    return Text(f"[{left}|{right}]")


def hand_text(tiles: Iterable[Tile]) -> Text:
    """Tiles side by side; a dash for none."""
    drawn = [tile_text(tile.low, tile.high) for tile in tiles]
    return Text(" ").join(drawn) if drawn else Text("–", style="dim")


def chain_text(chain: Sequence[tuple[int, int]]) -> Text:
    """The chain from left to right, touching halves side by side; it may wrap between tiles."""
    drawn = [tile_text(left, right) for left, right in chain]
    return Text(" ").join(drawn) if drawn else Text("–", style="dim")
