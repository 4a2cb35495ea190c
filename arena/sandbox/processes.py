"""Starting children and learning how they ended, without threads and without ``preexec_fn``.

The supervisor is a subreaper: orphans of its seats become its children, so one place must wait
for everything. :class:`Children` is that place.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

_HIGH_FD = 200
_SETTLE_S = 0.0005
# What Python ignores or catches must not reach a child: ignored signals survive exec.
_DEFAULT_SIGNALS = [
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGCHLD,
    signal.SIGHUP,
]


class Ended(NamedTuple):
    """A raw wait status and the CPU seconds of the process and of what it waited for."""

    status: int
    cpu_s: float

    @property
    def exit_code(self) -> int | None:
        """The code it exited with, None after a signal."""
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        """The signal that ended it, None after an exit."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None


class Children:
    """Every child of this process. Not for use beside subprocess in the same process."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._ended: dict[int, Ended] = {}

    def spawn(
        self, argv: Sequence[str], env: Mapping[str, str], fds: Mapping[int, int] | None = None
    ) -> int:
        """Start a program in a session of its own and return its pid.

        ``fds`` says which descriptor here becomes which number there; all others stay closed,
        and stdin is /dev/null. Raises OSError when it cannot be started.
        """
        # Sources move out of the way of the target numbers first: a target may be a source too.
        moved = {
            target: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD)
            for target, source in (fds or {}).items()
        }
        try:
            actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
            ]
            actions += [(os.POSIX_SPAWN_DUP2, source, target) for target, source in moved.items()]
            pid = os.posix_spawn(
                argv[0],
                list(argv),
                env,
                file_actions=actions,
                setsid=True,
                setsigmask=[],
                setsigdef=_DEFAULT_SIGNALS,
            )
        finally:
            for source in moved.values():
                os.close(source)
        self._running.add(pid)
        return pid

    def collect(self) -> None:
        """Take the status of every child that has ended, orphans included. Never blocks."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._running:
                self._running.discard(pid)
                self._ended[pid] = Ended(status, usage.ru_utime + usage.ru_stime)

    def ended(self, pid: int) -> Ended | None:
        """How the child ended, None while it runs. Collects first."""
        self.collect()
        return self._ended.get(pid)

    def wait(self, pid: int, timeout_s: float) -> Ended | None:
        """Wait at most ``timeout_s`` for the child; None if it still runs then."""
        deadline = time.monotonic() + timeout_s
        pidfd = os.pidfd_open(pid) if self.ended(pid) is None else None
        try:
            while (ended := self.ended(pid)) is None and pidfd is not None:
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    break
                poll = select.poll()
                poll.register(pidfd, select.POLLIN)
                poll.poll(min(left_s, 1.0) * 1000)
            return ended
        finally:
            if pidfd is not None:
                os.close(pidfd)

    def settle(self, orphan: int, timeout_s: float) -> bool:
        """Reap an orphan that is dying; False if it still lives after ``timeout_s``.

        One that never became our child is gone by definition: somebody else reaped it.
        """
        deadline = time.monotonic() + timeout_s
        with suppress(ChildProcessError):
            while os.waitid(os.P_PID, orphan, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                if time.monotonic() > deadline:
                    return False
                time.sleep(_SETTLE_S)
        self.collect()
        return True

    def forget(self, pid: int) -> None:
        """Drop the kept status of a child that is done with."""
        self._ended.pop(pid, None)

    @property
    def running(self) -> frozenset[int]:
        """Pids that were spawned here and have not ended."""
        return frozenset(self._running)


def make_pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    """A pipe, read end first; each stack closes its end. Raises OSError, leaving nothing open."""
    read_fd, write_fd = os.pipe2(os.O_CLOEXEC)
    ours.callback(os.close, read_fd)
    theirs.callback(os.close, write_fd)
    return read_fd, write_fd


def descendants(root: int) -> set[int]:
    """Every process below ``root`` in the tree of parents, at this moment."""
    parents: dict[int, list[int]] = {}
    for pid, parent in _parents():
        parents.setdefault(parent, []).append(pid)
    found: set[int] = set()
    todo = [root]
    while todo:
        for child in parents.get(todo.pop(), []):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def _parents() -> list[tuple[int, int]]:
    pairs = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names only, and it is read often
        if name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                # The command name may hold spaces and brackets: the fields begin after the last.
                tail = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if tail[0] != "Z":
                    pairs.append((int(name), int(tail[1])))
    return pairs


def carries(pid: int, mark: str) -> bool:
    """Whether the process was started with ``mark`` somewhere in its environment."""
    with suppress(OSError):
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    return False


def end_all(pids: set[int]) -> None:
    """Send SIGKILL to each; those already gone are no error."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
