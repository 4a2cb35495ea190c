"""Shows a token that is not its own."""

import os

from dominobot import Bot, Play, View, run


class Impostor(Bot):
    def choose(self, view: View) -> Play:
        return view.legal[0]


if __name__ == "__main__":
    os.environ["DOMINOBOT_TOKEN"] = "0" * 32
    run(Impostor)
