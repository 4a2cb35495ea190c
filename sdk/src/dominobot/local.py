"""Games in this process, for the author's own quick loop: no arena, no sandbox, no wire.

The bots meet the same rules, views and callbacks as in an arena. What differs: a slow move is
counted and not punished, and a bot's process is this one.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from dominobot.bot import Bot, GameInfo, GameResult
from dominobot.loading import describe
from dominobot.rules import (
    Decision,
    Event,
    IllegalPlay,
    Match,
    Variant,
    bot_seed,
    deal_seed,
    round_deck,
    tiles_of,
)
from dominobot.seat import Moment, SeatedBot

MOVE_LIMIT_S = 1.0
"""An arena's usual time for a decision; the bank comes on top."""
BANK_S = 5.0

_TOURNAMENT = "local"
_T = TypeVar("_T")


class Player(Protocol):
    """Someone who can sit down: a LoadedBot, or a ClassPlayer."""

    @property
    def name(self) -> str:
        """How results call it."""

    @property
    def bot_class(self) -> type[Bot]:
        """A fresh object of it plays each game."""

    @property
    def folder(self) -> Path | None:
        """Where its code is, to say where it failed."""

    def active(self) -> AbstractContextManager[None]:
        """The block in which its code may run."""


@dataclass(frozen=True, slots=True)
class ClassPlayer:
    """A Bot class that is already in this process."""

    name: str
    bot_class: type[Bot]
    folder: Path | None = None

    def active(self) -> AbstractContextManager[None]:
        """Nothing to arrange."""
        return contextlib.nullcontext()


@dataclass(slots=True)
class Pace:
    """How long a player took; seconds."""

    decisions: int = 0
    total_s: float = 0.0
    slowest_s: float = 0.0
    slow: int = 0
    """Calls that took longer than MOVE_LIMIT_S."""

    def add(self, took_s: float) -> None:
        """Note one call of the bot's code."""
        self.total_s += took_s
        self.slowest_s = max(self.slowest_s, took_s)
        self.slow += took_s > MOVE_LIMIT_S


@dataclass(frozen=True, slots=True)
class Fault:
    """What a bot did that loses a game: CRASH or ILLEGAL_MOVE, in words, with its traceback."""

    seat: int
    termination: str
    reason: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game: who sat where, how it ended. By seat, except ``seating``: player by seat."""

    number: int
    deal: int
    seating: tuple[int, ...]
    termination: str
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    rounds: int
    fault: Fault | None = None
    late_faults: tuple[Fault, ...] = ()
    """Exceptions after the last round: the result stands."""

    @property
    def winner(self) -> int | None:
        """The seat alone on the first rank, None if the game is drawn."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None


def tables(players: int, seats: int) -> list[tuple[int, ...]]:
    """Every set of ``seats`` players out of so many, as indexes."""
    return list(itertools.combinations(range(players), seats))


def play_games(
    players: Sequence[Player], variant: Variant, deals: int, seed: str, paces: Sequence[Pace]
) -> Iterator[GameRecord]:
    """Play ``deals`` deals at every table, each from every seat, and yield game by game.

    Every table plays the same deals. Same seed, same bots: same games, as far as the bots take
    their chance from ``self.random``. ``paces`` has one entry a player and is added to.
    """
    numbers = itertools.count(1)
    for deal in range(1, deals + 1):
        for table in tables(len(players), variant.seats):
            for rotation in range(variant.seats):
                seating = table[rotation:] + table[:rotation]
                plan = _Plan(next(numbers), deal, seating, variant, seed)
                yield _Game(plan, players, paces).play()


@dataclass(frozen=True, slots=True)
class _Plan:
    """All that decides a game, besides the bots."""

    number: int
    deal: int
    seating: tuple[int, ...]
    variant: Variant
    seed: str

    def match(self) -> Match:
        """The match, with the decks of its deal."""
        seed = deal_seed(self.seed.encode(), _TOURNAMENT, 1, self.deal)
        return Match(self.variant, lambda round_no: round_deck(seed, round_no))

    def bot_seed(self, seat: int) -> int:
        """The seed of the bot at a seat: its own for each game."""
        return bot_seed(self.seed.encode(), f"{self.deal} {self.seating}", seat)


class _Faulted(Exception):  # noqa: N818 - carries a fault to the end of the game
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.fault = fault


