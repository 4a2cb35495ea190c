"""Prints for ever."""

import os

from dominobot import Bot, Play, View, run


class OutputFlood(Bot):
    def choose(self, view: View) -> Play:
        while True:
            os.write(1, b"blah " * 1000 + b"\n")


if __name__ == "__main__":
    run(OutputFlood)
