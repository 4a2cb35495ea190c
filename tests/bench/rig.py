"""A table of two trivial bots, played for real: executor, supervisor, worker, sandboxed seats."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from dominobot.rules import Variant

from arena.bundle import Bundle, pack
from arena.core.clock import TimeControl
from arena.core.job import SeriesJob
from arena.core.schedule import SeriesPlan, Tournament, plan
from arena.errors import ArenaError
from arena.executors.base import Ended, Lost, Outcome, Recorded
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level
from tests.bench.processes import cpu_s, find_module
from tests.bench.twins import folders

WORKER = "arena.executors.worker"
SUPERVISOR = "arena.supervisor"
START_S = 0.3
"""A worker that has been started by then has become Python, and has no threads yet."""
CONTROL = TimeControl(move_s=2.0, bank_s=10.0, connect_s=20.0)


class Stretch(NamedTuple):
    """What was seen between the first and the last record of some series.

    ``cpu_s`` is the workers' own, all threads; the bots' is not in it.
    """

    matches: int
    decisions: int
    cpu_s: float
    wall_s: float

    @property
    def cpu_us(self) -> float:
        """Microseconds of worker CPU for a decision."""
        return 1e6 * self.cpu_s / self.decisions

    @property
    def wall_us(self) -> float:
        """Microseconds from decision to decision, per worker that played."""
        return 1e6 * self.wall_s / self.decisions


class Rig:
    """``jobs`` workers that play famille to 100 between two copies of the random sample bot.

    With a ``core`` all of a job (supervisor, worker, seats) runs on that one.
    """

    def __init__(self, level: Level, jobs: int, core: int | None = None) -> None:
        self.jobs = jobs
        self._level = level
        self._core = core
        self._bundles = [pack(folder) for folder in folders()]
        self._executor = LocalExecutor(_config(level, jobs, self._bundles))
        self._round = 0
        self._workers = set[int]()

    async def start(self) -> None:
        """Bring supervisors and workers up. Raises SandboxError."""
        before = _find_all()
        await self._executor.start()
        await asyncio.sleep(START_S)
        new = _find_all() - before
        self._workers = new & set(find_module(os.getpid(), WORKER))
        for pid in new if self._core is not None else ():
            os.sched_setaffinity(pid, {self._core or 0})

    async def close(self) -> None:
        """End everything."""
        await self._executor.close()

    async def play(self, matches: int) -> Stretch:
        """One series of ``matches`` on each worker at once, in fresh bot processes.

        The first match of each is played but not counted: it starts the bots.
        """
        stretch = await self._play(matches)
        if not stretch.decisions:
            raise ArenaError("the bench's series are too short to measure anything")
        return stretch

    async def warm_up(self) -> None:
        """Play a little that is not counted."""
        await self._play(2)

    async def _play(self, matches: int) -> Stretch:
        self._round += 1
        series = self._plan(matches)
        for job in series:
            await self._executor.submit(job)
        return await self._watch([job.series_id for job in series])

    def _plan(self, matches: int) -> list[SeriesJob]:
        jobs: list[SeriesJob] = []
        for number in range(self.jobs):
            tournament = Tournament(
                f"bench {self._round}.{number}",
                Variant.preset("famille"),
                tuple(bundle.version.ref for bundle in self._bundles),
                matches,
                None,
                b"bench",
            )
            jobs.append(job_of(tournament, plan(tournament)[0], self._level))
        return jobs

    async def _watch(self, waiting: Sequence[str]) -> Stretch:
        """Count from the first record that follows every worker's first one."""
        left, begun = set(waiting), set[str]()
        matches = decisions = 0
        before = after = (0.0, 0.0)
        async for outcome in self._executor.outcomes():
            _raise_if_lost(outcome)
            if isinstance(outcome, Ended):
                left.discard(outcome.series_id)
                if not left:
                    break
            elif isinstance(outcome, Recorded) and len(left) == len(waiting):
                now = (sum(map(cpu_s, self._workers)), time.perf_counter())
                if len(begun) < len(waiting):
                    begun.add(outcome.series_id)
                    before = now
                else:
                    matches += 1
                    decisions += sum(seat.decisions for seat in outcome.record.usage)
                    after = now
        return Stretch(matches, decisions, after[0] - before[0], after[1] - before[1])


def job_of(tournament: Tournament, series: SeriesPlan, level: Level) -> SeriesJob:
    """A whole series as a worker's job."""
    bots = [tournament.bots[index] for index in series.bots]
    return SeriesJob(
        tournament=tournament.name,
        series_id=series.series_id,
        variant=tournament.variant,
        places=series.bots,
        bots=tuple((bot.name, bot.digest) for bot in bots),
        matches=series.matches,
        control=CONTROL,
        level=level.value,
        strikes=(0,) * len(bots),
        last_faults=("",) * len(bots),
    )


def _find_all() -> set[int]:
    """The supervisors and workers of this process."""
    return {pid for module in (WORKER, SUPERVISOR) for pid in find_module(os.getpid(), module)}


def _config(level: Level, jobs: int, bundles: Sequence[Bundle]) -> LocalConfig:
    backend = "plain" if level is Level.UNSAFE else "bwrap"
    return LocalConfig(jobs, level, backend, {bundle.digest: bundle for bundle in bundles})


def _raise_if_lost(outcome: Outcome) -> None:
    if isinstance(outcome, Lost):
        raise ArenaError(f"the bench lost a worker: {outcome.why}")
    if isinstance(outcome, Recorded) and outcome.record.verdict.faulty_seat is not None:
        raise ArenaError(f"a bot of the bench failed: {outcome.record.evidence}")
