"""What several test files need: playing real bots for real, and looking for leftovers."""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import os
import shutil
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dominobot.rules import Variant

from arena.bundle import Bundle, pack
from arena.core.clock import TimeControl
from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import BotRef, SeriesPlan, Tournament, plan
from arena.executors.base import Ended, Lost, Recorded
from arena.executors.local import LocalConfig, LocalExecutor
from arena.match import Observe, Series
from arena.sandbox.base import BotFiles, Exit, Level
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_bots"
HOSTILE = ROOT / "tests" / "hostile"
MUST_HAVE_FULL = bool(os.environ.get("CI") or os.environ.get("ARENA_REQUIRE_FULL"))
RUN_ROOTS = (Path("/run/domino-arena"), Path(f"/tmp/domino-arena-{os.geteuid()}"))
UIDS_LOCK = "uids.lock"
"""Shared by all arenas of the machine, so it is nobody's trace."""
PR_SET_CHILD_SUBREAPER = 36
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


class Sat(NamedTuple):
    """A series that was played in this process: see ``Tables.play``.

    ``by_bot`` gives, for each bot of the series, how its attempts (processes) ended, in order.
    """

    job: SeriesJob
    records: tuple[MatchRecord, ...]
    is_replaced: bool
    by_bot: tuple[tuple[Exit, ...], ...]

    def seat_of(self, number: int, bot: int) -> int:
        """Where a bot sat in the match that was planned as number ``number`` of the series."""
        return self.job.matches[number].seating.index(self.job.places[bot])

    def faults(self) -> list[tuple[str, int | None, str]]:
        """Termination, faulty bot and phase of each match that did not end by the rules alone."""
        found = []
        for number, record in enumerate(self.records):
            seat, evidence = record.verdict.faulty_seat, record.evidence
            if seat is None and evidence is None:
                continue
            at = self.job.matches[number].seating
            bot = None if seat is None else self.job.places.index(at[seat])
            phase = "" if evidence is None else evidence.phase
            found.append((record.verdict.termination.value, bot, phase))
        return found

    def terminations(self) -> list[str]:
        return [record.verdict.termination.value for record in self.records]


class Tables:
    """A supervisor without a worker: series are refereed in the test's own process."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self.handle = launch(JobConfig(level=level, backend=backend_of(level), worker=None))

    def play(self, folders: Sequence[Path], job: SeriesJob, observe: Observe | None = None) -> Sat:
        """Play one series between bot folders; ``observe`` gets each record as it comes."""
        return asyncio.run(self._play(folders, job, observe))

    async def _play(self, folders: Sequence[Path], job: SeriesJob, observe: Observe | None) -> Sat:
        handle, records = self.handle, list[MatchRecord]()
        assert handle.seat_port is not None

        def note(record: MatchRecord) -> None:
            records.append(record)
            if observe is not None:
                observe(record)

        sockets = handle.open_series(job.series_id, [BotFiles(str(each)) for each in folders])
        try:
            series = Series(job, handle.seat_port, [Path(folder) for folder in sockets])
            is_replaced = await series.play(note)
        finally:
            attempts = sorted(handle.close_series())
        by_bot = tuple(
            tuple(each.exit for each in attempts if each.seat == bot) for bot in range(len(folders))
        )
        return Sat(job, tuple(records), is_replaced, by_bot)

    def job(self, folders: Sequence[Path], **options: Any) -> SeriesJob:
        """A series of the bots in the folders; see ``series_job``."""
        return series_job(len(folders), level=self._level, **options)


@contextmanager
def tables(level: Level = Level.UNSAFE) -> Iterator[Tables]:
    """Tables at a level, taken apart at the end."""
    found = Tables(level)
    try:
        yield found
    finally:
        found.handle.close()


def series_job(
    bots: int,
    *,
    level: Level,
    matches: int = 1,
    control: TimeControl = QUICK,
    strikes: Sequence[int] | None = None,
    **options: Any,
) -> SeriesJob:
    """The first series of a tournament between ``bots`` bots; single rounds if not said otherwise.

    ``options`` are those of the variant.
    """
    refs = tuple(BotRef(f"bot{number}", f"{number:064x}") for number in range(bots))
    variant = Variant.preset("famille", seats=bots, **{"target": None, **options})
    tournament = Tournament("test", variant, refs, matches, None, b"m" * 32)
    job = job_of(tournament, plan(tournament)[0], control, level)
    if strikes is None:
        return job
    last = tuple("CRASH" if count else "" for count in strikes)
    return replace(job, strikes=tuple(strikes), last_faults=last)


def write_bot(folder: Path, code: str, *more: Path, name: str = "") -> Path:
    """A bot folder with this code, and copies of some files beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(f'name = "{name or folder.name}"\nseats = [2, 3, 4]\n')
    (folder / "main.py").write_text(textwrap.dedent(code))
    for file in more:
        shutil.copy(file, folder / file.name)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder.resolve()


