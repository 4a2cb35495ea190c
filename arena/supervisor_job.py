"""Setting up a supervisor's job: folder, sweep, users, backend, worker."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError
from arena.sandbox import libc
from arena.sandbox.base import Backend, Level
from arena.sandbox.bubblewrap import BwrapBackend
from arena.sandbox.cgroup import JobCgroups, sweep
from arena.sandbox.cgroup_files import find_layout
from arena.sandbox.ground import Ground, OrdinaryGround
from arena.sandbox.jobs import Job, run_root, stale
from arena.sandbox.plain import PlainBackend
from arena.sandbox.processes import Children, descendants, end_all
from arena.sandbox.reach import worker_paths
from arena.sandbox.root_ground import RootGround
from arena.sandbox.runtime import BotRuntime, find_runtime
from arena.sandbox.tools import Tools, find_tools
from arena.sandbox.uids import UidClaims
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

    def start_worker(self, module: str, tools: Tools, fds: dict[int, int]) -> None:
        """Start the worker as its own user, with the descriptors it is told the numbers of.

        Raises SandboxError when it cannot be started.
        """
        uid = self.ground.worker_uid
        group = self.backend.worker_group
        command = [
            *tools.enter(group.entries if group else (), uid, "--pdeathsig", "KILL"),
            *(sys.executable, "-P", "-m", module, *map(str, fds)),
        ]
        env = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": os.environ.get("HOME", "/") if uid is None else "/",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            self.worker_pid = self.children.spawn(command, env, {1: 2, 2: 2, **fds})
        except OSError as error:
            raise SandboxError(f"cannot start the worker: {error}") from error

    def end_worker(self) -> None:
        """Kill the worker and what it may have started, and wait for it a bounded time."""
        if self.worker_pid is None:
            return
        pid, self.worker_pid = self.worker_pid, None
        group = self.backend.worker_group
        end_all({pid, *descendants(pid)})
        if group is not None:
            group.end(WORKER_END_S, self.children.collect)
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
    os.umask(0o022)
    _raise_file_limit()
    tools = find_tools()
    runtime = find_runtime(config.runtime)
    root = run_root(config.run_root)
    _sweep(root)
    children = Children()
    job = Job(root)
    ground: Ground = OrdinaryGround()
    try:
        ground = _make_ground(config, job, runtime)
        backend = _make_backend(config, Parts(runtime, tools, children, job, ground))
    except SandboxError:
        ground.close()
        job.close()
        raise
    state = JobState(job, ground, backend, children, None)
    try:
        if config.worker is not None:
            state.start_worker(config.worker, tools, {3: stream_fd, 4: worker_port_fd})
    except SandboxError:
        state.close()
        raise
    return state


class Parts(NamedTuple):
    """What a backend is made of."""

    runtime: BotRuntime
    tools: Tools
    children: Children
    job: Job
    ground: Ground


def _sweep(root: Path) -> None:
    """Remove what dead supervisors left: processes, cgroups, folders."""
    layout = find_layout()
    for name in stale(root):
        if os.geteuid() == 0:
            sweep(layout, name)


def _make_ground(config: JobConfig, job: Job, runtime: BotRuntime) -> Ground:
    if os.geteuid() != 0 or config.backend == "plain":
        return OrdinaryGround()
    claims = UidClaims(run_root())
    needed = [*worker_paths(config.extra_paths), *runtime.paths]
    return RootGround(job.folder, claims, needed)


def _make_backend(config: JobConfig, parts: Parts) -> Backend:
    if config.backend == "plain":
        if config.level is not Level.UNSAFE:
            raise SandboxError("the backend plain has the level unsafe only")
        return PlainBackend(parts.runtime, parts.tools, parts.children, parts.job.folder)
    if config.backend != "bwrap":
        raise SandboxError(f"unknown sandbox backend {config.backend!r}: bwrap or plain")
    cgroups = None
    if config.level is Level.FULL:
        if os.geteuid() != 0:
            raise SandboxError("level full needs a user for each seat: run the arena as root")
        cgroups = JobCgroups(find_layout(), parts.job.name)
    try:
        return BwrapBackend(
            parts.runtime, parts.tools, parts.children, cgroups, parts.ground.worker_uid
        )
    except SandboxError:
        if cgroups is not None:
            cgroups.close()
        raise


def _raise_file_limit() -> None:
    """Workers inherit the highest limit; every seat gets its own small one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
