"""A varied hand.

A hand that shows many different values can answer most chains. So it first looks that both ends of
the chain can be answered from the tiles it keeps, then keeps as many different values as it can,
and only then thinks of the weight.
"""

from dominobot import Bot, Play, View, ends_after, hand_after, run


class Varied(Bot):
    def choose(self, view: View) -> Play:
        def merit(play: Play) -> tuple[int, int, int]:
            values = {half for tile in hand_after(view, play) for half in tile}
            answerable = sum(end in values for end in ends_after(view, play))
            return answerable, len(values), play.tile.pips

        return self.best_of(view.legal, merit)


if __name__ == "__main__":
    run(Varied)
