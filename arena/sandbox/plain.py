"""Backend ``plain``: no isolation at all, for the project's own bots only.

A seat runs as the arena's user in a session of its own with modest rlimits. Level: unsafe.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox.base import Exit, Level, SeatFds, SeatSpec, seat_environment
from arena.sandbox.processes import (
    Children,
    Ended,
    carries,
    descendants,
    end_all,
    make_pipe,
)
from arena.sandbox.runtime import BotRuntime
from arena.sandbox.tools import Tools

_POLL_S = 0.005
_SCRIPT = 'cd "$1" || exit 125; shift; exec "$@"'


class PlainBackend:
    """Starts seats as ordinary processes."""

    level = Level.UNSAFE
    program = "no sandbox"
    worker_group = None

    def __init__(
        self, runtime: BotRuntime, tools: Tools, children: Children, run_dir: Path
    ) -> None:
        self._runtime = runtime
        self._tools = tools
        self._children = children
        self._run_dir = run_dir

    def start(self, spec: SeatSpec) -> PlainSeat:
        """Start one attempt. Raises SandboxError when the process cannot be made."""
        home = self._run_dir / f"home-{spec.name}"
        try:
            home.mkdir(mode=0o700)
            return PlainSeat(spec, home, self._command(spec), self._children)
        except OSError as error:
            shutil.rmtree(home, ignore_errors=True)
            raise SandboxError(f"cannot start seat {spec.name}: {error}") from error

    def close(self) -> bool:
        """Nothing is kept."""
        return True

    def _command(self, spec: SeatSpec) -> list[str]:
        limits = spec.limits
        return [
            *(self._tools.sh, "-c", _SCRIPT, "sh", spec.folder),
            *(self._tools.setpriv, "--pdeathsig", "KILL", "--no-new-privs"),
            *(self._tools.prlimit, f"--nofile={max(limits.open_files, 256)}"),
            f"--fsize={limits.file_bytes}",
            *(self._runtime.python, "-s", spec.entry),
        ]


class PlainSeat:
    """One running attempt."""

    freeze_words = ("1", "0")

    def __init__(self, spec: SeatSpec, home: Path, command: list[str], children: Children) -> None:
        self._home = home
        self._mark = f"DOMINOBOT_TOKEN={spec.token}"
        self._children = children
        self._was_killed = False
        env = seat_environment(spec, address=f"unix:{spec.socket}", home=str(home))
        with ExitStack() as theirs, ExitStack() as ours:
            out_r, out_w = make_pipe(ours, theirs)
            err_r, err_w = make_pipe(ours, theirs)
            self.pid = children.spawn(command, env, {1: out_w, 2: err_w})
            ours.callback(end_all, {self.pid})
            self.fds = SeatFds(stdout=out_r, stderr=err_r, exit=os.pidfd_open(self.pid))
            ours.pop_all()

    def watch(self) -> None:
        """Nothing is counted at this level."""

    def kill(self) -> None:
        """Kill the process and what it started, as far as that can be seen."""
        if self._children.ended(self.pid) is None:
            self._was_killed = True
        end_all(self._tree())

    def finish(self, timeout_s: float) -> Exit:
        """Kill what is left, wait for it, and remove the home folder.

        Raises SandboxError when something will not die.
        """
        deadline = time.monotonic() + timeout_s
        own_end = self._children.ended(self.pid)
        while tree := self._tree():
            self._was_killed = self._was_killed or own_end is None
            end_all(tree)
            self._children.collect()
            if time.monotonic() > deadline:
                raise SandboxError(f"processes of a bot will not end: {sorted(tree)}")
            time.sleep(_POLL_S)
        ended = self._children.wait(self.pid, max(0.1, deadline - time.monotonic()))
        self._children.forget(self.pid)
        shutil.rmtree(self._home, ignore_errors=True)
        return self._exit(own_end, ended)

    def _exit(self, own_end: Ended | None, ended: Ended | None) -> Exit:
        seen = own_end or ended or Ended(0, 0.0)
        if self._was_killed:
            return Exit(cpu_s=seen.cpu_s, was_killed=True)
        return Exit(exit_code=seen.exit_code, signal=seen.signal, cpu_s=seen.cpu_s)

    def _tree(self) -> set[int]:
        """The seat's processes: below its pid, or orphaned to us and carrying its token."""
        tree = descendants(self.pid)
        if self._children.ended(self.pid) is None:
            tree.add(self.pid)
        orphans = descendants(os.getpid()) - self._children.running
        with suppress(OSError):
            tree |= {pid for pid in orphans if carries(pid, self._mark)}
        return tree
