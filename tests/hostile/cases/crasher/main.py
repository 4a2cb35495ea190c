"""Leaves without a word in its fifth move."""

import os

from dominobot import Bot, Play, View, run


class Crasher(Bot):
    moves = 0

    def choose(self, view: View) -> Play:
        self.moves += 1
        if self.moves == 5:
            print("about to crash", flush=True)
            os._exit(3)
        return view.legal[0]


if __name__ == "__main__":
    run(Crasher)
