"""Raises an exception in its second move."""

from dominobot import Bot, Play, View, run


class Raiser(Bot):
    moves = 0

    def choose(self, view: View) -> Play:
        self.moves += 1
        return view.legal[0 // (2 - self.moves)]


if __name__ == "__main__":
    run(Raiser)
