"""Heaviest tile first.

The loser of a round pays the points left in hand, so the heavy tiles go first: 6-6 before 5-6
before 4-6. Which end they go to is left to chance.
"""

from dominobot import Bot, Play, View, run


class Heaviest(Bot):
    def choose(self, view: View) -> Play:
        most = max(play.tile.pips for play in view.legal)
        return self.random.choice([play for play in view.legal if play.tile.pips == most])


if __name__ == "__main__":
    run(Heaviest)
