"""Heaviest tile first.

Whoever loses a round pays for the points left in the hand, so the heavy tiles leave first: 66
before 56 before 46. It does not look at the table at all.
"""

from dominobot import Bot, Play, View, run


class Heaviest(Bot):
    def choose(self, view: View) -> Play:
        return self.best_of(view.legal, lambda play: play.tile.pips)


if __name__ == "__main__":
    run(Heaviest)
