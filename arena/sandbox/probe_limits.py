"""Tries the limits on real seats: memory, processes, CPU, freeze, kill."""

from __future__ import annotations

import os
import statistics
import time

from arena.sandbox.base import MIB, Exit, Level, Limits, SeatProcess
from arena.sandbox.probe import Finding
from arena.sandbox.probe_seats import Prober, finish, read_output

_GROUPS = "give the arena writable cgroups (in a container: -v /sys/fs/cgroup:/sys/fs/cgroup:rw)"
_FREEZES = 50
_PAUSE_S = 0.002
_FROZEN_S = 0.03
_MOST_FROZEN_CPU_S = 0.002
_WATCH_S = 0.5
_LEAST_SHARE, _MOST_SHARE = 0.05, 0.9


def quick(prober: Prober) -> list[Finding]:
    """What decides level full besides the facts: memory is counted, freezing works."""
    return [_memory(prober, 32 * MIB), *_spinning(prober, watches_share=False)]


def complete(prober: Prober, level: Level) -> list[Finding]:
    """Everything that can be tried at the level."""
    findings = [_imports(prober)]
    if level is Level.FULL:
        findings += [_memory(prober, 64 * MIB), *_processes(prober)]
        findings += _spinning(prober, watches_share=True)
    return findings


def _imports(prober: Prober) -> Finding:
    name = "bot runtime"
    begin = time.monotonic()
    ran = prober.run("imports.py", Limits())
    if ran.exit.exit_code == 0:
        took_ms = (time.monotonic() - begin) * 1000
        text = f"{ran.output.strip()}, all loaded in {took_ms:.0f} ms"
        return Finding(name, "ok", text, "practice")
    words = ran.output.strip().splitlines() or [str(ran.exit)]
    return Finding(name, "fail", words[-1], "practice", "run `make runtime`")


def _memory(prober: Prober, limit: int) -> Finding:
    name = "memory limit"
    end = prober.run("memory.py", Limits(memory_bytes=limit)).exit
    if end.oom_kills > 0:
        return Finding(name, "ok", f"a hog of {limit // MIB} MiB is killed, and counted", "full")
    return Finding(name, "fail", f"a hog was not stopped: {_words(end)}", "full", _GROUPS)


def _processes(prober: Prober) -> list[Finding]:
    """A bomb of processes that ignore a polite end: is it stopped, and does it end whole?"""
    limit = 20
    seat = prober.start("processes.py", Limits(processes=limit))
    read_output(seat, 5.0, is_first_only=True)
    times_us = _freeze_times(seat)
    begin = time.perf_counter()
    end = finish(seat)
    took_ms = (time.perf_counter() - begin) * 1000
    findings = [Finding("kill", "ok", f"a tree of {limit} is gone in {took_ms:.1f} ms", "full")]
    if times_us:
        detail = f"{statistics.median(times_us):.0f} us to freeze and thaw such a tree"
        findings.append(Finding("freeze time", "ok", f"{detail} (median of {_FREEZES})", "full"))
    if end.processes_denied == 0:
        detail = f"a bomb was not stopped: {_words(end)}"
        return [Finding("process limit", "fail", detail, "full", _GROUPS), *findings]
    detail = f"a bomb is stopped at {limit}, refusals are counted"
    return [Finding("process limit", "ok", detail, "full"), *findings]


def _freeze_times(seat: SeatProcess) -> list[float]:
    """Microseconds for each freeze with its thaw; the seat has time to stand still in between."""
    fd = seat.fds.freeze
    if fd is None:
        return []
    freeze, thaw = (word.encode() for word in seat.freeze_words)
    times_us = []
    for _ in range(_FREEZES):
        begin = time.perf_counter()
        os.write(fd, freeze)
        middle = time.perf_counter()
        time.sleep(_PAUSE_S)
        again = time.perf_counter()
        os.write(fd, thaw)
        times_us.append((middle - begin + time.perf_counter() - again) * 1e6)
        time.sleep(_PAUSE_S)
    return times_us


def _spinning(prober: Prober, *, watches_share: bool) -> list[Finding]:
    """Two spinners in half a core: is the share kept, do they stand still when frozen?"""
    seat = prober.start("spin.py", Limits(cpu_cores=0.5))
    try:
        read_output(seat, 5.0, is_first_only=True)
        return [*([_share(seat)] if watches_share else []), _freeze(seat)]
    finally:
        finish(seat)


def _share(seat: SeatProcess) -> Finding:
    name = "cpu share"
    before, begin = cpu_s(seat), time.monotonic()
    time.sleep(_WATCH_S)
    share = (cpu_s(seat) - before) / (time.monotonic() - begin)
    if _LEAST_SHARE < share < _MOST_SHARE:
        return Finding(name, "ok", f"two spinners in half a core get {share:.2f}", "full")
    return Finding(name, "fail", f"half a core gave {share:.2f}", "full", _GROUPS)


def _freeze(seat: SeatProcess) -> Finding:
    name = "freeze"
    fd = seat.fds.freeze
    if fd is None:
        return Finding(name, "fail", "this host cannot freeze a group", "full", _GROUPS)
    os.write(fd, seat.freeze_words[0].encode())
    time.sleep(_FROZEN_S)
    before = cpu_s(seat)
    time.sleep(_FROZEN_S)
    grown = cpu_s(seat) - before
    os.write(fd, seat.freeze_words[1].encode())
    if grown > _MOST_FROZEN_CPU_S:
        return Finding(name, "fail", f"{grown:.3f} s of CPU while frozen", "full", _GROUPS)
    return Finding(name, "ok", "spinners use no CPU while frozen", "full")


def cpu_s(seat: SeatProcess) -> float:
    """CPU seconds of a seat so far."""
    text = os.pread(seat.fds.cpu or -1, 4096, 0)
    if text.startswith(b"usage_usec"):
        return int(text.split()[1]) / 1e6
    return int(text) / 1e9


def _words(end: Exit) -> str:
    return ", ".join(f"{name} {value}" for name, value in end._asdict().items() if value)
