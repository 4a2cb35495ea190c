"""One round as an immutable state: the deal, then move after move until it ends.

A ``Round`` is a value. ``moves()`` says what the seat in turn can do and ``after(move)`` gives the
next state; nothing is ever changed in place. A turn is one ``Play`` or one ``Pass``, with one
``Draw`` before it where the variant has the seat draw; ``Draw`` takes all the tiles of the turn.
Chance is not here: the deck that is passed in decides every draw (A2).

The state keeps masks, and the choices come from tables made once: per open end, the plays of each
set of tiles that fit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dominobot.rules.errors import DealError, IllegalPlay
from dominobot.rules.events import Ends, Opening, RoundEnding
from dominobot.rules.moves import DRAW, PASS, PLAYS, Draw, End, Move, Pass, Play, play_of
from dominobot.rules.tiles import ALL_MASK, ALL_TILES, DOUBLES, FITS, MASKS, TOP, Tile, tiles_of
from dominobot.rules.variant import Variant

NO_END = -1
"""``Round.left`` and ``Round.right`` before the first tile."""


class Opener(NamedTuple):
    """Who lays the first tile of a round, why, and the ``tile`` where it is forced."""

    seat: int
    opening: Opening
    tile: Tile | None


def find_opener(hands: Sequence[int]) -> Opener:
    """Who opens when nobody has won the round before (F9, F10, C6, K6).

    The highest double; if nobody was dealt one, the tile of the largest sum, among equal sums the
    one with the larger half. Hands are masks. All seats are compared, and no lots are ever needed.
    """
    dealt = 0
    for hand in hands:
        dealt |= hand
    opening: Opening = "double" if dealt & DOUBLES else "highest"
    candidates = tiles_of(dealt & DOUBLES or dealt)
    tile = max(candidates, key=lambda tile: (tile.pips, tile.high))
    seat = next(seat for seat, hand in enumerate(hands) if hand & MASKS[tile])
    return Opener(seat, opening, tile)


class Round(NamedTuple):
    """One deal at one point.

    ``hands`` are masks by seat, ``boneyard`` the masks of its tiles in drawing order. ``left`` and
    ``right`` are the open ends, ``NO_END`` before the first tile, which is ``forced`` (a mask) or
    free (0). ``idle`` counts the turns in succession that laid nothing, ``drew`` the tiles drawn in
    the turn that is going on. ``how`` is None until the round has ended; ``seat`` is then the one
    that took the last turn.
    """

    variant: Variant
    hands: tuple[int, ...]
    boneyard: tuple[int, ...]
    seat: int
    left: int
    right: int
    forced: int
    idle: int
    drew: int
    how: RoundEnding | None

    @classmethod
    def deal(cls, variant: Variant, deck: Sequence[Tile], winner: int | None = None) -> Round:
        """Deal ``deck`` (28 tiles, A2): seat 0 gets the first tiles, the boneyard what remains.

        ``winner`` is the seat that opens with any tile (F11); None means F9 and F10.

        Raises:
            DealError: the deck is not each of the 28 tiles once.
        """
        masks = deck_masks(deck)
        size = variant.deal
        dealt = variant.seats * size
        hands = tuple(sum(masks[first : first + size]) for first in range(0, dealt, size))
        seat, forced = (winner, 0) if winner is not None else _forced_opening(hands)
        return cls(variant, hands, masks[dealt:], seat, NO_END, NO_END, forced, 0, 0, None)

    @property
    def ends(self) -> Ends | None:
        """The open ends, None before the first tile."""
        return None if self.left == NO_END else (self.left, self.right)

    @property
    def drawable(self) -> int:
        """How many tiles can still be drawn in this round, by all seats together."""
        if self.variant.draw == "none":
            return 0
        return max(0, len(self.boneyard) - self.variant.reserve)

    def choices(self) -> tuple[Play, ...]:
        """The distinct plays of the seat in turn; empty if it cannot play or the round is over.

        With equal ends only LEFT is listed, since RIGHT is the same choice (A11). Plays come left
        end first, ascending by tile at each end.
        """
        if self.left == self.right != NO_END and self.how is None:
            return LEFT_PLAYS[self.left][self.hands[self.seat] & FITS[self.left]]
        return self.placements()

    def placements(self) -> tuple[Play, ...]:
        """Every placement that is allowed now; with equal ends LEFT and RIGHT both (A11)."""
        if self.how is not None:
            return ()
        hand = self.hands[self.seat]
        if self.left == NO_END:
            return opening_plays(self.forced or hand)
        left_plays = LEFT_PLAYS[self.left][hand & FITS[self.left]]
        return left_plays + RIGHT_PLAYS[self.right][hand & FITS[self.right]]

    def moves(self) -> tuple[Move, ...]:
        """All that the seat in turn can do: its ``choices``, else only DRAW, else only PASS."""
        plays = self.choices()
        if plays or self.how is not None:
            return plays
        return PASS_ONLY if self.must_pass else DRAW_ONLY

    @property
    def must_pass(self) -> bool:
        """Whether a seat that cannot play has to pass: it has drawn, or nothing can be drawn."""
        return self.drew > 0 or self.drawable == 0

    def after(self, move: Move) -> Round:
        """The state after ``move``.

        Raises:
            IllegalPlay: the rules do not allow it now (F13); this state is as it was.
        """
        if isinstance(move, Play):
            return self._after_play(move)
        if self.how is not None:
            raise IllegalPlay("the round is over")
        if self.placements():
            raise IllegalPlay(f"{move} is not allowed while a playable tile is held")  # F24
        if isinstance(move, Draw):
            return self._after_draw()
        return self._after_pass()

    def _after_play(self, play: Play) -> Round:
        variant, hands, boneyard, seat, left, right, forced, _, _, how = self
        hand = hands[seat]
        bit, low, high, end = PLAY_TABLE[play.number]
        if how is not None or not hand & bit:
            raise IllegalPlay(_why_not(self, play))
        if end is End.LEFT and left in (low, high):
            left = low + high - left
        elif end is End.RIGHT and right in (low, high):
            right = low + high - right
        elif end is End.START and left == NO_END and (not forced or forced == bit):
            left, right = low, high
        else:
            raise IllegalPlay(_why_not(self, play))
        hand ^= bit
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
        if not hand:
            how = RoundEnding.DOMINO  # F27: at once, nobody gets a last turn
        else:
            seat = (seat + 1) % variant.seats
        return Round(variant, hands, boneyard, seat, left, right, 0, 0, 0, how)

    def _after_draw(self) -> Round:
        """Take tiles from the front: until one fits (F21, F22), or one (C13)."""
        if self.must_pass:
            raise IllegalPlay("nothing can be drawn in this turn any more")
        hand = self.hands[self.seat]
        fits = FITS[self.left] | FITS[self.right]
        most = 1 if self.variant.draw == "one" else self.drawable
        count = 0
        while count < most and not hand & fits:
            hand |= self.boneyard[count]
            count += 1
        hands = (*self.hands[: self.seat], hand, *self.hands[self.seat + 1 :])
        return self._replace(hands=hands, boneyard=self.boneyard[count:], drew=count)

    def _after_pass(self) -> Round:
        if not self.must_pass:
            raise IllegalPlay("pass is not allowed while a tile can be drawn")
        idle = self.idle + 1
        if idle >= self.variant.seats and not self.drawable:  # F28, A12
            return self._replace(idle=idle, drew=0, how=RoundEnding.BLOCKED)
        seat = (self.seat + 1) % self.variant.seats
        return self._replace(seat=seat, idle=idle, drew=0)


def deck_masks(deck: Sequence[Tile]) -> tuple[int, ...]:
    """The masks of a deck, in its order.

    Raises:
        DealError: the deck is not each of the 28 tiles once.
    """
    try:
        masks = tuple([MASKS[tile] for tile in deck])
    except KeyError as error:
        raise DealError(f"the deck holds {error.args[0]!r}, which is no tile") from None
    # 28 powers of two add up to 2**28 - 1 only if they are all different.
    if len(masks) != len(ALL_TILES) or sum(masks) != ALL_MASK:
        raise DealError(f"a deck is each of the {len(ALL_TILES)} tiles once")
    return masks


def opening_plays(hand: int) -> tuple[Play, ...]:
    """The plays of a hand before the first tile: any tile, at no end (F11, A5)."""
    return tuple(play_of(tile, End.START) for tile in tiles_of(hand))


def _forced_opening(hands: Sequence[int]) -> tuple[int, int]:
    opener = find_opener(hands)
    assert opener.tile is not None
    return opener.seat, MASKS[opener.tile]


def _why_not(state: Round, play: Play) -> str:
    """A sentence that speaks only of what the seat in turn can see."""
    if state.how is not None:
        return "the round is over"
    if not state.hands[state.seat] & MASKS[play.tile]:
        return f"tile {play.tile} is not in the hand"
    if state.left == NO_END:
        if play.end is not End.START:
            return f"{play} names an end, but the first tile of a round goes to no end"
        return f"{play} is not the tile that must open the round"
    if play.end is End.START:
        return f"{play} would open the round, which is already open"
    end = state.left if play.end is End.LEFT else state.right
    return f"{play.tile} does not fit the {play.end.name.lower()} end {end}"


def _plays_by_hand(value: int, end: End) -> dict[int, tuple[Play, ...]]:
    """For every set of tiles that show ``value`` (a mask): their plays at ``end``, ascending."""
    table: dict[int, tuple[Play, ...]] = {0: ()}
    for tile in tiles_of(FITS[value]):
        play = play_of(tile, end)
        table.update({mask | MASKS[tile]: (*plays, play) for mask, plays in table.items()})
    return table


LEFT_PLAYS = tuple(_plays_by_hand(value, End.LEFT) for value in range(TOP + 1))
RIGHT_PLAYS = tuple(_plays_by_hand(value, End.RIGHT) for value in range(TOP + 1))
PLAY_TABLE = tuple((MASKS[play.tile], play.tile.low, play.tile.high, play.end) for play in PLAYS)
"""Per ``Play.number``: mask, low half, high half, end."""

DRAW_ONLY: tuple[Draw, ...] = (DRAW,)
PASS_ONLY: tuple[Pass, ...] = (PASS,)
