"""Playing: one match at a table, and a series of matches over the same processes.

``play_series`` is the one entry. It knows no database and no files but the seats' sockets: a job
goes in, records come out through ``observe``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dominobot.errors import Garbled
from dominobot.replay import Player, ReplayHeader, build_replay
from dominobot.rules import IllegalPlay, Match, Play, round_deck
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb

from arena.core.job import SeriesJob
from arena.core.record import Evidence, MatchRecord, SeatUsage
from arena.core.referee import (
    FAULTS_PER_SERIES,
    Fault,
    Phase,
    fault_verdict,
    final_verdict,
    no_contest,
)
from arena.core.schedule import PlannedMatch
from arena.core.verdict import Termination, Verdict
from arena.errors import ArenaError
from arena.participant import Answered, Participant, Place
from arena.pulse import Pulse
from arena.supervisor.client import SeatPort

NOTE_BYTES = 200
NOTES_PER_MATCH_BYTES = 16 * 1024
_REPLACES_WORKER = frozenset({Termination.PROTOCOL, Termination.SECURITY})
_log = logging.getLogger(__name__)

Observe = Callable[[MatchRecord], None]
Step = Callable[["_Game", int], Awaitable[Fault | None]]


@dataclass(slots=True)
class _Game:
    """One match while it is played. ``table[seat]`` is the bot that sits there."""

    job: SeriesJob
    planned: PlannedMatch
    game_id: int
    table: Sequence[Participant]
    match: Match
    started: float = field(default_factory=time.perf_counter)
    told: list[int] = field(default_factory=list)
    timings_ms: list[float] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    note_bytes: int = 0
    faults: dict[int, Fault] = field(default_factory=dict)
    announced: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.told = [0] * len(self.table)

    def news_for(self, seat: int) -> int:
        """Index of the first event that this seat has not been told; it is told them now."""
        since, self.told[seat] = self.told[seat], len(self.match.events)
        return since

    def keep_note(self, note: str) -> None:
        """Keep a bot's remark on the play just made, within its limits."""
        text = note.encode()[:NOTE_BYTES].decode("utf-8", "ignore")
        self.note_bytes += len(text.encode())
        if text and self.note_bytes <= NOTES_PER_MATCH_BYTES:
            self.notes[len(self.match.plays) - 1] = text


