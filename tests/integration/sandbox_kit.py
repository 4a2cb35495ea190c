"""Starting one real seat after another for the sandbox tests, without gRPC.

The test process plays the worker's part, so that each step of a seat can be looked at.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.sandbox.base import BotFiles, Exit, Level, Limits
from arena.sandbox.cgroup_files import find_layout
from arena.supervisor.client import Seat, SeatPort
from arena.supervisor.launch import SupervisorHandle, launch
from arena.supervisor.protocol import JobConfig

SERIES = "tested"
PATIENCE_S = 10.0
ORDINARY = 64999


class Ran(NamedTuple):
    """A finished attempt: what it printed, and how it ended."""

    output: str
    exit: Exit


class Ground:
    """A supervisor with one open series; one seat for each bot that was given."""

    def __init__(self, handle: SupervisorHandle, folders: tuple[str, ...], pids: set[int]) -> None:
        assert handle.seat_port is not None
        self.handle = handle
        self.folders = folders
        self.job = Path(handle.folder).name
        self.port: SeatPort = handle.seat_port
        self.pids = pids
        self._attempts = [0] * len(folders)
        self._listeners: list[socket.socket] = []

    def start(self, seat: int = 0, *, listens: bool = True) -> Seat:
        if listens:
            self.listen(seat)
        started = self.port.start(SERIES, seat)
        self._attempts[seat] += 1
        self.pids.add(started.pid)
        return started

    def socket(self, seat: int) -> Path:
        """Where the worker has to listen for the next attempt."""
        return Path(self.folders[seat]) / f"{self._attempts[seat]}.sock"

    def listen(self, seat: int) -> None:
        path = self.socket(seat)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o777)
        self._listeners.append(listener)

    def run(self, seat: int = 0) -> Ran:
        """Start an attempt, wait until it ends by itself or is ended, and reap it."""
        started = self.start(seat)
        output = read_all(started)
        started.has_ended(PATIENCE_S)
        return Ran(output, self.port.reap(seat))

    def close(self) -> None:
        for listener in self._listeners:
            listener.close()
        self.handle.close()


@contextmanager
def seats(
    folder: Path,
    *codes: str,
    level: Level = Level.FULL,
    limits: Limits | None = None,
    leaves_traces: bool = False,
    has_userns: bool = True,
) -> Iterator[Ground]:
    """A supervisor with a seat for each piece of bot code.

    Everything is closed at the end, and nothing of it may be left then; ``leaves_traces`` is for
    tests that kill the supervisor.
    """
    backend = "plain" if level is Level.UNSAFE else "bwrap"
    config = JobConfig(level=level, backend=backend, worker=None, routes=(has_userns,))
    handle = launch(config)
    try:
        bots = [write_bot(folder, number, code) for number, code in enumerate(codes)]
        ground = Ground(handle, handle.open_series(SERIES, bots, limits), set())
    except BaseException:
        handle.close()
        raise
    try:
        yield ground
    finally:
        ground.close()
    if leaves_traces:
        assert eventually(lambda: not any(map(is_alive, ground.pids)))
    else:
        assert not any(map(is_alive, ground.pids))
        assert not traces(ground.job)


def write_bot(folder: Path, number: int, code: str) -> BotFiles:
    place = folder.resolve() / f"code{number}"
    place.mkdir(exist_ok=True)
    place.chmod(0o755)
    (place / "main.py").write_text(textwrap.dedent(code))
    (place / "main.py").chmod(0o644)
    return BotFiles(str(place))


def read_all(seat: Seat) -> str:
    """What a seat prints, errors included, until both pipes are closed."""
    text = b""
    fds = {seat.stdout_fd, seat.stderr_fd}
    deadline = time.monotonic() + PATIENCE_S
    while fds and time.monotonic() < deadline:
        for fd in select.select(list(fds), [], [], 0.5)[0]:
            piece = os.read(fd, 65536)
            text += piece
            if not piece:
                fds.discard(fd)
    assert not fds, f"the seat still holds its output: {text!r}"
    return text.decode()


def read_line(seat: Seat) -> str:
    """The first line of a seat, and what came with it."""
    text = b""
    while not text.endswith(b"\n"):
        assert select.select([seat.stdout_fd], [], [], PATIENCE_S)[0], f"it only says {text!r}"
        piece = os.read(seat.stdout_fd, 65536)
        assert piece, f"it ends after {text!r}"
        text += piece
    return text.decode()


def eventually(check: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + patience_s
    while not check():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def traces(job: str) -> list[str]:
    """Everything of one job that is on this machine: groups, folders, mounts.

    Looks by name only, never into folders that other arenas of the machine make and remove.
    """
    named = [mount / "domino-arena" / job for mount in find_layout().mounts()]
    named += [Path("/run/domino-arena") / name for name in (job, f"{job}.lock")]
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return [
        *(str(path) for path in named if path.exists()),
        *(line for line in mounts if job in line),
    ]


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def users_of(pid: int) -> set[int]:
    """The users a process has."""
    status = Path(f"/proc/{pid}/status").read_text()
    return set(map(int, status.partition("Uid:")[2].partition("\n")[0].split()))


def as_an_ordinary_user(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments as a user without rights, the current one if it is none.

    Skips, or fails where nothing may be skipped, when that user cannot read the checkout.
    """
    user = ORDINARY if os.geteuid() == 0 else None
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    groups: list[int] | None = [] if user else None

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            user=user,
            group=user,
            extra_groups=groups,
            cwd="/",
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        is_readable = run("-c", "import arena, dominobot").returncode == 0
    except OSError:
        is_readable = False
    if not is_readable:
        pytest.skip("this checkout is closed to other users, so none of them can run it")
    return run(*arguments)
