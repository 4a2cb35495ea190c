"""Control groups of both generations behind one face: limits, counters, freeze and kill.

A controller (memory, pids, cpu) is used where it lives: in the unified tree (v2) or in a tree of
its own (v1). On a hybrid host the limits come from v1 and freeze and kill from the unified tree,
whose core files are there without any controller. Layout: ``<mount>/domino-arena/<job>/<seat>``.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError
from arena.sandbox.base import Limits
from arena.sandbox.cgroup_files import (
    CONTROLLERS,
    Layout,
    number,
    open_file,
    pairs,
    remove_folder,
    words,
    write,
    write_if_there,
)

BASE = "domino-arena"
_PERIOD_US = 100_000
_RETRY_S = 0.001
_KILL_S = 2.0
_CLAIM_TRIES = 20
_ALMOST_BYTES = 256 * 1024
"""So close to its limit is a group in which the next few pages are refused (version 1)."""


class Counters(NamedTuple):
    """What the kernel counted for one group. ``memory_peak_bytes`` is None where it is not kept.

    The kernel counts every kill for memory inside, also one because the host or a group above had
    none left. ``oom_kills`` are those of a group that met its own limit, ``host_oom_kills`` those
    of one that did not.
    """

    oom_kills: int
    processes_denied: int
    cpu_s: float
    memory_peak_bytes: int | None
    host_oom_kills: int = 0


class JobCgroups:
    """The groups of one job. Raises SandboxError when a controller is missing or not ours."""

    def __init__(self, layout: Layout, job: str) -> None:
        missing = [name for name in CONTROLLERS if layout.home(name) is None]
        if missing:
            raise SandboxError(f"this host offers no cgroup controller for {', '.join(missing)}")
        self._layout = layout
        self._job = job
        try:
            for mount in layout.mounts():
                self._claim(mount)
            if layout.v2 is not None:
                self._enable(layout.v2)
        except OSError as error:
            raise SandboxError(_reason(error)) from error

    def make(self, name: str, limits: Limits) -> Cgroup:
        """A new, empty group with its limits of memory, processes and CPU.

        Raises SandboxError when it cannot be made.
        """
        group = Cgroup(self._layout, f"{BASE}/{self._job}/{name}")
        try:
            group.create()
            group.limit(limits)
        except OSError as error:
            group.remove(0.0)
            raise SandboxError(_reason(error)) from error
        return group

    def close(self) -> bool:
        """Remove the job's folders, and the arena's own if nobody else is in it.

        False if a group of the job is left in one.
        """
        is_gone = True
        for mount in self._layout.mounts():
            is_gone = remove_folder(mount / BASE / self._job) and is_gone
            remove_folder(mount / BASE)
        return is_gone

    def _claim(self, mount: Path) -> None:
        """Make the job's folder. Another arena may just be removing the empty one above it."""
        for _ in range(_CLAIM_TRIES):
            with suppress(FileNotFoundError):
                (mount / BASE / self._job).mkdir(mode=0o755, parents=True, exist_ok=True)
                return
        (mount / BASE / self._job).mkdir(mode=0o755, parents=True, exist_ok=True)

    def _enable(self, mount: Path) -> None:
        """Hand the controllers that live in the unified tree down to our groups."""
        wanted = [name for name in CONTROLLERS if name in self._layout.v2_controllers]
        for folder in (mount, mount / BASE, mount / BASE / self._job):
            if wanted and not set(wanted) <= set(words(folder / "cgroup.subtree_control")):
                write(folder / "cgroup.subtree_control", " ".join(f"+{n}" for n in wanted))


