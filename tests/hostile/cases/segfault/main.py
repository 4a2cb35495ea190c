"""Reads where nothing is, as a broken extension does."""

import ctypes

from dominobot import Bot, Play, View, run


class Segfault(Bot):
    def choose(self, view: View) -> Play:
        ctypes.string_at(8)
        return view.legal[0]


if __name__ == "__main__":
    run(Segfault)