class Series:
    """The bots of one series, seated at the sockets that the supervisor made for them."""

    def __init__(self, job: SeriesJob, port: SeatPort, folders: Sequence[Path]) -> None:
        self._job = job
        self._pulse = Pulse()
        self._bots = [
            Participant(port, Place(job.series_id, index, folder), job.control, self._pulse)
            for index, folder in enumerate(folders)
        ]
        self._strikes = list(job.strikes)
        self._last_fault: dict[int, Termination] = {}
        self._is_spoiled = False

    async def play(self, observe: Observe) -> bool:
        """Play the job's matches in order and observe each record.

        Returns whether the worker should be replaced before it plays anything else; then the
        matches after the last observed one are still to be played.
        """
        self._pulse.start()
        try:
            for game_id, planned in enumerate(self._job.matches, start=1):
                if any(bot.is_spent for bot in self._bots):
                    return True
                observe(await self._play_or_book(game_id, planned))
                if self._is_spoiled:
                    return True
            return False
        finally:
            await self._stop_all("the series is over")
            self._pulse.stop()

    async def _play_or_book(self, game_id: int, planned: PlannedMatch) -> MatchRecord:
        """One match; a failure of the arena's own is booked as such, never against a bot."""
        game = self._new_game(game_id, planned)
        try:
            if lost := self._lost_seats(game):
                return self._record_lost(game, lost)
            await self._play(game)
            return await self._conclude(game)
        except Exception as error:  # whatever broke, no bot may lose by it
            _log.exception("the arena failed in match %s", planned.match_id)
            self._is_spoiled = True
            evidence = Evidence(seat=None, phase="arena", detail=f"{type(error).__name__}: {error}")
            return self._record(game, no_contest(game.match.totals), evidence)

    def _new_game(self, game_id: int, planned: PlannedMatch) -> _Game:
        seed = planned.deal_seed
        table = [self._bots[self._job.place_of(bot)] for bot in planned.seating]
        for bot in table:
            bot.begin_game()
        match = Match(self._job.variant, lambda round_no: round_deck(seed, round_no))
        return _Game(self._job, planned, game_id, table, match)

    # --- a game ---------------------------------------------------------------------------

    async def _play(self, game: _Game) -> None:
        """Play until the rules decide the match or a bot fails (``game.faults``)."""
        await self._each(game, self._seat_bot)
        if not game.faults:
            await self._each(game, self._announce_start)
        asked: Participant | None = None
        while not game.faults and (decision := game.match.next_decision()) is not None:
            seat = decision.seat
            if asked is not None and asked is not game.table[seat]:
                asked.freeze()  # not before: a third of all questions go to the same bot again
            asked = game.table[seat]
            if time.perf_counter() - game.started > self._job.control.match_s:
                self._blame_longest_awaited(game)
                return
            question = codec.question(
                game.game_id,
                game.table[seat].next_decision_id(),
                game.match,
                decision,
                game.news_for(seat),
                _ms(self._job.control.move_s),
                _ms(game.table[seat].clock.bank_s),
            )
            reply = await game.table[seat].ask(question)
            fault = self._apply(game, reply) if isinstance(reply, Answered) else reply
            if fault is not None:
                game.faults[seat] = fault
        if asked is not None and not game.faults:
            asked.freeze()

    def _apply(self, game: _Game, reply: Answered) -> Fault | None:
        """Lay the tile that was answered, or say why it cannot be laid."""
        try:
            _, play = codec.read_answer(reply.answer)
            # The rules keep what was played; what was said with it is kept apart.
            game.match.play(Play(play.tile, play.end) if play.note else play)
        except (Garbled, IllegalPlay) as error:
            return Fault(Termination.ILLEGAL_MOVE, Phase.MOVE, str(error))
        game.timings_ms.append(round(reply.elapsed_s * 1000, 3))
        if play.note:
            game.keep_note(play.note)
        return None

    def _blame_longest_awaited(self, game: _Game) -> None:
        """Charge a match that takes too long to the bot for which the arena waited the longest.

        Raises:
            ArenaError: the waits do not explain it, so it was the arena that was slow.
        """
        limit = self._job.control.match_s
        waits = [bot.waited_s for bot in game.table]
        if sum(waits) < limit / 2:
            raise ArenaError(f"the match took longer than {limit:g} s, and not for its bots")
        seat = max(range(len(waits)), key=waits.__getitem__)
        detail = (
            f"the match took longer than {limit:g} s, and for this bot the arena waited the "
            f"longest: {waits[seat]:.1f} s"
        )
        game.faults[seat] = Fault(Termination.TIMEOUT, Phase.MOVE, detail)

    async def _each(self, game: _Game, step: Step) -> None:
        """Do a step for all seats together; faults are booked by seat."""
        seats = range(len(game.table))
        outcomes = await asyncio.gather(*(step(game, seat) for seat in seats))
        for seat, fault in zip(seats, outcomes, strict=True):
            if fault is not None:
                game.faults[seat] = fault

    async def _seat_bot(self, game: _Game, seat: int) -> Fault | None:
        bot = game.table[seat]
        if bot.is_running:
            return None
        fault = await bot.start()
        bot.freeze()
        return fault

    async def _announce_start(self, game: _Game, seat: int) -> Fault | None:
        start = codec.game_start(
            game.game_id, self._job.variant, seat, game.planned.bot_seeds[seat]
        )
        message = pb.PlayResponse(game_start=start)
        game.announced.add(seat)
        return await game.table[seat].announce(message, game.game_id, Phase.START)

    async def _announce_end(self, game: _Game, seat: int, verdict: Verdict) -> Fault | None:
        bot = game.table[seat]
        if seat not in game.announced or not bot.is_running:
            return None
        end = codec.game_end(
            game.game_id,
            game.match,
            game.news_for(seat),
            verdict.termination.value,
            verdict.ranks,
            verdict.scores,
            verdict.faulty_seat,
        )
        return await bot.announce(pb.PlayResponse(game_end=end), game.game_id, Phase.END)

    # --- its end --------------------------------------------------------------------------

    async def _conclude(self, game: _Game) -> MatchRecord:
        evidence = None
        for seat, fault in list(game.faults.items()):
            refined, seen = await game.table[seat].end(fault.detail, fault)
            assert refined is not None
            game.faults[seat] = refined
            self._look_at(refined)
            evidence = evidence or seen._replace(seat=seat)
        verdict = self._verdict(game)
        for seat in game.faults:
            self._strike(game.table[seat], verdict)
        ends = (self._announce_end(game, s, verdict) for s in range(len(game.table)))
        for seat, late_fault in enumerate(await asyncio.gather(*ends)):
            if late_fault is not None:
                # The match is decided and stays so; all it costs is the process. It does not
                # count among the faults of the series, since those must follow from verdicts:
                # a resumed series has nothing else to go by.
                refined, late = await game.table[seat].end(late_fault.detail, late_fault)
                self._look_at(refined)
                evidence = evidence or late._replace(seat=seat)
        return self._record(game, verdict, evidence)

    def _verdict(self, game: _Game) -> Verdict:
        game.match.next_decision()  # what is forced happens in any case, so it is in the scores
        result = game.match.result()
        if not game.faults:
            return final_verdict(result.ranks, result.scores, result.is_capped)
        first = game.faults[min(game.faults)]
        return fault_verdict(first.termination, sorted(game.faults), result.scores)

    def _look_at(self, fault: Fault | None) -> None:
        """Note when a fault says that the bot may have tried to harm this process."""
        self._is_spoiled |= fault is not None and fault.termination in _REPLACES_WORKER

    def _strike(self, bot: Participant, verdict: Verdict) -> None:
        """Count a fault, by the word of the verdict: a resumed series knows no other."""
        self._strikes[bot.index] += 1
        self._last_fault[bot.index] = verdict.termination

    def _lost_seats(self, game: _Game) -> list[int]:
        return [
            seat
            for seat, bot in enumerate(game.table)
            if self._strikes[bot.index] >= FAULTS_PER_SERIES
        ]

    def _record_lost(self, game: _Game, lost: list[int]) -> MatchRecord:
        """A match of a series that a bot has lost by its faults: decided, not played."""
        index = game.table[lost[0]].index
        last = self._last_fault.get(index)
        termination = last or Termination(self._job.last_faults[index])
        verdict = fault_verdict(termination, lost, game.match.totals)
        detail = f"not played: after {FAULTS_PER_SERIES} faults the rest of the series is lost"
        evidence = Evidence(seat=lost[0], phase=Phase.LOST.value, detail=detail)
        return self._record(game, verdict, evidence)

    def _record(self, game: _Game, verdict: Verdict, evidence: Evidence | None) -> MatchRecord:
        header = ReplayHeader(
            match_id=game.planned.match_id,
            tournament=self._job.tournament,
            players=tuple(
                Player(*self._job.bots[self._job.place_of(bot)]) for bot in game.planned.seating
            ),
            deal_seed=game.planned.deal_seed,
            bot_seeds=game.planned.bot_seeds,
            level=self._job.level,
        )
        return MatchRecord(
            match_id=game.planned.match_id,
            attempt=self._job.attempts.get(game.planned.match_id, 0),
            verdict=verdict,
            replay=build_replay(game.match, header, verdict.to_dict(), game.timings_ms, game.notes),
            level=self._job.level,
            wall_s=round(time.perf_counter() - game.started, 4),
            usage=tuple(_usage(bot) for bot in game.table),
            evidence=evidence,
        )

    async def _stop_all(self, reason: str) -> None:
        running = [bot for bot in self._bots if bot.is_running]
        await asyncio.gather(*(bot.end(reason) for bot in running), return_exceptions=True)


def _usage(bot: Participant) -> SeatUsage:
    clock = bot.clock
    return SeatUsage(
        clock.decisions,
        round(clock.total_s * 1000, 3),
        round(clock.slowest_s * 1000, 3),
        bot.unasked_in_game,
    )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
