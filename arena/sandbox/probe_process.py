"""The trial itself: ``python -m arena.sandbox.probe_process quick|complete``, JSON on stdout.

It puts a job together as a supervisor does, at level full or, failing that, practice, starts
seats that try things, and takes it apart again.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import time
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError
from arena.sandbox import probe_limits
from arena.sandbox.assembly import Assembly, Wanted
from arena.sandbox.base import Exit, Level, Limits, SeatProcess, SeatSpec
from arena.sandbox.probe import Finding, Report, level_of
from arena.sandbox.probe_facts import judge
from arena.sandbox.probe_host import host_findings

SEAT_S = 10.0
OUTPUT_BYTES = 256 * 1024
WORKER = "arena.executors.worker"


class Ran(NamedTuple):
    """One finished probe seat: what it printed, and how it ended."""

    output: str
    exit: Exit


class Prober:
    """Starts probe seats one after the other."""

    def __init__(self, parts: Assembly) -> None:
        """Raises SandboxError when a seat user or the probe's files cannot be had."""
        self.parts = parts
        self.uid = parts.ground.take_uid()
        self._bot = parts.ground.show_bot(str(Path(__file__).parent / "probe_bot"), 0)
        self._count = 0

    def start(self, entry: str, limits: Limits) -> SeatProcess:
        """Start one probe. Raises SandboxError."""
        name = f"probe{self._count}"
        self._count += 1
        path = self.parts.job.folder / f"{name}.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        path.chmod(0o777)
        spec = SeatSpec(name, self._bot, entry, str(path), "probe-token", limits, self.uid)
        return self.parts.backend.start(spec)

    def run(self, entry: str, limits: Limits, timeout_s: float = SEAT_S) -> Ran:
        """Start one probe, read what it prints until it ends, and end it. Raises SandboxError."""
        seat = self.start(entry, limits)
        try:
            output = read_output(seat, timeout_s)
        finally:
            ended = finish(seat)
        return Ran(output, ended)

    def close(self) -> None:
        """Give everything back."""
        self.parts.ground.hide_bots()
        self.parts.ground.give_back(self.uid)


def finish(seat: SeatProcess) -> Exit:
    """End a seat and close its descriptors. Raises SandboxError."""
    try:
        return seat.finish(SEAT_S)
    finally:
        for fd in seat.fds:
            if fd is not None:
                os.close(fd)


def read_output(seat: SeatProcess, timeout_s: float, *, is_first_only: bool = False) -> str:
    """What a seat prints, errors included, until it closes both pipes or the time is up."""
    deadline = time.monotonic() + timeout_s
    text = b""
    with selectors.DefaultSelector() as selector:
        for fd in (seat.fds.stdout, seat.fds.stderr):
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map() and len(text) < OUTPUT_BYTES:
            left = deadline - time.monotonic()
            events = selector.select(left) if left > 0 else []
            if not events:
                break
            for key, _ in events:
                piece = os.read(key.fd, 65536)
                text += piece
                if not piece:
                    selector.unregister(key.fd)
            if is_first_only and text:
                break
    return text.decode(errors="replace")


def facts_findings(prober: Prober, level: Level) -> list[Finding]:
    """Start the seat that looks around, and judge what it saw."""
    limits = Limits()
    ran = prober.run("facts.py", limits)
    try:
        facts = json.loads(ran.output)
    except ValueError:
        words = ran.output.strip().splitlines() or [f"it ended with {ran.exit}"]
        return [Finding("a seat starts", "fail", words[-1], "practice")]
    detail = f"{facts['python']} in {prober.parts.backend.program}"
    started = Finding("a seat starts", "ok", detail, "practice")
    return [started, *judge(facts, limits, level)]


def worker_finding(parts: Assembly, *, is_complete: bool) -> Finding:
    """Whether the worker, as its own user, can load what it needs."""
    code = ["-m", WORKER, "--help"] if is_complete else ["-c", "import arena, dominobot"]
    out_r, out_w = os.pipe2(os.O_CLOEXEC)
    command = [*parts.tools.enter((), parts.ground.worker_uid), sys.executable, "-P", *code]
    pid = parts.children.spawn(command, {"PYTHONDONTWRITEBYTECODE": "1"}, {1: out_w, 2: out_w})
    os.close(out_w)
    ended = parts.children.wait(pid, SEAT_S)
    with os.fdopen(out_r, errors="replace") as pipe:
        words = pipe.read(OUTPUT_BYTES).strip().splitlines() if ended else []
    if ended is not None and ended.exit_code == 0:
        who = "the arena's user" if parts.ground.worker_uid is None else "an own unprivileged user"
        return Finding("the worker starts", "ok", f"as {who}", "practice")
    detail = words[-1] if words else f"it ended with {ended}"
    mend = f"let others read it: chmod -R go+rX {sys.prefix}"
    return Finding("the worker starts", "fail", detail, "practice", mend)


def try_level(level: Level, *, is_complete: bool) -> list[Finding]:
    """All findings at one level. Raises SandboxError when the job cannot be put together."""
    parts = Assembly(Wanted(level, "bwrap", None, None, ()))
    try:
        prober = Prober(parts)
        seen = [worker_finding(parts, is_complete=is_complete), *facts_findings(prober, level)]
        limits: list[Finding] = []
        if is_complete:
            limits = probe_limits.complete(prober, level)
        elif level is Level.FULL:
            limits = probe_limits.quick(prober)
        prober.close()
        return [*_in("isolation", seen), *_in("limits", limits)]
    finally:
        parts.close()


def _in(area: str, findings: list[Finding]) -> list[Finding]:
    return [finding._replace(area=area) for finding in findings]


def examine(*, is_complete: bool) -> Report:
    """Try level full, then practice."""
    host = _in("host", host_findings()) if is_complete else []
    try:
        findings = [*host, *try_level(Level.FULL, is_complete=is_complete)]
        if level_of(findings) is Level.FULL:
            return Report(Level.FULL, tuple(findings))
        why = next(f for f in findings if f.state == "fail")
        missing = Finding("why not full", "fail", f"{why.name}: {why.detail}", "full", why.mend)
    except SandboxError as error:
        missing = Finding("why not full", "fail", str(error), "full")
    try:
        findings = [missing, *host, *try_level(Level.PRACTICE, is_complete=is_complete)]
    except SandboxError as error:
        findings = [Finding("why not practice", "fail", str(error), "practice"), missing, *host]
    return Report(level_of(findings), tuple(findings))


if __name__ == "__main__":
    print(json.dumps(examine(is_complete=sys.argv[1] == "complete").to_dict()))