def by_hand(folder: Path, code: str, name: str = "") -> Path:
    """A bot that speaks the protocol by hand: ``code`` may use all of ``hostile/by_hand.py``."""
    start = "import os, sys, time\nfrom by_hand import *\n"
    return write_bot(folder, start + textwrap.dedent(code), HOSTILE / "by_hand.py", name=name)


Traces = dict[str, set[str]]


def traces() -> Traces:
    """Every trace that a running arena of this test run has left on this machine.

    Take it before, for ``leftovers``. Arenas that other programs run at the same time leave out of
    it what they own: processes are ours when they descend from this one, however they were
    orphaned, and a job is not ours while somebody else holds its lock.
    """
    _adopt_orphans()
    foreign = _foreign_jobs()
    found: Traces = {
        "processes": {f"{pid} {_command(pid)}" for pid in descendants() if _is_ours(_command(pid))},
        "cgroups": {str(path) for path in Path("/sys/fs/cgroup").glob("**/*domino-arena*/*/")},
        "folders": {
            str(path) for root in RUN_ROOTS for path in root.glob("*") if path.name != UIDS_LOCK
        },
        "mounts": {
            line
            for line in Path("/proc/self/mountinfo").read_text().splitlines()
            if "domino-arena" in line
        },
    }
    return {
        kind: {name for name in names if not any(job in name for job in foreign)}
        for kind, names in found.items()
    }


def leftovers(before: Traces, patience_s: float = 5.0) -> Traces:
    """The traces that are new since ``before`` and stay for a while."""
    deadline = time.monotonic() + patience_s
    staying: Traces | None = None
    while True:
        new = {kind: names - before[kind] for kind, names in traces().items()}
        staying = new if staying is None else {kind: new[kind] & staying[kind] for kind in new}
        found = {kind: names for kind, names in staying.items() if names}
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


def descendants() -> set[int]:
    """The processes below this one that still run."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def processes_of(module: str) -> list[int]:
    """Our running processes of one of the arena's modules, oldest first."""
    return sorted(pid for pid in descendants() if f"-m {module} " in _command(pid))


def _adopt_orphans() -> None:
    """Let the orphans of this process come back to it, whoever their parents were."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot become a subreaper")


def _foreign_jobs() -> set[str]:
    """Names of jobs whose lock is held by a process that is not ours."""
    holders = {}
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if "FLOCK" in words and "->" not in words:
            pid, where = words[words.index("FLOCK") + 3 :][:2]
            holders[int(where.split(":")[2])] = int(pid)
    ours = descendants()
    foreign = set()
    for lock in (path for root in RUN_ROOTS for path in root.glob("*.lock")):
        try:
            holder = holders.get(lock.stat().st_ino)
        except OSError:
            continue
        if holder is not None and holder not in ours:
            foreign.add(lock.stem)
    return foreign


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _is_ours(command: str) -> bool:
    """Whether it is a supervisor, a worker, a sandbox or a seat, not another tool of the tests."""
    words = ("arena.supervisor", "executors.worker", "bwrap", ".venv-bot", "main.py")
    return any(word in command for word in words)
