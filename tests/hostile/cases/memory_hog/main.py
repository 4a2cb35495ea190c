"""Eats memory until somebody stops it."""

from dominobot import Bot, Play, View, run


class MemoryHog(Bot):
    def choose(self, view: View) -> Play:
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * (1 << 20))


if __name__ == "__main__":
    run(MemoryHog)
