"""The strong suit.

Of seven tiles with a value, whoever holds four of them rules that value. It opens with its longest
value, and whatever it lays, it leaves those values at the ends of which it holds most: it can
answer them, and the others mostly cannot. Equal choices go by weight.
"""

from dominobot import Bot, Play, View, ends_after, hand_after, run


class StrongSuit(Bot):
    def choose(self, view: View) -> Play:
        def merit(play: Play) -> tuple[int, int]:
            rest = hand_after(view, play)
            length = sum(tile.has(end) for end in ends_after(view, play) for tile in rest)
            return length, play.tile.pips

        return self.best_of(view.legal, merit)


if __name__ == "__main__":
    run(StrongSuit)
