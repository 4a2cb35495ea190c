"""The trial: one round of each bot against itself, before anything is rated.

It finds what is broken in seconds, with the bot's own last words, instead of in a lost tournament.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import BotRef, PlannedMatch
from arena.entry import Entry
from arena.errors import ArenaError
from arena.executors.base import Ended, Lost, MatchExecutor, Recorded

SHOWN_LINES = 12


async def try_bots(entry: Entry, executor: MatchExecutor, level: str) -> None:
    """Let every bot of the entry finish one round against copies of itself.

    Raises:
        ArenaError: a bot did not; with its termination and its last lines.
    """
    jobs = [trial_job(entry, bot, level) for bot in entry.tournament.bots]
    for start in range(0, len(jobs), executor.capacity):
        batch = jobs[start : start + executor.capacity]
        for job in batch:
            await executor.submit(job)
        await _await_all(executor, batch)


def trial_job(entry: Entry, bot: BotRef, level: str) -> SeriesJob:
    """A series of one match of one round, the bot in every seat."""
    seats = entry.tournament.variant.seats
    seed = hashlib.sha256(f"trial {bot.digest}".encode()).digest()
    match = PlannedMatch(
        match_id=f"trial-{bot.name}",
        index=0,
        unit="trial",
        cycle=0,
        deal=0,
        table=0,
        rotation=0,
        seating=tuple(range(seats)),
        deal_seed=seed,
        bot_seeds=tuple(range(seats)),
    )
    return SeriesJob(
        tournament="trial",
        series_id=f"trial-{bot.name}",
        variant=entry.tournament.variant.with_options(target=None),
        places=tuple(range(seats)),
        bots=((bot.name, bot.digest),) * seats,
        matches=(match,),
        control=entry.control,
        level=level,
        strikes=(0,) * seats,
        last_faults=("",) * seats,
    )


async def _await_all(executor: MatchExecutor, jobs: Sequence[SeriesJob]) -> None:
    waiting = {job.series_id: job.bots[0][0] for job in jobs}
    async for outcome in executor.outcomes():
        name = waiting[outcome.series_id]
        match outcome:
            case Recorded(record=record):
                _check(name, record)
            case Lost(why=why):
                raise ArenaError(f"the trial of {name} did not finish: {why}")
            case Ended():
                del waiting[outcome.series_id]
        if not waiting:
            return


def _check(name: str, record: MatchRecord) -> None:
    verdict, evidence = record.verdict, record.evidence
    if verdict.faulty_seat is None and evidence is None:
        return
    detail = evidence.detail if evidence else ""
    lines = [] if evidence is None else list(evidence.log[-SHOWN_LINES:])
    if verdict.faulty_seat is None and verdict.termination.is_rated:
        what = f"{name} finished its trial round, but failed at its end ({detail})"
    elif verdict.termination.is_fault:
        what = f"{name} cannot finish a trial round: {verdict.termination.value}, {detail}"
    else:
        what = f"the arena failed in the trial of {name}: {detail}"
    hint = "mend it, or enter it all the same with --no-trial"
    last = "".join(f"\n  | {line}" for line in lines)
    raise ArenaError(f"{what}; {hint}{last}")
