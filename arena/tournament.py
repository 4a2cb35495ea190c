"""Running a planned tournament to its end: what is pending goes out, what comes back is saved.

Crash anywhere: the planned matches without a verdict are the to-do list, so running it again is
all there is to resuming.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from arena.core.clock import TimeControl
from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import SeriesPlan, Tournament, plan, remaining
from arena.errors import ArenaError
from arena.executors.base import Ended, Lost, MatchExecutor, Recorded
from arena.store import Store

LOSSES_IN_A_ROW = 3

OnRecord = Callable[[MatchRecord], None]


class TournamentRun:
    """One tournament on one executor.

    ``on_record`` is called for every saved match.
    """

    def __init__(
        self,
        store: Store,
        tournament: Tournament,
        executor: MatchExecutor,
        control: TimeControl,
        level: str,
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._executor = executor
        self._control = control
        self._level = level
        self._plan = plan(tournament)
        self._losses = 0

    async def play(self, on_record: OnRecord) -> str:
        """Play all that is pending, finish the tournament, and return the head of its chain.

        Raises:
            ArenaError: a worker was lost several times in a row, or the store failed. What was
                saved stays saved.
        """
        name = self._tournament.name
        while pending := self._store.pending(name):
            jobs = [self._job(series, pending) for series in remaining(self._plan, set(pending))]
            await self._pass(jobs, on_record)
        return self._store.finish(name)

    def _job(self, series: SeriesPlan, attempts: dict[str, int]) -> SeriesJob:
        faults = self._store.faults_in_series(series.series_id)
        bots = self._tournament.bots
        return SeriesJob(
            tournament=self._tournament.name,
            series_id=series.series_id,
            variant=self._tournament.variant,
            places=series.bots,
            bots=tuple((bots[index].name, bots[index].digest) for index in series.bots),
            matches=series.matches,
            control=self._control,
            level=self._level,
            strikes=tuple(len(faults.get(index, ())) for index in series.bots),
            last_faults=tuple(
                faults[index][-1].value if faults.get(index) else "" for index in series.bots
            ),
            attempts={match.match_id: attempts[match.match_id] for match in series.matches},
        )

    async def _pass(self, jobs: Sequence[SeriesJob], on_record: OnRecord) -> None:
        """Submit every job once and handle what comes until all have ended."""
        feeding = asyncio.create_task(self._feed(jobs))
        left = len(jobs)
        try:
            async for outcome in self._executor.outcomes():
                match outcome:
                    case Recorded(record=record):
                        self._losses = 0
                        if self._store.save(record):
                            on_record(record)
                    case Ended():
                        left -= 1
                    case Lost(why=why):
                        left -= 1
                        self._note_loss(why)
                if not left:
                    break
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _feed(self, jobs: Sequence[SeriesJob]) -> None:
        for job in jobs:
            await self._executor.submit(job)

    def _note_loss(self, why: str) -> None:
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise ArenaError(
                f"the worker was lost {self._losses} times in a row without finishing a match: "
                f"{why}; what is saved stays saved, run the same command to go on"
            )
