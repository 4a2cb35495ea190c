"""What the host itself says: things no probe seat can try."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox.base import Limits
from arena.sandbox.cgroup_files import find_layout
from arena.sandbox.descriptors import fitted, needed
from arena.sandbox.probe import Finding
from arena.sandbox.runtime import find_runtime
from arena.sandbox.uids import FIRST, LAST, users_in_use

_SEATS = 4
_FREE_BYTES = 1024**3


def host_findings() -> list[Finding]:
    """Kernel, cgroups, users, files, settings that matter to a sandbox."""
    return [
        Finding("kernel", "ok", f"{os.uname().release} {os.uname().machine}, {_cores()} cores"),
        _runtime(),
        _groups(),
        _users(),
        files_finding(),
        _matches(),
        _swap(),
        _cores_pattern(),
        _links(),
        _disk(),
    ]


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _runtime() -> Finding:
    try:
        return Finding("bots' Python", "ok", find_runtime().venv)
    except SandboxError as error:
        return Finding("bots' Python", "fail", str(error), "practice")


def _groups() -> Finding:
    layout = find_layout()
    words = {
        "v2": "version 2",
        "v1": "version 1",
        "hybrid": "version 1, with version 2 beside it for freeze and kill",
        "none": "none are mounted",
    }
    state = "warn" if layout.kind == "none" else "ok"
    return Finding("cgroups", state, words[layout.kind])


def _users() -> Finding:
    busy = users_in_use()
    name = "seat users"
    if not busy:
        return Finding(name, "ok", f"{FIRST} to {LAST}, all free")
    return Finding(name, "ok", f"{FIRST} to {LAST}, {len(busy)} in use by running arenas")


def files_finding() -> Finding:
    """Whether the bots of a table cannot use up their worker's descriptors."""
    name, wanted = "open files", Limits()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = needed(wanted, _SEATS)
    mend = f"raise it: ulimit -Hn {need}"
    try:
        given = fitted(wanted, _SEATS).open_files
    except SandboxError as error:
        return Finding(name, "fail", str(error), "full", mend)
    if given < wanted.open_files:
        less = f"each process of a bot gets {given} instead of {wanted.open_files}"
        detail = f"{hard}, {need} needed at four seats: {less}"
        return Finding(name, "warn", detail, None, mend)
    return Finding(name, "ok", f"{hard} for a worker, {need} needed at four seats")


def _swap() -> Finding:
    """A seat has no swap, whatever the host has, where its group can count it."""
    name = "swap"
    try:
        has_swap = len(Path("/proc/swaps").read_text().splitlines()) > 1
    except OSError:
        has_swap = False
    if not has_swap:
        return Finding(name, "ok", "the host has none")
    generation, mount = find_layout().home("memory") or (0, Path("/nowhere"))
    counted = "*/memory.swap.max" if generation == 2 else "memory.memsw.limit_in_bytes"
    if any(mount.glob(counted)):
        return Finding(name, "ok", "the host has some, seats get none")
    mend = "boot with swapaccount=1, or turn it off: swapoff -a"
    return Finding(name, "warn", "a bot can use it besides its memory", None, mend)


def _matches() -> Finding:
    """Bots of one match think one at a time, so a core plays a match."""
    name, cores = "matches at once", _cores()
    if cores > 1:
        return Finding(name, "ok", f"{cores} by default, one a core")
    mend = "use a machine with two cores or more"
    return Finding(name, "warn", "one, and its bots share a core with all else", None, mend)


def _cores_pattern() -> Finding:
    name = "core dumps"
    pattern = _setting("kernel/core_pattern")
    if not pattern.startswith("|"):
        return Finding(name, "ok", "no program is run for them, and seats make none")
    detail = f"the host runs {pattern[1:].split(' ')[0]} for them, but not for those of seats"
    return Finding(name, "ok", detail)


def _links() -> Finding:
    name = "links in /tmp"
    if _setting("fs/protected_symlinks") == "1":
        return Finding(name, "ok", "protected")
    mend = "sysctl fs.protected_symlinks=1"
    return Finding(name, "warn", "other users' links are followed", None, mend)


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    state = "ok" if free > _FREE_BYTES else "warn"
    mend = "" if state == "ok" else "make room"
    return Finding("disk", state, f"{free / 1024**3:.1f} GiB free", None, mend)


def _setting(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return ""
