"""One attempt running in bubblewrap: watch it, end it, say how it ended."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import ExitStack, suppress

from arena.errors import SandboxError
from arena.sandbox.base import Exit, Limits, SeatFds
from arena.sandbox.cgroup import Cgroup, Counters
from arena.sandbox.processes import Children, Ended, make_pipe

_STATUS_BYTES = 4096
_SIGNALLED = 128


class Pipes:
    """Output and status pipes of one attempt. ``*_w`` are the sandbox's ends.

    Raises OSError, leaving nothing open, when there are no more descriptors.
    """

    def __init__(self) -> None:
        with ExitStack() as ours, ExitStack() as theirs:
            self.stdout_r, self.stdout_w = make_pipe(ours, theirs)
            self.stderr_r, self.stderr_w = make_pipe(ours, theirs)
            self.status_r, self.status_w = make_pipe(ours, theirs)
            self._ours, self._theirs = ours.pop_all(), theirs.pop_all()

    def close_theirs(self) -> None:
        """Close the sandbox's ends once it has them. Safe to repeat."""
        self._theirs.close()

    def close_all(self) -> None:
        """Close both ends. Safe to repeat."""
        self._theirs.close()
        self._ours.close()


class BwrapSeat:
    """One running attempt. ``group`` is None at level practice."""

    def __init__(
        self, pid: int, pipes: Pipes, group: Cgroup | None, limits: Limits, children: Children
    ) -> None:
        self.pid = pid
        self._group = group
        self._limits = limits
        self._children = children
        self._status_fd: int | None = pipes.status_r
        self._status: dict[str, int] = {}
        self._was_killed = False
        self._is_over_cpu = False
        self.fds = self._open_fds(pipes)

    def _open_fds(self, pipes: Pipes) -> SeatFds:
        with ExitStack() as opened:

            def keep(fd: int | None) -> int | None:
                if fd is not None:
                    opened.callback(os.close, fd)
                return fd

            exit_fd = os.pidfd_open(self.pid)
            keep(exit_fd)
            fds = SeatFds(pipes.stdout_r, pipes.stderr_r, exit_fd)
            if self._group is not None:
                group = self._group
                freeze, kill = keep(group.open_freeze()), keep(group.open_kill())
                fds = fds._replace(freeze=freeze, kill=kill, cpu=keep(group.open_cpu()))
            opened.pop_all()
            return fds

    @property
    def freeze_words(self) -> tuple[str, str]:
        """What to write to freeze and to thaw."""
        return self._group.freeze_words if self._group else ("1", "0")

    def watch(self) -> None:
        """End a tree in which the kernel had to kill for memory, or that used up its CPU time.

        Version 1 groups kill one process and let the rest of the tree live on.
        """
        if self._group is None or self._was_killed:
            return
        counters = self._group.counters()
        if self._limits.cpu_s is not None and counters.cpu_s > self._limits.cpu_s:
            self._is_over_cpu = True
        if self._is_over_cpu or counters.oom_kills or counters.host_oom_kills:
            self.kill()

    def kill(self) -> None:
        """Begin to end the tree. Without a group the pid namespace dies with its first process."""
        if self._children.ended(self.pid) is None:
            self._was_killed = True
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        if self._group is not None:
            self._group.kill()

    def finish(self, timeout_s: float) -> Exit:
        """End the tree, wait for it, read the counters, remove the group.

        Raises SandboxError when something is still alive after ``timeout_s``.
        """
        deadline = time.monotonic() + timeout_s
        self.kill()
        ended = self._children.wait(self.pid, timeout_s)
        left = max(0.0, deadline - time.monotonic())
        is_gone = self._group is None or self._group.end(left, self._children.collect)
        status = self._read_status()
        if "child-pid" in status:
            # The first process inside dies last, after it has seen all others off.
            is_gone = self._children.settle(status["child-pid"], left) and is_gone
        if ended is None or not is_gone:
            raise SandboxError(f"the processes of a seat will not end (first pid {self.pid})")
        counters = self._group.counters() if self._group else None
        if self._group is not None and not self._group.remove(left):
            raise SandboxError("the cgroup of a seat cannot be removed")
        self._children.forget(self.pid)
        return self._exit(ended, counters, status.get("exit-code"))

    def _exit(self, ended: Ended, counters: Counters | None, relayed: int | None) -> Exit:
        exit_code, signal_number = relayed, None
        if relayed is not None and _SIGNALLED < relayed <= _SIGNALLED + signal.NSIG:
            exit_code, signal_number = None, relayed - _SIGNALLED
        kernel = counters or Counters(0, 0, ended.cpu_s, None)
        # Nobody killed it, the kernel did not, and yet bwrap never came to report the bot's end.
        was_ended = self._was_killed or kernel.oom_kills or kernel.host_oom_kills
        return Exit(
            exit_code=exit_code,
            signal=signal_number,
            oom_kills=kernel.oom_kills,
            processes_denied=kernel.processes_denied,
            cpu_s=kernel.cpu_s,
            memory_peak_bytes=kernel.memory_peak_bytes,
            was_killed=self._was_killed,
            is_over_cpu=self._is_over_cpu,
            is_arena_fault=relayed is None and not was_ended,
            host_oom_kills=kernel.host_oom_kills,
        )

    def _read_status(self) -> dict[str, int]:
        """What bwrap said: "child-pid" of the first process inside, "exit-code" of the bot.

        The code is missing when bwrap did not get as far as the bot, or did not see it end.
        """
        if self._status_fd is not None:
            os.set_blocking(self._status_fd, False)
            with suppress(BlockingIOError):
                for line in os.read(self._status_fd, _STATUS_BYTES).splitlines():
                    with suppress(ValueError):
                        said = json.loads(line).items()
                        self._status |= {k: v for k, v in said if isinstance(v, int)}
            os.close(self._status_fd)
            self._status_fd = None
        return self._status
