"""Write a dominoes bot.

from dominobot import Bot, Play, View, run

class Heaviest(Bot):
    def choose(self, view: View) -> Play:
        return max(view.legal, key=lambda play: play.tile.pips)

if __name__ == "__main__":
    run(Heaviest)
"""

from dominobot.bot import Bot, GameInfo, GameResult
from dominobot.errors import DominobotError
from dominobot.rules import (
    ALL_TILES,
    Drew,
    End,
    Event,
    Passed,
    Play,
    Played,
    RoundEnd,
    RoundEnding,
    RoundStart,
    Tile,
    Variant,
    View,
)
from dominobot.runner import run
from dominobot.tactics import ends_after, hand_after
from dominobot.version import __version__

__all__ = [
    "ALL_TILES",
    "Bot",
    "DominobotError",
    "Drew",
    "End",
    "Event",
    "GameInfo",
    "GameResult",
    "Passed",
    "Play",
    "Played",
    "RoundEnd",
    "RoundEnding",
    "RoundStart",
    "Tile",
    "Variant",
    "View",
    "__version__",
    "ends_after",
    "hand_after",
    "run",
]
