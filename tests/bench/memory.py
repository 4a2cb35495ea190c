"""Memory over a long tournament: a real ``arena run`` in a process of its own, watched."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError
from arena.sandbox.base import Level
from tests.bench.processes import MIB, find_module, peak_bytes, rss_bytes
from tests.bench.rig import SUPERVISOR, WORKER
from tests.bench.twins import folders

POLL_S = 0.05
LIMIT_S = 600.0


class Sample(NamedTuple):
    """Resident MiB when ``matches`` had been saved."""

    matches: int
    worker: float
    supervisor: float
    main: float


class Watched(NamedTuple):
    """What was seen. ``worker_peak`` is the most it ever had; ``wall_s`` is for all matches."""

    samples: list[Sample]
    worker_peak: float
    wall_s: float


def watch_run(marks: tuple[int, int], level: Level) -> Watched:
    """Play ``marks[1]`` matches with one worker; samples at both marks."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "arena.db"
        command = [sys.executable, "-m", "arena", "run", *map(str, folders())]
        command += ["--deals", str(marks[1] // 2), "--jobs", "1", "--db", str(db), "--no-trial"]
        command += ["--seed", "bench", "--move-time", "5", "--json"]
        if level is Level.UNSAFE:
            command += ["--sandbox", "plain"]
        log = Path(folder) / "log"
        began = time.perf_counter()
        with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as run:
            try:
                return _watch(run, db, marks, began)
            except ArenaError as error:
                raise ArenaError(f"{error}; its last words: {log.read_text()[-500:]}") from None
            finally:
                run.terminate()
                run.wait(30)


def _watch(run: subprocess.Popen[bytes], db: Path, marks: tuple[int, int], began: float) -> Watched:
    """The first sample from the first mark on, and the last one before the worker left."""
    first = last = None
    peak = 0.0
    while run.poll() is None and time.perf_counter() - began < LIMIT_S:
        done = _saved(db)
        # The run may be over at any moment; what is then half read is left out.
        with suppress(IndexError, LookupError, OSError):
            worker = find_module(run.pid, WORKER)[0]
            supervisor = find_module(run.pid, SUPERVISOR)[0]
            sizes = [rss_bytes(pid) / MIB for pid in (worker, supervisor, run.pid)]
            peak = max(peak, peak_bytes(worker) / MIB)
            last = Sample(done, *sizes)
        if first is None and last is not None and done >= marks[0]:
            first = last
        time.sleep(POLL_S)
    if first is None or last is None or run.returncode != 0 or _saved(db) < marks[1]:
        raise ArenaError("the long run of the bench did not finish")
    return Watched([first, last], peak, time.perf_counter() - began)


def _saved(db: Path) -> int:
    """Matches with a verdict; 0 while the database is not there yet."""
    if not db.exists():
        return 0
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=5)) as connection:
        try:
            query = "SELECT count(*) FROM match WHERE termination IS NOT NULL"
            return int(connection.execute(query).fetchone()[0])
        except sqlite3.OperationalError:
            return 0
