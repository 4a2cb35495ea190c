"""A supervisor's job: the assembled sandbox, and the worker that runs beside its seats."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox.assembly import Assembly, Wanted
from arena.sandbox.base import Level
from arena.sandbox.processes import descendants, end_all
from arena.supervisor.protocol import JobConfig
from arena.supervisor.series import Series

WORKER_END_S = 2.0
STREAM_FD, PORT_FD = 3, 4
"""The worker's descriptors of its stream to main and of its line to the supervisor."""


class JobState:
    """All that a supervisor holds. Raises SandboxError when it cannot be set up."""

    def __init__(self, config: JobConfig, worker_fds: dict[int, int]) -> None:
        """``worker_fds``: which descriptor here becomes which number in the worker."""
        self._parts = Assembly(Wanted(config.level, config.backend, config.runtime, config.routes))
        self.children = self._parts.children
        self.worker_pid: int | None = None
        uid = self._parts.ground.worker_uid
        # Where no worker is wanted the caller plays its part, and that is the user that we are.
        self._listener_uid = os.geteuid() if uid is None or config.worker is None else uid
        try:
            if config.worker is not None:
                self.worker_pid = self._start_worker(config.worker, worker_fds)
        except (SandboxError, OSError):
            self._parts.close()
            raise

    @property
    def level(self) -> Level:
        """What the seats promise."""
        return self._parts.backend.level

    def open(self, series: Series) -> list[str]:
        """Make a series ready; its socket folders.

        Raises SandboxError or OSError, undoing what was made.
        """
        parts = self._parts
        try:
            return series.open(parts.ground, parts.backend, self.folder, self._listener_uid)
        except (SandboxError, OSError):
            series.close()
            raise

    @property
    def folder(self) -> Path:
        """The job's own folder, removed with everything in it at the end."""
        return self._parts.job.folder

    @property
    def bundles(self) -> Path:
        """The folder below it in which main lays down the bots' folders."""
        return self._parts.job.bundles

    def _start_worker(self, module: str, fds: dict[int, int]) -> int:
        uid = self._parts.ground.worker_uid
        group = self._parts.backend.worker_group
        entries = group.entries if group else ()
        # The worker speaks through files in its seats' folders and needs no network.
        alone = [self._parts.tools.unshare, "--net", "--ipc", "--"]
        command = [
            *(alone if self._parts.ground.is_private else ()),
            *self._parts.tools.enter(entries, uid, "--pdeathsig", "KILL"),
            *(sys.executable, "-P", "-m", module, str(STREAM_FD), str(PORT_FD)),
        ]
        env = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": os.environ.get("HOME", "/") if uid is None else "/",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            return self.children.spawn(command, env, fds)
        except OSError as error:
            raise SandboxError(f"cannot start the worker: {error}") from error

    def end_worker(self) -> None:
        """Kill the worker and what it may have started, and wait for it a bounded time."""
        if self.worker_pid is None:
            return
        pid, self.worker_pid = self.worker_pid, None
        group = self._parts.backend.worker_group
        end_all({pid, *descendants(pid)})
        if group is not None:
            group.end(WORKER_END_S, self.children.collect)
        self.children.wait(pid, WORKER_END_S)

    def close(self) -> None:
        """End the worker and take the job apart. Safe to repeat.

        Raises SandboxError when something of it will not go.
        """
        self.end_worker()
        self._parts.close()