class _Game:
    """One game being played."""

    def __init__(self, plan: _Plan, players: Sequence[Player], paces: Sequence[Pace]) -> None:
        self._plan = plan
        self._match = plan.match()
        self._players = [players[index] for index in plan.seating]
        self._paces = [paces[index] for index in plan.seating]
        self._bots: dict[int, SeatedBot] = {}
        self._seen = [0] * plan.variant.seats

    def play(self) -> GameRecord:
        """Play it to its end, or to the first fault."""
        try:
            for seat in range(self._plan.variant.seats):
                self._bots[seat] = self._start(seat)
            while (decision := self._match.next_decision()) is not None:
                self._decide(decision)
        except _Faulted as faulted:
            return self._finish(faulted.fault)
        return self._finish(None)

    def _start(self, seat: int) -> SeatedBot:
        info = GameInfo(self._plan.variant, seat, self._plan.bot_seed(seat))
        return self._call(seat, lambda: SeatedBot(self._players[seat].bot_class, info))

    def _decide(self, decision: Decision) -> None:
        seat, match = decision.seat, self._match
        moment = Moment(
            hand=tiles_of(match.hand(seat)),
            legal=decision.legal,
            ends=match.ends,
            counts=match.counts,
            boneyard=match.boneyard_count,
            totals=match.totals,
            limit_s=MOVE_LIMIT_S,
            bank_s=BANK_S,
        )
        events = self._news(seat)
        self._paces[seat].decisions += 1
        play = self._call(seat, lambda: self._bots[seat].choose(events, moment))
        try:
            match.play(play)
        except IllegalPlay as error:
            raise _Faulted(Fault(seat, "ILLEGAL_MOVE", f"played {play}: {error}")) from None

    def _finish(self, fault: Fault | None) -> GameRecord:
        match = self._match
        result = match.result()
        if fault is not None:
            termination, ranks = fault.termination, _ranks_after(fault.seat, match.totals)
        else:
            termination = "ROUND_CAP" if result.is_capped else "TARGET_REACHED"
            ranks = result.ranks
        faulty_seat = None if fault is None else fault.seat
        late = []
        for seat in self._bots:
            if seat != faulty_seat:
                said = GameResult(seat, termination, ranks, match.totals, faulty_seat)
                try:
                    self._end(seat, said)
                except _Faulted as faulted:
                    late.append(faulted.fault)
        return GameRecord(
            number=self._plan.number,
            deal=self._plan.deal,
            seating=self._plan.seating,
            termination=termination,
            ranks=ranks,
            totals=match.totals,
            rounds=match.round_no,
            fault=fault,
            late_faults=tuple(late),
        )

    def _end(self, seat: int, result: GameResult) -> None:
        events = self._news(seat)
        self._call(seat, lambda: self._bots[seat].end(events, result))

    def _news(self, seat: int) -> list[Event]:
        """The public events since the seat was last spoken to."""
        events = self._match.events[self._seen[seat] :]
        self._seen[seat] = len(self._match.events)
        return events

    def _call(self, seat: int, code: Callable[[], _T]) -> _T:
        """Run a bot's code on the clock, its prints to stderr; what it raises becomes a fault."""
        player = self._players[seat]
        try:
            with player.active(), contextlib.redirect_stdout(sys.stderr):
                begun = time.perf_counter()
                try:
                    return code()
                finally:
                    self._paces[seat].add(time.perf_counter() - begun)
        except (Exception, SystemExit) as error:
            fault = Fault(seat, "CRASH", describe(error, player.folder), _trace(error, player))
            raise _Faulted(fault) from error


def _ranks_after(faulty_seat: int, totals: Sequence[int]) -> tuple[int, ...]:
    """The one at fault is last, the others rank by their points so far."""
    merits = [(seat != faulty_seat, total) for seat, total in enumerate(totals)]
    return tuple(1 + sum(other > merit for other in merits) for merit in merits)


def _trace(error: BaseException, player: Player) -> str:
    """The traceback, from the first line of the bot's own folder on."""
    frames = traceback.extract_tb(error.__traceback__)
    if player.folder is not None:
        inside = [Path(frame.filename).is_relative_to(player.folder) for frame in frames]
        frames = traceback.StackSummary.from_list(
            frames[inside.index(True) :] if any(inside) else []
        )
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    return "".join(lines)
