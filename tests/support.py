"""What several test files need: playing real bots for real, and looking for leftovers."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from dominobot.rules import Variant

from arena.bundle import Bundle, pack
from arena.core.clock import TimeControl
from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import SeriesPlan, Tournament, plan
from arena.executors.base import Ended, Lost, Recorded
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_bots"
MUST_HAVE_FULL = bool(os.environ.get("CI") or os.environ.get("ARENA_REQUIRE_FULL"))
QUICK = TimeControl(move_s=1.0, bank_s=0.5, connect_s=5.0, match_s=60.0)


class Played(NamedTuple):
    """A small tournament that was played: its plan and its records by match id."""

    tournament: Tournament
    series: tuple[SeriesPlan, ...]
    records: dict[str, MatchRecord]
    ended: list[str]
    lost: list[str]


def backend_of(level: Level) -> str:
    return "plain" if level is Level.UNSAFE else "bwrap"


def need(level: Level) -> None:
    """Skip, or fail where nothing may be skipped, if this machine does not reach the level."""
    from arena.errors import SandboxError
    from arena.sandbox.probe import best_level

    try:
        best = best_level()
        reason = f"this machine reaches {best.value} only"
    except SandboxError as error:
        best, reason = Level.UNSAFE, str(error)
    if best.is_at_least(level):
        return
    if MUST_HAVE_FULL:
        pytest.fail(f"level {level.value} is required here, but {reason}")
    pytest.skip(f"{reason}; `arena doctor` says how to mend it")


def play(
    folders: Sequence[Path],
    *,
    level: Level,
    variant: Variant | None = None,
    deals: int = 1,
    control: TimeControl = QUICK,
    jobs: int = 1,
) -> Played:
    """Play a whole small tournament between bot folders and collect what comes back."""
    bundles = [pack(folder) for folder in folders]
    tournament = Tournament(
        "test",
        variant or Variant.preset("famille"),
        tuple(bundle.version.ref for bundle in bundles),
        deals,
        None,
        hashlib.sha256(b"test").digest(),
    )
    return asyncio.run(_play(tournament, bundles, level, control, jobs))


async def _play(
    tournament: Tournament,
    bundles: Sequence[Bundle],
    level: Level,
    control: TimeControl,
    n_jobs: int,
) -> Played:
    series = plan(tournament)
    config = LocalConfig(n_jobs, level, backend_of(level), {b.digest: b for b in bundles})
    executor = LocalExecutor(config)
    played = Played(tournament, series, {}, [], [])
    await executor.start()
    try:
        feeding = asyncio.create_task(_feed(executor, tournament, series, control, level))
        left = len(series)
        async for outcome in executor.outcomes():
            match outcome:
                case Recorded(record=record):
                    played.records[record.match_id] = record
                case Ended(series_id=name):
                    played.ended.append(name)
                    left -= 1
                case Lost(why=why):
                    played.lost.append(why)
                    left -= 1
            if not left:
                break
        await feeding
    finally:
        await executor.close()
    return played


async def _feed(
    executor: LocalExecutor,
    tournament: Tournament,
    series: Sequence[SeriesPlan],
    control: TimeControl,
    level: Level,
) -> None:
    for one in series:
        await executor.submit(job_of(tournament, one, control, level))


def job_of(
    tournament: Tournament, series: SeriesPlan, control: TimeControl, level: Level
) -> SeriesJob:
    bots = [tournament.bots[index] for index in series.bots]
    return SeriesJob(
        tournament=tournament.name,
        series_id=series.series_id,
        variant=tournament.variant,
        places=series.bots,
        bots=tuple((bot.name, bot.digest) for bot in bots),
        matches=series.matches,
        control=control,
        level=level.value,
        strikes=(0,) * len(bots),
        last_faults=("",) * len(bots),
    )


def traces() -> dict[str, set[str]]:
    """Every trace of a running arena on this machine: take it before, for ``leftovers``."""
    return {
        "processes": set(_seat_processes()),
        "cgroups": {str(path) for path in Path("/sys/fs/cgroup").glob("**/*domino-arena*/*/")},
        "folders": {str(path) for path in Path("/run/domino-arena").glob("*")},
        "mounts": {
            line
            for line in Path("/proc/self/mountinfo").read_text().splitlines()
            if "domino-arena" in line
        },
    }


def leftovers(before: dict[str, set[str]], patience_s: float = 5.0) -> dict[str, set[str]]:
    """The traces that are new since ``before`` and still there after a moment."""
    deadline = time.monotonic() + patience_s
    while True:
        new = {kind: names - before[kind] for kind, names in traces().items()}
        found = {kind: names for kind, names in new.items() if names}
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


def _seat_processes() -> list[str]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            command = (status.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        uid = int(text.partition("Uid:")[2].split()[0])
        if 65600 <= uid <= 66623 or "arena.supervisor" in command or "executors.worker" in command:
            found.append(f"{status.parent.name} uid {uid} {command[:80]}")
    return found
