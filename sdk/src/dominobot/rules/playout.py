"""Play a round to its end at random, fast: for bots that search by sampling.

``playout`` does to the letter what taking any of ``Round.moves()`` with ``Chance.pick`` again and
again would do (a property test holds the two together), but keeps the hands in a list, works on
numbers only and makes no state on the way.
"""

from __future__ import annotations

from typing import NamedTuple

from dominobot.rules.chance import LOW_POOL, Chance
from dominobot.rules.events import RoundEnding
from dominobot.rules.round import NO_END, Round
from dominobot.rules.scoring import Outcome, score
from dominobot.rules.tiles import ALL_MASKS, FITS, MASKS, TOP, pips_of, tiles_of
from dominobot.rules.variant import Count, Variant


class Ending(NamedTuple):
    """How a round ended: ``went_out`` is a seat after DOMINO, ``hands`` are masks by seat."""

    how: RoundEnding
    went_out: int | None
    hands: tuple[int, ...]

    def score(self, count: Count = "others") -> Outcome:
        """Who won and what it counts."""
        return score(self.how, self.went_out, [pips_of(hand) for hand in self.hands], count)


def random_deal(variant: Variant, chance: Chance, winner: int | None = None) -> Round:
    """A round with tiles dealt at random; ``winner`` opens freely as in ``Round.deal``."""
    masks = list(ALL_MASKS)
    chance.shuffle(masks)
    return Round.deal_masks(variant, tuple(masks), winner)


def playout(state: Round, chance: Chance) -> Ending:
    """The end of the round if every seat takes any of its distinct moves from ``state`` on."""
    while state.left == NO_END or state.drew:
        state = state.after(chance.pick(state.moves()))  # an opening, or a turn half taken
    if state.how is None:
        return _play_out(state, chance)
    went_out = state.seat if state.how is RoundEnding.DOMINO else None
    return Ending(state.how, went_out, state.hands)


def _play_out(state: Round, chance: Chance) -> Ending:
    """The loop; ``state`` is at the beginning of a turn other than the first."""
    variant, hands_before, boneyard, seat, left, right, _, idle, _, _ = state
    hands = list(hands_before)
    seats = len(hands)
    at, end = 0, state.drawable  # of the boneyard: the next tile, and the first not to be drawn
    draws_one = variant.draw == "one"
    pool = chance.pool
    while True:
        hand = hands[seat]
        lefts = _OUTER[left][hand & FITS[left]]
        rights = () if left == right else _OUTER[right][hand & FITS[right]]
        n = len(lefts) + len(rights)
        if n:
            j = 0
            if n > 1:
                if pool < LOW_POOL:
                    pool = chance.refill()
                j = pool % n
                pool //= n
            if j < len(lefts):
                tile, left = lefts[j]
            else:
                tile, right = rights[j - len(lefts)]
            hands[seat] = hand = hand ^ tile
            if not hand:
                chance.pool = pool
                return Ending(RoundEnding.DOMINO, seat, tuple(hands))
            idle = 0
        else:
            fits = FITS[left] | FITS[right]
            stop = min(at + 1, end) if draws_one else end
            while at < stop and not hand & fits:
                hand |= boneyard[at]
                at += 1
            hands[seat] = hand
            if hand & fits:
                continue  # the drawn tile is laid, by the same seat
            idle += 1
            if idle >= seats and at == end:
                chance.pool = pool
                return Ending(RoundEnding.BLOCKED, None, tuple(hands))
        seat = (seat + 1) % seats


def _outer_by_hand(value: int) -> dict[int, tuple[tuple[int, int], ...]]:
    """For every set of tiles that show ``value``: each tile's mask and its other half."""
    table: dict[int, tuple[tuple[int, int], ...]] = {0: ()}
    for tile in tiles_of(FITS[value]):
        entry = (MASKS[tile], tile.other(value))
        table.update({mask | entry[0]: (*entries, entry) for mask, entries in table.items()})
    return table


_OUTER = tuple(_outer_by_hand(value) for value in range(TOP + 1))
