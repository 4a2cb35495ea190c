"""Other processes seen from outside: their CPU time, memory and children."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MIB = 1024 * 1024
_SCHEDULER_CLOCK = 2


def cpu_s(pid: int) -> float:
    """CPU seconds of a process, all its threads, ended ones too, to the nanosecond.

    This is the kernel's process clock (what ``time.process_time`` reads for the own process); the
    fields of /proc/PID/stat are the same number, cut to 10 ms.
    """
    return time.clock_gettime((~pid << 3) | _SCHEDULER_CLOCK)


def rss_bytes(pid: int) -> int:
    """Resident memory of a process now."""
    return _status_kib(pid, "VmRSS") * 1024


def peak_bytes(pid: int) -> int:
    """The most resident memory it ever had."""
    return _status_kib(pid, "VmHWM") * 1024


def _status_kib(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise LookupError(f"process {pid} has no {name}: it has ended")


def descendants(pid: int) -> Iterator[int]:
    """All processes below ``pid``."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from descendants(int(child))


def find_module(below: int, module: str) -> list[int]:
    """The processes below ``below`` that run ``python -m module`` (not what leads to it)."""
    found = []
    for pid in descendants(below):
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if command[1:4] == [b"-P", b"-m", module.encode()]:
                found.append(pid)
    return sorted(found)


def run_s(command: list[str], cwd: Path | None = None) -> float:
    """Wall seconds of a command that has to succeed."""
    began = time.perf_counter()
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL, env=os.environ.copy())
    return time.perf_counter() - began
