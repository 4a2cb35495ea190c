"""What the host itself says: things no probe seat can try."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox.cgroup_files import find_layout
from arena.sandbox.probe import Finding
from arena.sandbox.runtime import find_runtime
from arena.sandbox.uids import FIRST, LAST, users_in_use

_WORKER_FILES = 4 * 64 * 64 + 512
_FREE_BYTES = 1024**3


def host_findings() -> list[Finding]:
    """Kernel, cgroups, users, files, settings that matter to a sandbox."""
    return [
        Finding("kernel", "ok", f"{os.uname().release} {os.uname().machine}, {_cores()} cores"),
        _runtime(),
        _groups(),
        _users(),
        _files(),
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


def _files() -> Finding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    name = "open files"
    if hard in (resource.RLIM_INFINITY, -1) or hard >= _WORKER_FILES:
        return Finding(name, "ok", f"{hard} for a worker, {_WORKER_FILES} needed at four seats")
    mend = f"raise it: ulimit -Hn {_WORKER_FILES}"
    return Finding(name, "warn", f"{hard}, {_WORKER_FILES} needed at four seats", None, mend)


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
