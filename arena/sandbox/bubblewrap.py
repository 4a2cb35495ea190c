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
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox.base import Level, SeatSpec, seat_environment
from arena.sandbox.bwrap_seat import BwrapSeat, Pipes
from arena.sandbox.cgroup import Cgroup, JobCgroups
from arena.sandbox.processes import Children
from arena.sandbox.runtime import BotRuntime
from arena.sandbox.seccomp import filter_bytes
from arena.sandbox.tools import Tools, bwrap_candidates

HOME = "/tmp"
BOT = "/bot"
SOCKET = "/run/arena.sock"
ARGS_FD, FILTER_FD, STATUS_FD = 3, 4, 5

_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_LOADER_CACHE = "/etc/ld.so.cache"
_TRIAL_S = 10.0
_CLOSE_S = 2.0
# A gRPC client in Python maps 0.7 GiB without using it, so address space can only be capped high.
_PRACTICE_AS_BYTES = 2 * 1024**3


class BwrapBackend:
    """Starts seats in bubblewrap."""

    def __init__(
        self,
        runtime: BotRuntime,
        tools: Tools,
        children: Children,
        cgroups: JobCgroups | None,
        trial_uid: int | None,
    ) -> None:
        """``cgroups`` None means level practice. ``trial_uid`` runs the trial that picks a bwrap.

        Raises SandboxError when no bwrap works here.
        """
        self.level = Level.PRACTICE if cgroups is None else Level.FULL
        self._runtime = runtime
        self._tools = tools
        self._children = children
        self._cgroups = cgroups
        self._filter = filter_bytes()
        self.program = self._pick(trial_uid)
        self.worker_group = cgroups.make("worker", None) if cgroups else None

    def start(self, spec: SeatSpec) -> BwrapSeat:
        """Start one attempt. Raises SandboxError when cgroups or processes cannot be made."""
        group = self._cgroups.make(spec.name, spec.limits) if self._cgroups else None
        pipes = Pipes()
        pid = None
        try:
            pid = self._spawn(self._command(spec, group), self._options(spec), pipes)
            return BwrapSeat(pid, pipes, group, spec.limits, self._children)
        except OSError as error:
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
                self._children.wait(pid, _CLOSE_S)
            if group is not None:
                group.end(_CLOSE_S, self._children.collect)
                group.remove(_CLOSE_S)
            pipes.close_all()
            raise SandboxError(f"cannot start seat {spec.name}: {error}") from error

    def close(self) -> None:
        """Remove the job's cgroups."""
        if self.worker_group is not None:
            self.worker_group.end(_CLOSE_S, self._children.collect)
            self.worker_group.remove(_CLOSE_S)
        if self._cgroups is not None:
            self._cgroups.close()

    def _command(self, spec: SeatSpec, group: Cgroup | None) -> list[str]:
        limits = spec.limits
        rlimits = [
            *(self._tools.prlimit, f"--nproc={limits.processes}"),
            *(f"--nofile={limits.open_files}", f"--fsize={limits.file_bytes}"),
        ]
        if group is None:
            rlimits += [f"--data={limits.memory_bytes * 2}", f"--as={_PRACTICE_AS_BYTES}"]
        return [
            *self._tools.enter(group.entries if group else (), spec.uid),
            *(self.program, "--args", str(ARGS_FD), "--", *rlimits),
            *(self._runtime.python, "-s", spec.entry),
        ]

    def _spawn(self, command: list[str], options: list[str], pipes: Pipes) -> int:
        """Start the chain; bwrap reads its options and the filter from files in memory."""
        args = _memory_file("args", b"".join(o.encode() + b"\0" for o in options))
        table = _memory_file("filter", self._filter)
        try:
            fds = {1: pipes.stdout_w, 2: pipes.stderr_w, ARGS_FD: args, FILTER_FD: table}
            return self._children.spawn(command, {}, {**fds, STATUS_FD: pipes.status_w})
        finally:
            os.close(args)
            os.close(table)
            pipes.close_theirs()

    def _options(self, spec: SeatSpec) -> list[str]:
        env = seat_environment(spec, address=f"unix:{SOCKET}", home=HOME)
        return [
            *_isolation(env),
            # Before the view: a runtime that lies below /tmp must not be hidden by this.
            *_writable(HOME, spec.limits.tmp_bytes),
            *self._view(),
            *("--ro-bind", spec.folder, BOT, "--ro-bind", spec.socket, SOCKET, "--chdir", BOT),
            *_writable("/dev/shm", spec.limits.shm_bytes),
            *("--remount-ro", "/dev", "--remount-ro", "/"),
        ]

    def _view(self) -> list[str]:
        """/usr, the runtime at its own path, five devices. No /proc, /sys, /etc, /home."""
        view = ["--ro-bind", "/usr", "/usr", "--ro-bind-try", _LOADER_CACHE, _LOADER_CACHE]
        for name in _SYSTEM_LINKS:
            path = Path("/") / name
            if path.is_symlink():
                view += ["--symlink", str(path.readlink()), str(path)]
            elif path.is_dir():
                view += ["--ro-bind", str(path), str(path)]
        for shown in self._runtime.paths:
            view += ["--ro-bind", shown, shown]
        view += ["--perms", "0755", "--size", "65536", "--tmpfs", "/dev"]
        for device in _DEVICES:
            view += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
        return view

    def _pick(self, uid: int | None) -> str:
        """The first bwrap that makes the sandbox here. Raises SandboxError with its last words."""
        words = "bubblewrap is missing"
        for self.program in bwrap_candidates():
            failure = self._try(uid)
            if failure is None:
                return self.program
            words = f"{self.program}: {failure}"
        raise SandboxError(
            f"no sandbox can be made here ({words}): install bubblewrap 0.8 or newer "
            "(apt-get install bubblewrap) and permit user namespaces, then see `arena doctor`"
        )

    def _try(self, uid: int | None) -> str | None:
        """Run the bots' interpreter in an otherwise empty sandbox; None, or what went wrong."""
        options = [*_isolation({}), *self._view(), "--remount-ro", "/dev", "--remount-ro", "/"]
        pipes = Pipes()
        command = [*self._tools.enter((), uid), self.program, "--args", str(ARGS_FD), "--"]
        pid = self._spawn([*command, self._runtime.python, "-I", "-S", "-c", ""], options, pipes)
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


def _isolation(env: Mapping[str, str]) -> list[str]:
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
    options += ["--new-session", "--cap-drop", "ALL", "--hostname", "seat", "--clearenv"]
    for name, value in env.items():
        options += ["--setenv", name, value]
    return [*options, "--seccomp", str(FILTER_FD), "--json-status-fd", str(STATUS_FD)]


def _writable(path: str, size: int) -> list[str]:
    return ["--perms", "0700", "--size", str(size), "--tmpfs", path]


def _memory_file(name: str, content: bytes) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
