"""Puts a job together: folder, users, private mounts, backend; and takes it apart again.

Only for a process of its own (the supervisor, the prober): it becomes a subreaper, leaves the
host's mounts, and waits for every child.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError
from arena.sandbox import libc
from arena.sandbox.base import Backend, Level
from arena.sandbox.bubblewrap import BwrapBackend, Trial
from arena.sandbox.cgroup import JobCgroups, end_job
from arena.sandbox.cgroup_files import find_layout
from arena.sandbox.ground import Ground, OrdinaryGround
from arena.sandbox.jobs import Job, run_root, sweep
from arena.sandbox.notes import note
from arena.sandbox.plain import PlainBackend
from arena.sandbox.processes import Children, descendants, end_all
from arena.sandbox.reach import worker_paths
from arena.sandbox.root_ground import RootGround
from arena.sandbox.runtime import BotRuntime, find_runtime
from arena.sandbox.tools import Tools, find_tools
from arena.sandbox.uids import UidClaims

_ORPHANS_S = 2.0
_POLL_S = 0.002


class Wanted(NamedTuple):
    """What is to be put together.

    ``backend``: "bwrap" or "plain" (plain goes with level unsafe). ``level``: less is an error,
    never a silent step down. ``runtime``: the bots' environment, None to find it. ``routes``: see
    :class:`~arena.sandbox.bubblewrap.Trial`, for root only.
    """

    level: Level
    backend: str
    runtime: str | None
    routes: tuple[bool, ...] = (True, False)


class Assembly:
    """A job's parts.

    Raises SandboxError when the wanted level cannot be had, OSError when the host has no room.
    """

    def __init__(self, wanted: Wanted) -> None:
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
        os.umask(0o022)
        _set_limits()
        _keep_descriptors()
        self.tools: Tools = find_tools()
        self.runtime: BotRuntime = find_runtime(wanted.runtime)
        root = run_root()
        _sweep(root)
        self.children = Children()
        self.job = Job(root)
        self.ground: Ground = OrdinaryGround()
        try:
            self.ground = self._make_ground(wanted)
            # Where seats have no user of their own they come by as the arena's.
            is_shown = self.ground.is_private or self.ground.worker_uid is None
            self.job.make_bundles(is_shown=is_shown)
            self.backend: Backend = self._make_backend(wanted)
        except (SandboxError, OSError):
            self.ground.close()
            self.job.close()
            raise
        self._is_open = True

    def close(self) -> None:
        """End stray orphans, remove groups, mounts and folder, release users. Safe to repeat.

        Raises SandboxError when something will not go. Then the job's folder stays, and with the
        end of this process its lock is free, so that the next supervisor's sweep finds it.
        """
        if not self._is_open:
            return
        self._is_open = False
        deadline = time.monotonic() + _ORPHANS_S
        while (orphans := descendants(os.getpid())) and time.monotonic() < deadline:
            end_all(orphans)
            time.sleep(_POLL_S)
            self.children.collect()
        try:
            is_gone = self.backend.close() and not orphans
        finally:
            self.ground.close()
        if not is_gone:
            raise SandboxError(f"something of the job {self.job.name} will not end")
        self.job.close()

    def _make_ground(self, wanted: Wanted) -> Ground:
        if os.geteuid() != 0 or wanted.backend == "plain":
            return OrdinaryGround()
        claims = UidClaims(run_root())
        needed = [*worker_paths(), *self.runtime.paths]
        return RootGround(self.job.folder, claims, needed)

    def _make_backend(self, wanted: Wanted) -> Backend:
        if wanted.backend == "plain":
            if wanted.level is not Level.UNSAFE:
                raise SandboxError("the backend plain has the level unsafe only")
            return PlainBackend(self.runtime, self.tools, self.children, self.job.folder)
        if wanted.backend != "bwrap" or wanted.level is Level.UNSAFE:
            raise SandboxError(
                f"no backend {wanted.backend!r} at level {wanted.level.value}: "
                "bwrap gives full or practice, plain gives unsafe"
            )
        cgroups = None
        if wanted.level is Level.FULL:
            if os.geteuid() != 0:
                raise SandboxError("each seat needs a user of its own: run the arena as root")
            cgroups = JobCgroups(find_layout(), self.job.name)
        routes = wanted.routes if os.geteuid() == 0 else (True,)
        trial = Trial(self.ground.worker_uid, routes)
        try:
            return BwrapBackend(self.runtime, self.tools, self.children, cgroups, trial)
        except (SandboxError, OSError):
            if cgroups is not None:
                cgroups.close()
            raise


def _sweep(root: Path) -> None:
    """Remove what dead supervisors left: processes, groups, folders."""
    layout = find_layout()

    def end(job: str) -> bool:
        if os.geteuid() != 0:
            return True
        try:
            end_job(layout, job)
        except SandboxError as error:
            # Its user stays in use, so nobody gets that; the rest can go on.
            note(str(error))
            return False
        return True

    sweep(root, end)


def _keep_descriptors() -> None:
    """Whatever the starter left open must not reach a seat or a worker."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - numbers, not files
        with suppress(OSError):
            if int(name) > 2:
                os.set_inheritable(int(name), False)


def _set_limits() -> None:
    """What workers and seats inherit: the most open files (a seat gets fewer), no core dump.

    A core limit of 0 does not keep the kernel from running the host's dump program; 1 byte does.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
