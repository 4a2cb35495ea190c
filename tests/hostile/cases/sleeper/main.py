"""Sleeps past the limit and the bank."""

import time

from dominobot import Bot, Play, View, run


class Sleeper(Bot):
    def choose(self, view: View) -> Play:
        time.sleep(60)
        return view.legal[0]


if __name__ == "__main__":
    run(Sleeper)
