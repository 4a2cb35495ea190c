"""A match: rounds to the target at one table, driven from decision to decision.

The driver plays every turn that leaves no choice (forced opening, single distinct placement, draws
and passes) and stops where a seat has to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from dominobot.rules.chain import Chain
from dominobot.rules.errors import IllegalPlay, MissingDeck
from dominobot.rules.events import (
    Drew,
    Ends,
    Event,
    Opening,
    Passed,
    Played,
    RoundEnd,
    RoundEnding,
    RoundLog,
    RoundStart,
    Turn,
)
from dominobot.rules.moves import DRAW, PASS, Pass, Play
from dominobot.rules.round import Round, find_opener
from dominobot.rules.scoring import score
from dominobot.rules.tiles import ALL_TILES, Tile, pips_of, tiles_of
from dominobot.rules.variant import Variant
from dominobot.rules.view import View, ViewTracker

Deck: TypeAlias = Sequence[Tile]
Decks: TypeAlias = Callable[[int], Deck] | Sequence[Deck]
"""The deck of each round: a function of the round's number (from 1), or decks in a row."""


class Decision(NamedTuple):
    """A seat has to choose one of ``legal``: at least two plays that differ (A11)."""

    seat: int
    legal: tuple[Play, ...]


class MatchResult(NamedTuple):
    """How a match stands or ended, by seat.

    ``ranks``: 1 is best, equal ranks share the place (A21). ``is_capped`` says that the round cap
    ended the match drawn (A20).
    """

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    is_capped: bool


