"""Backend ``bwrap``: a seat in namespaces of its own, levels full and practice.

The launch, at level full::

    sh          puts itself into the seat's cgroups, then becomes
    setpriv     the seat's user, no groups, no new privileges, then becomes
    bwrap       a user, mount, pid, net, ipc, uts and cgroup namespace; the seccomp filter; then
    prlimit     limits a process can have, counted in the new user namespace, then becomes
    python      the bot

The environment is empty from the first step on. Address and token reach the bot through bwrap's
``--args FD``, so they never stand in a command line. At level practice the first two steps fall
away for an ordinary user, and there are no cgroups.

Where ordinary users may have no user namespace, root has a second route: bwrap runs as root without
one, and setpriv comes after it, inside, under a filter that lets it change its user.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from arena.errors import SandboxError
from arena.sandbox.base import MIB, Level, Limits, SeatSpec
from arena.sandbox.bwrap_options import ARGS_FD, FILTER_FD, STATUS_FD, seat_options, trial_options
from arena.sandbox.bwrap_seat import BwrapSeat, Pipes
from arena.sandbox.cgroup import Cgroup, JobCgroups
from arena.sandbox.processes import Children
from arena.sandbox.runtime import BotRuntime
from arena.sandbox.seccomp import filter_bytes
from arena.sandbox.tools import Tools, bwrap_candidates

# Far above what a worker needs: one that a bot has taken over must not bring down the host.
WORKER_LIMITS = Limits(memory_bytes=1024 * MIB, processes=128, cpu_cores=None)
_TRIAL_S = 10.0
_CLOSE_S = 2.0
# A gRPC client in Python maps 0.7 GiB without using it, so address space can only be capped high.
_PRACTICE_AS_BYTES = 2 * 1024**3


class Trial(NamedTuple):
    """How a bwrap is picked: the user that tries it, and the routes in their order.

    A route is whether the seat gets a user namespace. Without one bwrap itself runs as root, which
    is for hosts that forbid user namespaces to ordinary users.
    """

    uid: int | None
    routes: tuple[bool, ...]


class BwrapBackend:
    """Starts seats in bubblewrap."""

    def __init__(
        self,
        runtime: BotRuntime,
        tools: Tools,
        children: Children,
        cgroups: JobCgroups | None,
        trial: Trial,
    ) -> None:
        """``cgroups`` None means level practice. Raises SandboxError when no bwrap works here."""
        self.level = Level.PRACTICE if cgroups is None else Level.FULL
        self._runtime = runtime
        self._tools = tools
        self._children = children
        self._cgroups = cgroups
        self._pick(trial.uid, trial.routes)
        self.worker_group = cgroups.make("worker", WORKER_LIMITS) if cgroups else None

    @property
    def program(self) -> str:
        """Which bwrap was picked, and by which route."""
        return self._bwrap if self._has_userns else f"{self._bwrap} without a user namespace"

    def start(self, spec: SeatSpec) -> BwrapSeat:
        """Start one attempt. Raises SandboxError when cgroups or processes cannot be made."""
        options = seat_options(spec, self._runtime.paths, has_userns=self._has_userns)
        with ExitStack() as undo:
            try:
                pipes = Pipes()
                undo.callback(pipes.close_all)
                group = self._cgroups.make(spec.name, spec.limits) if self._cgroups else None
                undo.callback(self._end, group)
                pid = self._spawn(self._command(spec, group), options, pipes)
                undo.callback(self._give_up, pid)
                seat = BwrapSeat(pid, pipes, group, spec.limits, self._children)
            except OSError as error:
                raise SandboxError(f"cannot start seat {spec.name}: {error}") from error
            undo.pop_all()
            return seat

    def close(self) -> bool:
        """Remove the job's cgroups; False if one is left."""
        is_gone = self._end(self.worker_group)
        return (self._cgroups is None or self._cgroups.close()) and is_gone

    def _end(self, group: Cgroup | None) -> bool:
        """Kill what is in the group and remove it; False if that cannot be done in time."""
        if group is None:
            return True
        return group.end(_CLOSE_S, self._children.collect) and group.remove(_CLOSE_S)

    def _give_up(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        self._children.wait(pid, _CLOSE_S)
        self._children.forget(pid)

    def _command(self, spec: SeatSpec, group: Cgroup | None) -> list[str]:
        limits = spec.limits
        rlimits = [
            *(self._tools.prlimit, f"--nproc={limits.processes}"),
            *(f"--nofile={limits.open_files}", f"--fsize={limits.file_bytes}"),
        ]
        if group is None:
            rlimits += [f"--data={limits.memory_bytes * 2}", f"--as={_PRACTICE_AS_BYTES}"]
        entries = group.entries if group else ()
        return [
            *self._inside(entries, spec.uid),
            *(*rlimits, self._runtime.python, "-s", spec.entry),
        ]

    def _inside(self, entries: Sequence[str], uid: int | None) -> list[str]:
        """The chain up to the first program inside the sandbox, which runs as the seat's user."""
        bwrap = [self._bwrap, "--args", str(ARGS_FD), "--"]
        if self._has_userns:
            return [*self._tools.enter(entries, uid), *bwrap]
        inner = self._tools.enter((), uid, "--bounding-set=-all", "--inh-caps=-all")
        return [*self._tools.enter(entries, None), *bwrap, *inner]

    def _spawn(self, command: list[str], options: list[str], pipes: Pipes) -> int:
        """Start the chain; bwrap reads its options and the filter from files in memory."""
        with ExitStack() as files:
            files.callback(pipes.close_theirs)
            args = _memory_file("args", b"".join(o.encode() + b"\0" for o in options))
            files.callback(os.close, args)
            table = _memory_file("filter", self._filter)
            files.callback(os.close, table)
            fds = {1: pipes.stdout_w, 2: pipes.stderr_w, ARGS_FD: args, FILTER_FD: table}
            return self._children.spawn(command, {}, {**fds, STATUS_FD: pipes.status_w})

    def _pick(self, uid: int | None, routes: tuple[bool, ...]) -> None:
        """Settle on the first bwrap and route that make the sandbox here.

        Raises SandboxError with the last words of the last one tried.
        """
        words = "bubblewrap is missing"
        for has_userns in routes:
            self._has_userns = has_userns
            self._filter = filter_bytes(becomes_user=not has_userns)
            for path in bwrap_candidates(is_for_root=not has_userns):
                self._bwrap = path
                failure = self._try(uid)
                if failure is None:
                    return
                words = f"{self._bwrap}: {failure}"
        raise SandboxError(
            f"no sandbox can be made here ({words}): install bubblewrap 0.8 or newer "
            "(apt-get install bubblewrap) and permit user namespaces, then see `arena doctor`"
        )

    def _try(self, uid: int | None) -> str | None:
        """Run the bots' interpreter in an otherwise empty sandbox; None, or what went wrong."""
        options = trial_options(self._runtime.paths, has_userns=self._has_userns)
        pipes = Pipes()
        command = [*self._inside((), uid), self._runtime.python, "-I", "-S", "-c", ""]
        pid = self._spawn(command, options, pipes)
        try:
            ended = self._children.wait(pid, _TRIAL_S)
            if ended is not None and ended.exit_code == 0:
                return None
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            os.set_blocking(pipes.stderr_r, False)
            with suppress(BlockingIOError):
                text = os.read(pipes.stderr_r, 4096).decode(errors="replace").strip()
                return text.splitlines()[-1] if text else f"it ended with {ended}"
            return "it does not end"
        finally:
            pipes.close_all()
            self._children.forget(pid)


def _memory_file(name: str, content: bytes) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
    except OSError:
        os.close(fd)
        raise
    return fd
