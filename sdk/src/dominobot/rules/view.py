"""What one seat may know, and how it is kept up to date from public events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dominobot.rules.chain import Chain
from dominobot.rules.events import Ends, Event, Played, RoundEnd, RoundStart
from dominobot.rules.moves import Play
from dominobot.rules.tiles import ALL_MASK, Tile, mask_of, tiles_of
from dominobot.rules.variant import Variant


@dataclass(frozen=True, slots=True)
class View:
    """All that a seat may know at one point of a match (A16).

    variant: the rules of this match.
    seat: the own seat, 0..3.
    round_no: number of the round, from 1 (0 before the first).
    hand: the own tiles, ascending; tiles drawn in this turn are in it.
    legal: the distinct plays to choose from; with equal ends only LEFT is listed. Empty where the
        seat has nothing to decide.
    ends: open ends (left, right), None before the first tile of the round.
    chain: tiles as they lie, from left to right, each as (left half, right half).
    counts: tiles in each hand, by seat.
    boneyard: tiles left to draw, a reserve included.
    totals: points of each seat before this round, by seat.
    opener: the seat that opened this round.
    events: public events of this round, oldest first.
    rounds: how the earlier rounds ended, oldest first.
    limit_s, bank_s: seconds for this decision, and of the bank left; None where nobody counts.
    """

    variant: Variant
    seat: int
    round_no: int
    hand: tuple[Tile, ...]
    legal: tuple[Play, ...]
    ends: Ends | None
    chain: tuple[tuple[int, int], ...]
    counts: tuple[int, ...]
    boneyard: int
    totals: tuple[int, ...]
    opener: int
    events: tuple[Event, ...]
    rounds: tuple[RoundEnd, ...]
    limit_s: float | None = None
    bank_s: float | None = None

    @property
    def played(self) -> tuple[Tile, ...]:
        """The tiles on the table, ascending."""
        return tuple(sorted(Tile.of(*halves) for halves in self.chain))

    @property
    def unseen(self) -> tuple[Tile, ...]:
        """The tiles neither in the own hand nor on the table, ascending."""
        return tiles_of(ALL_MASK & ~mask_of(self.hand) & ~mask_of(self.played))

    @property
    def opponents(self) -> tuple[int, ...]:
        """The other seats in turn order, the next one first."""
        return tuple(self.next_seat(steps=step) for step in range(1, self.variant.seats))

    def next_seat(self, seat: int | None = None, steps: int = 1) -> int:
        """The seat ``steps`` turns after ``seat`` (the own one if None), clockwise (A1)."""
        return ((self.seat if seat is None else seat) + steps) % self.variant.seats


class ViewTracker:
    """Keeps chain and history of a match from its public events, and makes views of one seat."""

    def __init__(self, variant: Variant, seat: int) -> None:
        self._variant = variant
        self._seat = seat
        self._chain = Chain()
        self._round_no = 0
        self._opener = 0
        self._events: list[Event] = []
        self._rounds: list[RoundEnd] = []

    def see(self, events: Iterable[Event]) -> None:
        """Take note of the public events that follow those seen before, oldest first.

        Raises:
            IllegalPlay: an event lays a tile where it does not fit.
        """
        for event in events:
            if isinstance(event, RoundStart):
                self._start_round(event)
            elif isinstance(event, Played):
                self._chain.lay(event.tile, event.end)
            self._events.append(event)

    def _start_round(self, start: RoundStart) -> None:
        if self._events and isinstance(self._events[-1], RoundEnd):
            self._rounds.append(self._events[-1])
        self._events.clear()
        self._chain = Chain()
        self._round_no = start.round_no
        self._opener = start.opener

    def view(
        self,
        hand: Iterable[Tile],
        legal: Iterable[Play],
        ends: Ends | None,
        counts: Iterable[int],
        boneyard: int,
        totals: Iterable[int],
        limit_s: float | None = None,
        bank_s: float | None = None,
    ) -> View:
        """The view of the seat now: what was seen, and what the table says of this moment."""
        return View(
            variant=self._variant,
            seat=self._seat,
            round_no=self._round_no,
            hand=tuple(hand),
            legal=tuple(legal),
            ends=ends,
            chain=self._chain.tiles(),
            counts=tuple(counts),
            boneyard=boneyard,
            totals=tuple(totals),
            opener=self._opener,
            events=tuple(self._events),
            rounds=tuple(self._rounds),
            limit_s=limit_s,
            bank_s=bank_s,
        )
