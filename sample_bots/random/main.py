"""Any tile that fits.

Plays without a thought: what every other bot should beat.
"""

from dominobot import Bot, Play, View, run


class RandomBot(Bot):
    def choose(self, view: View) -> Play:
        return self.random.choice(view.legal)


if __name__ == "__main__":
    run(RandomBot)