class Cgroup:
    """One group, made of one folder in each tree."""

    def __init__(self, layout: Layout, path: str) -> None:
        self._layout = layout
        self._folders = [mount / path for mount in layout.mounts()]
        self._core = layout.v2 / path if layout.v2 else None
        self._homes = {
            name: (home[0], home[1] / path) for name in CONTROLLERS if (home := layout.home(name))
        }
        self._freezer = layout.v1["freezer"] / path if "freezer" in layout.v1 else None
        self._path = path

    def create(self) -> None:
        """Make the folders. Raises OSError."""
        for folder in self._folders:
            folder.mkdir(mode=0o755, parents=True)

    def limit(self, limits: Limits) -> None:
        """Write the limits: memory without swap, processes, share of the CPU. Raises OSError."""
        generation, folder = self._homes["memory"]
        memory = str(limits.memory_bytes)
        if generation == 2:
            write(folder / "memory.max", memory)
            write_if_there(folder / "memory.swap.max", "0")
            write_if_there(folder / "memory.oom.group", "1")
        else:
            write(folder / "memory.limit_in_bytes", memory)
            write_if_there(folder / "memory.memsw.limit_in_bytes", memory)
        write(self._homes["pids"][1] / "pids.max", str(limits.processes))
        if limits.cpu_cores is None:
            return
        generation, folder = self._homes["cpu"]
        quota = int(limits.cpu_cores * _PERIOD_US)
        if generation == 2:
            write(folder / "cpu.max", f"{quota} {_PERIOD_US}")
        else:
            write(folder / "cpu.cfs_period_us", str(_PERIOD_US))
            write(folder / "cpu.cfs_quota_us", str(quota))

    @property
    def entries(self) -> list[str]:
        """The files a process writes its pid to in order to enter."""
        return [str(folder / "cgroup.procs") for folder in self._folders]

    @property
    def freeze_words(self) -> tuple[str, str]:
        """What to write to freeze and to thaw."""
        return ("1", "0") if self._core else ("FROZEN", "THAWED")

    def open_freeze(self) -> int | None:
        """A descriptor to write the freeze words to; None where nothing can freeze."""
        if self._core is not None:
            return open_file(self._core / "cgroup.freeze", os.O_WRONLY)
        if self._freezer is not None:
            return open_file(self._freezer / "freezer.state", os.O_WRONLY)
        return None

    def open_kill(self) -> int | None:
        """A descriptor that kills the tree when "1" is written; None where there is none."""
        if self._core is None or not (self._core / "cgroup.kill").exists():
            return None
        return open_file(self._core / "cgroup.kill", os.O_WRONLY)

    def open_cpu(self) -> int:
        """A descriptor of the CPU time counter."""
        return open_file(self._cpu_file, os.O_RDONLY)

    @property
    def _cpu_file(self) -> Path:
        if self._core is not None:
            return self._core / "cpu.stat"
        return self._layout.v1["cpuacct"] / self._path / "cpuacct.usage"

    def kill(self) -> None:
        """Kill everything inside, frozen or not. Does not wait."""
        if self._core is not None:
            with suppress(OSError):
                write_if_there(self._core / "cgroup.kill", "1")
        for pid in self._pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._core is None and self._freezer is not None:
            with suppress(OSError):
                write_if_there(self._freezer / "freezer.state", "THAWED")

    def is_empty(self) -> bool:
        """Whether nothing runs inside."""
        if self._core is not None:
            events = pairs(self._core / "cgroup.events")
            if events:
                return events.get("populated") == 0
        return not any(True for _ in self._pids())

    def end(self, timeout_s: float, between: Callable[[], None] = lambda: None) -> bool:
        """Kill until empty; False if something is left after ``timeout_s``.

        ``between`` is called at each turn, to reap.
        """
        deadline = time.monotonic() + timeout_s
        while not self.is_empty():
            self.kill()
            between()
            if time.monotonic() > deadline:
                return False
            time.sleep(_RETRY_S)
        return True

    def counters(self) -> Counters:
        """Read the counters; what is missing counts zero."""
        generation, folder = self._homes["memory"]
        if generation == 2:
            events = pairs(folder / "memory.events")
            kills, limit_met = events.get("oom_kill", 0), events.get("oom", 0) > 0
            peak = number(folder / "memory.peak")
        else:
            kills = pairs(folder / "memory.oom_control").get("oom_kill", 0)
            # Newer kernels no longer count failures of the joint limit of memory and swap.
            peak = number(folder / "memory.max_usage_in_bytes")
            limit = number(folder / "memory.limit_in_bytes") or 0
            limit_met = (peak or 0) >= limit - _ALMOST_BYTES
        denied = pairs(self._homes["pids"][1] / "pids.events").get("max", 0)
        own, others = (kills, 0) if limit_met else (0, kills)
        return Counters(own, denied, self.cpu_s(), peak, others)

    def cpu_s(self) -> float:
        """CPU seconds of the tree so far."""
        if self._core is not None:
            return pairs(self._cpu_file).get("usage_usec", 0) / 1e6
        return (number(self._cpu_file) or 0) / 1e9

    def remove(self, timeout_s: float) -> bool:
        """Remove the folders, retrying while the kernel is busy; False if one is left."""
        deadline = time.monotonic() + timeout_s
        while [folder for folder in self._folders if not remove_folder(folder)]:
            if time.monotonic() > deadline:
                return False
            time.sleep(_RETRY_S)
        return True

    def _pids(self) -> Iterator[int]:
        yield from map(int, words(self._folders[0] / "cgroup.procs"))


def end_job(layout: Layout, job: str) -> None:
    """Kill and remove everything of a dead job.

    Raises:
        SandboxError: something of it will not die.
    """
    seats: set[str] = set()
    for mount in layout.mounts():
        with suppress(OSError):
            seats |= {e.name for e in (mount / BASE / job).iterdir() if e.is_dir()}
    for seat in sorted(seats):
        group = Cgroup(layout, f"{BASE}/{job}/{seat}")
        if not (group.end(_KILL_S) and group.remove(_KILL_S)):
            raise SandboxError(
                f"leftovers of a dead arena will not end: cgroup {BASE}/{job}/{seat}"
            )
    for mount in layout.mounts():
        remove_folder(mount / BASE / job)
        remove_folder(mount / BASE)


def _reason(error: OSError) -> str:
    words = f"cgroups cannot be used ({error.filename}: {error.strerror})"
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.ENOMEM):
        return words
    return f"{words}: run as root, in a container with -v /sys/fs/cgroup:/sys/fs/cgroup:rw"
