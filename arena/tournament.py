"""Running a planned tournament to its end: what is pending goes out, what comes back is saved.

Crash anywhere: the planned matches without a verdict are the to-do list, so running it again is
all there is to resuming.

A bot may find a way to end its worker, and every match has to end all the same. So a series that
cost several workers in a row without a match played is handed out match by match, and a match that
costs its worker then is booked as the arena's fault: a no-contest, which the store plans again a
few times before it stands. A series that cannot even be begun is another matter: that is this
machine's trouble, which a person can mend, so nothing is booked and the run ends.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.core.clock import TimeControl
from arena.core.job import SeriesJob
from arena.core.record import Evidence, MatchRecord
from arena.core.referee import no_contest
from arena.core.schedule import SeriesPlan, Tournament, remaining
from arena.errors import ArenaError
from arena.executors.base import Ended, Lost, MatchExecutor, Outcome, Recorded
from arena.store import Store

LOSSES_IN_A_ROW = 3
"""So often in a row a series, or any, may fail to begin before the run is given up."""
LOSSES_AT_FULL_LENGTH = 2
"""So many workers may a series cost in a row before it is handed out match by match."""

OnRecord = Callable[[MatchRecord], None]


class Conditions(NamedTuple):
    """How matches are played: the clocks, and the sandbox level by name."""

    control: TimeControl
    level: str


class _Pass:
    """One round of handing out what is pending; ``left`` jobs have not ended yet."""

    def __init__(self, jobs: Sequence[SeriesJob]) -> None:
        self.jobs = {job.series_id: job for job in jobs}
        self.waiting = {job.series_id: [match.match_id for match in job.matches] for job in jobs}
        self.left = len(jobs)


class TournamentRun:
    """One tournament, with its plan, on one executor."""

    def __init__(
        self,
        store: Store,
        tournament: Tournament,
        series: Sequence[SeriesPlan],
        executor: MatchExecutor,
        conditions: Conditions,
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._executor = executor
        self._conditions = conditions
        self._plan = series
        self._losses = Counter[str]()
        self._failures = Counter[str]()
        self._failures_in_a_row = 0

    async def play(self, on_record: OnRecord) -> str:
        """Play all that is pending, finish the tournament, and return the head of its chain.

        ``on_record`` is called for every saved match.

        Raises:
            ArenaError: a series could not be begun several times in a row, or the store failed.
                What was saved stays saved.
        """
        name = self._tournament.name
        while pending := self._store.pending(name):
            jobs = [self._job(series, pending) for series in remaining(self._plan, set(pending))]
            await self._pass(_Pass(jobs), on_record)
        return self._store.finish(name)

    def _job(self, series: SeriesPlan, attempts: dict[str, int]) -> SeriesJob:
        faults = self._store.faults_in_series(series.series_id)
        bots = self._tournament.bots
        is_split = self._losses[series.series_id] >= LOSSES_AT_FULL_LENGTH
        matches = series.matches[:1] if is_split else series.matches
        return SeriesJob(
            tournament=self._tournament.name,
            series_id=series.series_id,
            variant=self._tournament.variant,
            places=series.bots,
            bots=tuple((bots[index].name, bots[index].digest) for index in series.bots),
            matches=matches,
            control=self._conditions.control,
            level=self._conditions.level,
            strikes=tuple(len(faults.get(index, ())) for index in series.bots),
            last_faults=tuple(
                faults[index][-1].value if faults.get(index) else "" for index in series.bots
            ),
            attempts={match.match_id: attempts[match.match_id] for match in matches},
        )

    async def _pass(self, going: _Pass, on_record: OnRecord) -> None:
        """Submit every job once and handle what comes until all have ended."""
        feeding = asyncio.create_task(self._feed(tuple(going.jobs.values())))
        try:
            async for outcome in self._executor.outcomes():
                self._handle(outcome, going, on_record)
                if not going.left:
                    break
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _feed(self, jobs: Sequence[SeriesJob]) -> None:
        for job in jobs:
            await self._executor.submit(job)

    def _handle(self, outcome: Outcome, going: _Pass, on_record: OnRecord) -> None:
        match outcome:
            case Recorded(series_id=series_id, record=record):
                going.waiting[series_id].remove(record.match_id)
                self._losses.pop(series_id, None)
                self._note_begun(series_id)
                self._save(record, on_record)
            case Ended():
                going.left -= 1
            case Lost(series_id=series_id, has_begun=True, why=why):
                going.left -= 1
                self._note_begun(series_id)
                if waiting := going.waiting[series_id]:
                    self._note_loss(going.jobs[series_id], waiting[0], why, on_record)
            case Lost(series_id=series_id, why=why):
                going.left -= 1
                self._note_failure(series_id, why)

    def _save(self, record: MatchRecord, on_record: OnRecord) -> None:
        if self._store.save(record):
            on_record(record)

    def _note_loss(self, job: SeriesJob, match_id: str, why: str, on_record: OnRecord) -> None:
        """A worker was lost in a series that it played; ``match_id`` was in flight."""
        self._losses[job.series_id] += 1
        if self._losses[job.series_id] <= LOSSES_AT_FULL_LENGTH:
            return  # once or twice may be anybody's doing
        record = MatchRecord(
            match_id=match_id,
            attempt=job.attempts[match_id],
            verdict=no_contest((0,) * job.variant.seats),
            replay="",
            level=job.level,
            wall_s=0.0,
            usage=(),
            evidence=Evidence(seat=None, phase="arena", detail=why),
        )
        self._save(record, on_record)

    def _note_begun(self, series_id: str) -> None:
        self._failures.pop(series_id, None)
        self._failures_in_a_row = 0

    def _note_failure(self, series_id: str, why: str) -> None:
        """A series could not be begun."""
        self._failures[series_id] += 1
        self._failures_in_a_row += 1
        times = max(self._failures[series_id], self._failures_in_a_row)
        if times >= LOSSES_IN_A_ROW:
            raise ArenaError(
                f"a series could not be begun {times} times in a row: {why}; "
                "what is saved stays saved, run the same command to go on"
            )
