"""Lays a tile that it does not hold."""

from dominobot import ALL_TILES, Bot, Play, View, run


class Cheat(Bot):
    def choose(self, view: View) -> Play:
        foreign = next(tile for tile in ALL_TILES if tile not in view.hand)
        return Play(foreign, view.legal[0].end)


if __name__ == "__main__":
    run(Cheat)
