"""Heaviest tile first, and no memory: the twin of ``rememberer``."""

from dominobot import Bot, Play, View, run


class Forgetful(Bot):
    def choose(self, view: View) -> Play:
        return self.best_of(view.legal, lambda play: play.tile.pips)


if __name__ == "__main__":
    run(Forgetful)
