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

START, LEFT, RIGHT = End

_round = tuple.__new__

NO_END = -1
"""``Round.left`` and ``Round.right`` before the first tile."""


class Opener(NamedTuple):
    """Who lays the first tile of a round, why, and the tile: ``forced`` is a mask, 0 if free."""

    seat: int
    opening: Opening
    forced: int


def find_opener(hands: Sequence[int]) -> Opener:
    """Who opens when nobody has won the round before (F9, F10, C6, K6). Hands are masks.

    The highest double; if nobody was dealt one, the tile of the largest sum, among equal sums the
    one with the larger half. All seats are compared, and no lots are ever needed.
    """
    dealt = 0
    for hand in hands:
        dealt |= hand
    opening: Opening = "double"
    forced = 1 << (dealt & DOUBLES).bit_length() >> 1  # doubles ascend with their bits
    if not forced:
        opening = "highest"
        forced = MASKS[max(tiles_of(dealt), key=lambda tile: (tile.pips, tile.high))]
    for seat, hand in enumerate(hands):
        if hand & forced:
            return Opener(seat, opening, forced)
    raise DealError("nobody was dealt a tile")


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
        return cls.deal_masks(variant, deck_masks(deck), winner)

    @classmethod
    def deal_masks(cls, variant: Variant, masks: tuple[int, ...], winner: int | None) -> Round:
        """Deal a deck given as ``deck_masks`` gives it."""
        size = variant.deal
        dealt = variant.seats * size
        hands = tuple([sum(masks[first : first + size]) for first in range(0, dealt, size)])
        forced = 0
        if winner is None:
            winner, _, forced = find_opener(hands)
        return _round(
            cls, (variant, hands, masks[dealt:], winner, NO_END, NO_END, forced, 0, 0, None)
        )

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
        _, hands, _, seat, left, right, forced, _, _, how = self
        hand = hands[seat]
        if how is not None:
            return ()
        if left == NO_END:
            return opening_plays(forced or hand)
        plays = LEFT_PLAYS[left][hand & FITS[left]]
        return plays if left == right else plays + RIGHT_PLAYS[right][hand & FITS[right]]

    def placements(self) -> tuple[Play, ...]:
        """Every placement that is allowed now; with equal ends LEFT and RIGHT both (A11)."""
        plays = self.choices()
        if self.left == self.right != NO_END and self.how is None:
            plays += RIGHT_PLAYS[self.right][self.hands[self.seat] & FITS[self.right]]
        return plays

    def moves(self) -> tuple[Move, ...]:
        """All that the seat in turn can do: its ``choices``, else only DRAW, else only PASS."""
        return self.choices() or self._without_play()

    def _without_play(self) -> tuple[Move, ...]:
        if self.how is not None:
            return ()
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
        if not isinstance(move, Play):
            return self._after_draw() if isinstance(move, Draw) else self._after_pass()
        variant, hands, boneyard, seat, left, right, forced, _, _, how = self
        bit, low, high, end = PLAY_TABLE[move.number]
        hand = hands[seat]
        if how is not None or not hand & bit:
            raise IllegalPlay(_why_not(self, move))
        if end is LEFT and left in (low, high):
            left = low + high - left
        elif end is RIGHT and right in (low, high):
            right = low + high - right
        elif end is START and left == NO_END and (not forced or forced == bit):
            left, right = low, high
        else:
            raise IllegalPlay(_why_not(self, move))
        hand ^= bit
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
        if not hand:
            how = RoundEnding.DOMINO  # F27: at once, nobody gets a last turn
        else:
            seat = (seat + 1) % len(hands)
        return _round(Round, (variant, hands, boneyard, seat, left, right, 0, 0, 0, how))

    def _after_draw(self) -> Round:
        """Take tiles from the front: until one fits (F21, F22), or one (C13)."""
        variant, hands, boneyard, seat, left, right, forced, idle, drew, how = self
        hand = hands[seat]
        fits = 0 if left == NO_END else FITS[left] | FITS[right]
        most = 1 if variant.draw == "one" else self.drawable
        if how is not None or left == NO_END or hand & fits or drew or not self.drawable:
            raise IllegalPlay(_why_nothing_but(self, DRAW))
        while drew < most and not hand & fits:
            hand |= boneyard[drew]
            drew += 1
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
        return _round(
            Round, (variant, hands, boneyard[drew:], seat, left, right, forced, idle, drew, how)
        )

    def _after_pass(self) -> Round:
        variant, hands, boneyard, seat, left, right, forced, idle, _, how = self
        if how is not None or self.choices() or not self.must_pass:
            raise IllegalPlay(_why_nothing_but(self, PASS))
        idle += 1
        if idle >= variant.seats and not self.drawable:
            how = RoundEnding.BLOCKED  # F28, A12
        else:
            seat = (seat + 1) % variant.seats
        return _round(Round, (variant, hands, boneyard, seat, left, right, forced, idle, 0, how))


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
    plays = []
    while hand:
        bit = hand & -hand
        plays.append(_START_PLAYS[bit.bit_length() - 1])
        hand ^= bit
    return tuple(plays)


def _why_nothing_but(state: Round, move: Draw | Pass) -> str:
    """Why the seat in turn cannot draw, or cannot pass."""
    if state.how is not None:
        return "the round is over"
    if state.choices():
        return f"{move} is not allowed while a playable tile is held"  # F24
    if isinstance(move, Pass):
        return "pass is not allowed while a tile can be drawn"
    return "nothing can be drawn in this turn any more"


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


_START_PLAYS = tuple(play_of(tile, START) for tile in ALL_TILES)
LEFT_PLAYS = tuple(_plays_by_hand(value, End.LEFT) for value in range(TOP + 1))
RIGHT_PLAYS = tuple(_plays_by_hand(value, End.RIGHT) for value in range(TOP + 1))
PLAY_TABLE = tuple((MASKS[play.tile], play.tile.low, play.tile.high, play.end) for play in PLAYS)
"""Per ``Play.number``: mask, low half, high half, end."""

DRAW_ONLY: tuple[Draw, ...] = (DRAW,)
PASS_ONLY: tuple[Pass, ...] = (PASS,)
