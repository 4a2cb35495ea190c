"""The trial itself: ``python -m arena.sandbox.probe_process quick|complete``, JSON on stdout.

It puts a job together as a supervisor does, at level full or, failing that, practice, starts
seats that try things, and takes it apart again.
"""

from __future__ import annotations

import json
import os
import sys

from arena.errors import SandboxError
from arena.sandbox import probe_limits
from arena.sandbox.assembly import Assembly, Wanted
from arena.sandbox.base import Level, Limits
from arena.sandbox.probe import Finding, Report, level_of
from arena.sandbox.probe_facts import judge
from arena.sandbox.probe_host import files_finding, host_findings
from arena.sandbox.probe_seats import OUTPUT_BYTES, SEAT_S, Prober

WORKER = "arena.executors.worker"


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
    parts = Assembly(Wanted(level, "bwrap", None))
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
    host = _in("host", host_findings() if is_complete else [files_finding()])
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