class Match:
    """One match that is going on.

    ``events`` (public), ``log`` (finished rounds), ``current_turns`` (of the round that is going
    on) and ``plays`` (answered decisions) only ever grow at the end; ``current_turns`` starts anew
    with each round. ``deck``, ``opener`` and ``opening`` belong to the round ``round_no`` (0 before
    the first). None of the attributes may be changed from outside.

    ``asks_single`` makes single distinct placements decisions too (passes never are): so that a
    written game can be followed to the letter, where RIGHT was said with equal ends.
    """

    def __init__(self, variant: Variant, decks: Decks, *, asks_single: bool = False) -> None:
        self.variant = variant
        self.events: list[Event] = []
        self.log: list[RoundLog] = []
        self.current_turns: list[Turn] = []
        self.plays: list[Play] = []
        self.totals: tuple[int, ...] = (0,) * variant.seats
        self.round_no = 0
        self.is_over = False
        self._decks = decks
        self._fewest_to_ask = 1 if asks_single else 2
        self.deck: Deck = ()
        self.opener = 0
        self.opening: Opening = "double"
        self._round: Round | None = None
        self._chain = Chain()
        self._carried = 0
        self._drew: tuple[Tile, ...] = ()
        self._pending: Decision | None = None
        self._trackers: dict[int, tuple[ViewTracker, int]] = {}

    def next_decision(self) -> Decision | None:
        """Play on until a seat has to choose; None when the match is over.

        Asking again without ``play`` gives the same decision.

        Raises:
            MissingDeck: there is no deck for the next round.
            DealError: the deck of a round is not each of the 28 tiles once.
        """
        while self._pending is None and not self.is_over:
            state = self._round
            if state is None or state.how is not None:
                state = self._begin_round()
            self._pending = self._advance(state)
        return self._pending

    def play(self, play: Play) -> None:
        """Answer the pending decision. With equal ends LEFT and RIGHT are both accepted (F18).

        Raises:
            IllegalPlay: no decision is pending, or the play is not allowed; nothing has changed.
        """
        state, pending = self._round, self._pending
        if pending is None or state is None:
            raise IllegalPlay("no decision is pending")
        after = state.after(play)
        self.plays.append(play)
        self._pending = None
        self._end_turn(state, play, pending.legal, after)

    @property
    def ends(self) -> Ends | None:
        """The open ends, None before the first tile of the round."""
        return None if self._round is None else self._round.ends

    @property
    def counts(self) -> tuple[int, ...]:
        """Tiles in each hand, by seat; all 0 before the first deal."""
        if self._round is None:
            return (0,) * self.variant.seats
        return tuple([hand.bit_count() for hand in self._round.hands])

    @property
    def boneyard_count(self) -> int:
        """Tiles in the boneyard, a reserve included; all 28 before the first deal."""
        return len(ALL_TILES) if self._round is None else len(self._round.boneyard)

    def hand(self, seat: int) -> int:
        """The hand of ``seat`` as a mask."""
        return 0 if self._round is None else self._round.hands[seat]

    def view(self, seat: int) -> View:
        """What ``seat`` may know now. ``legal`` is filled if it has to decide."""
        tracker, seen = self._trackers.get(seat) or (ViewTracker(self.variant, seat), 0)
        tracker.see(self.events[seen:])
        self._trackers[seat] = tracker, len(self.events)
        pending = self._pending
        legal = pending.legal if pending is not None and pending.seat == seat else ()
        return tracker.view(
            tiles_of(self.hand(seat)),
            legal,
            self.ends,
            self.counts,
            self.boneyard_count,
            self.totals,
        )

    def result(self) -> MatchResult:
        """How the match stands: final when ``is_over``, else by the totals so far.

        Ranks go by total, equal totals share the place (A21); the winner of a single round is first
        even for 0 points (F29). After the round cap all seats share the first place (A20).
        """
        is_single = self.variant.target is None
        is_capped = self.is_over and not is_single and not self._has_reached_target()
        if is_capped:
            return MatchResult((1,) * self.variant.seats, self.totals, True)
        winner = self.log[-1].winner if is_single and self.log else None
        merits = [(seat == winner, total) for seat, total in enumerate(self.totals)]
        ranks = tuple([1 + sum(other > merit for other in merits) for merit in merits])
        return MatchResult(ranks, self.totals, False)

    def _has_reached_target(self) -> bool:
        target = self.variant.target
        return target is not None and max(self.totals) >= target

    def _begin_round(self) -> Round:
        round_no = self.round_no + 1
        deck = self._deck_of(round_no)
        winner = self.log[-1].winner if self.log else None  # None after a tie: F14
        if self.variant.reopen == "double":
            winner = None
        state = Round.deal(self.variant, deck, winner)
        opening = "winner" if winner is not None else find_opener(state.hands).opening
        self._round, self.round_no = state, round_no
        self.deck, self.opener, self.opening = deck, state.seat, opening
        self._chain = Chain()
        self.current_turns = []
        self.events.append(RoundStart(round_no, state.seat, opening))
        return state

    def _deck_of(self, round_no: int) -> Deck:
        if callable(self._decks):
            return self._decks(round_no)
        if round_no > len(self._decks):
            raise MissingDeck(f"there is no deck for round {round_no}")
        return self._decks[round_no - 1]

    def _advance(self, state: Round) -> Decision | None:
        """Take one forced step, or give the decision that has to be taken."""
        plays = state.choices()
        if len(plays) >= self._fewest_to_ask:
            return Decision(state.seat, plays)
        if plays:
            self._end_turn(state, plays[0], plays, state.after(plays[0]))
        elif state.must_pass:
            self._end_turn(state, PASS, (), state.after(PASS))
        else:
            self._draw(state, state.after(DRAW))
        return None

    def _draw(self, state: Round, after: Round) -> None:
        self._round = after
        drawn = state.boneyard[: after.drew]
        self._drew = tuple([ALL_TILES[mask.bit_length() - 1] for mask in drawn])
        self.events.append(Drew(state.seat, after.drew))

    def _end_turn(
        self, state: Round, move: Play | Pass, plays: tuple[Play, ...], after: Round
    ) -> None:
        """Note a turn that led from ``state``, where ``plays`` were its choices, to ``after``."""
        seat = state.seat
        if isinstance(move, Play):
            self._chain.lay(move.tile, move.end)
            self.events.append(Played(seat, move.tile, move.end))
        else:
            self.events.append(Passed(seat))
        has_equal_ends = state.left == state.right
        self.current_turns.append(
            Turn(
                seat,
                state.ends,
                self._drew,
                state.placements() if has_equal_ends else plays,
                len(plays),
                move,
                after.hands[seat].bit_count(),
                len(after.boneyard),
            )
        )
        self._drew = ()
        self._round = after
        if after.how is not None:
            self._end_round(after, after.how)

    def _end_round(self, state: Round, how: RoundEnding) -> None:
        went_out = state.seat if how is RoundEnding.DOMINO else None
        pips = [pips_of(hand) for hand in state.hands]
        winner, points = score(how, went_out, pips, self.variant.count)
        if winner is not None:
            points += self._carried
            self._carried = 0
            self.totals = tuple(
                [total + points * (seat == winner) for seat, total in enumerate(self.totals)]
            )
        elif self.variant.tie == "carried":
            self._carried += sum(pips)
        hands = tuple([tiles_of(hand) for hand in state.hands])
        self.events.append(RoundEnd(how, winner, points, hands, self.totals))
        self.log.append(
            RoundLog(
                self.round_no,
                tuple(self.deck),
                self.opener,
                self.opening,
                tuple(self.current_turns),
                how,
                winner,
                points,
                hands,
                tuple([ALL_TILES[mask.bit_length() - 1] for mask in state.boneyard]),
                self._chain.tiles(),
                self.totals,
            )
        )
        self.is_over = (
            self.variant.target is None
            or self._has_reached_target()
            or self.round_no >= self.variant.round_cap
        )
