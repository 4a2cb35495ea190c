"""The counter.

It knows where tiles cannot be. A seat that drew or passed held neither value of the ends at that
moment. In famille and kawu a pass comes only with an empty boneyard, so it holds for the rest of
the round; tiles drawn later can change it (in coffret also after a pass), except that they did not
fit the ends they were drawn at. Out of the tiles it has not seen it works out how likely the next
seat cannot answer, and leaves such ends; then it thinks of its own answers, doubles and weight.
"""

from math import comb

from dominobot import Bot, Drew, End, Passed, Play, Played, View, ends_after, hand_after, run

BLOCKED_NEXT = 60  # what a blocked next seat is worth, in points
OWN_ANSWER = 3  # what a tile that fits the new ends is worth
DOUBLE = 4  # what it is worth to be rid of a double


def lacking(view: View, seat: int) -> set[int]:
    """Values that a seat cannot hold, from what it did in this round."""
    lacks: set[int] = set()
    ends: list[int] = []
    drawn = 0
    for event in view.events:
        if isinstance(event, Drew):
            drawn = event.count
        elif isinstance(event, Played | Passed):
            if event.seat == seat and (drawn or isinstance(event, Passed)):
                kept = drawn - isinstance(event, Played)  # the last tile drawn was laid
                lacks = lacks.union(ends) if not kept else set(ends)
            drawn = 0
            if isinstance(event, Played) and not ends:
                ends = list(event.tile)
            elif isinstance(event, Played):
                side = event.end is End.RIGHT
                ends[side] = event.tile.other(ends[side])
    return lacks


class Counter(Bot):
    def choose(self, view: View) -> Play:
        seat = view.next_seat()
        lacks = lacking(view, seat)
        possible = [tile for tile in view.unseen if not lacks & set(tile)]
        held = min(view.counts[seat], len(possible))

        def merit(play: Play) -> float:
            left, right = ends_after(view, play)
            fitting = sum(tile.has(left) or tile.has(right) for tile in possible)
            blocked = comb(len(possible) - fitting, held) / comb(len(possible), held)
            answers = sum(tile.has(left) or tile.has(right) for tile in hand_after(view, play))
            weight = DOUBLE * play.tile.is_double + play.tile.pips
            return BLOCKED_NEXT * blocked + OWN_ANSWER * answers + weight

        return self.best_of(view.legal, merit)


if __name__ == "__main__":
    run(Counter)
