"""Doubles first.

A double shows one value only, so it fits half as often as another tile and is easily left over at
the end. It goes out at the first chance, the heaviest double before the others; with no double to
lay, the heaviest tile goes.
"""

from dominobot import Bot, Play, View, run


class Doubles(Bot):
    def choose(self, view: View) -> Play:
        return self.best_of(view.legal, lambda play: (play.tile.is_double, play.tile.pips))


if __name__ == "__main__":
    run(Doubles)
