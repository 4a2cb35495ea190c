"""Setting up a supervisor's job: folder, sweep, users, backend, worker."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox import libc
from arena.sandbox.base import Backend, Level
from arena.sandbox.ground import Ground, OrdinaryGround
from arena.sandbox.jobs import Job, run_root, stale
from arena.sandbox.plain import PlainBackend
from arena.sandbox.processes import Children, descendants, end_all
from arena.sandbox.runtime import BotRuntime, find_runtime
from arena.sandbox.tools import Tools, find_tools
from arena.supervisor_protocol import JobConfig

WORKER_END_S = 2.0


class JobState:
    """All that a supervisor holds for its job."""

    def __init__(
        self, job: Job, ground: Ground, backend: Backend, children: Children, worker_pid: int | None
    ) -> None:
        self._job: Job | None = job
        self.folder = job.folder
        self.ground = ground
        self.backend = backend
        self.children = children
        self.worker_pid = worker_pid

    def end_worker(self) -> None:
        """Kill the worker and what it may have started, and wait for it a bounded time."""
        if self.worker_pid is None:
            return
        pid, self.worker_pid = self.worker_pid, None
        end_all({pid, *descendants(pid)})
        self.children.wait(pid, WORKER_END_S)

    def close(self) -> None:
        """End the worker, kill stray orphans, remove the job's folder. Safe to repeat."""
        if self._job is None:
            return
        job, self._job = self._job, None
        self.end_worker()
        end_all(descendants(os.getpid()))
        self.children.collect()
        self.backend.close()
        self.ground.close()
        job.close()


def prepare(config: JobConfig, stream_fd: int, worker_port_fd: int) -> JobState:
    """Do everything that comes before the first series.

    Raises:
        SandboxError: the level that was asked for cannot be had.
    """
    libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    _raise_file_limit()
    tools = find_tools()
    runtime = find_runtime(config.runtime)
    root = run_root(config.run_root)
    for _ in stale(root):
        pass
    children = Children()
    job = Job(root)
    ground = OrdinaryGround()
    backend = _make_backend(config, runtime, tools, children, job)
    state = JobState(job, ground, backend, children, None)
    try:
        if config.worker is not None:
            state.worker_pid = _start_worker(
                config.worker, tools, children, stream_fd, worker_port_fd
            )
    except SandboxError:
        state.close()
        raise
    return state


def _make_backend(
    config: JobConfig, runtime: BotRuntime, tools: Tools, children: Children, job: Job
) -> Backend:
    if config.backend == "plain":
        if config.level is not Level.UNSAFE:
            raise SandboxError("the backend plain has the level unsafe only")
        return PlainBackend(runtime, tools, children, job.folder)
    raise SandboxError(f"unknown sandbox backend {config.backend!r}: bwrap or plain")


def _start_worker(
    module: str, tools: Tools, children: Children, stream_fd: int, port_fd: int
) -> int:
    command = [
        *(tools.setpriv, "--pdeathsig", "KILL", "--no-new-privs"),
        *(sys.executable, "-P", "-m", module, "3", "4"),
    ]
    env = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        return children.spawn(command, env, {1: 2, 2: 2, 3: stream_fd, 4: port_fd})
    except OSError as error:
        raise SandboxError(f"cannot start the worker: {error}") from error


def _raise_file_limit() -> None:
    """Workers inherit the highest limit; every seat gets its own small one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
