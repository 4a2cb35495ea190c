"""What this host's sandbox can do, found out by trying it in a process of its own.

The trial starts real seats the way a supervisor does. It has to be another process, since it
leaves the host's mounts and becomes a subreaper.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

from arena.errors import SandboxError
from arena.sandbox.base import Level

_QUICK_S = 20.0
_COMPLETE_S = 90.0


class Finding(NamedTuple):
    """One property that was tried.

    ``state``: "ok", "warn" (works, but look at it), "fail". ``level``: the level that needs it,
    None when no level does. ``mend``: what to do about a failure or warning. ``area``: "result",
    "host", "isolation" or "limits".
    """

    name: str
    state: str
    detail: str
    level: str | None = None
    mend: str = ""
    area: str = "result"


class Report(NamedTuple):
    """The findings, and the level they add up to; None when not even practice can be had."""

    level: Level | None
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        level = None if self.level is None else self.level.value
        return {"level": level, "findings": [finding._asdict() for finding in self.findings]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Report:
        """Read the JSON form. Raises KeyError, TypeError or ValueError when it is not a report."""
        level = None if data["level"] is None else Level(data["level"])
        return cls(level, tuple(Finding(**finding) for finding in data["findings"]))

    def why_not(self) -> str:
        """What keeps this host from the next level, in one line; empty at level full."""
        failed = [f for f in self.findings if f.state == "fail" and f.level is not None]
        if not failed:
            return ""
        first = failed[0]
        what = first.detail if first.area == "result" else f"{first.name}: {first.detail}"
        return what + (f"; {first.mend}" if first.mend else "")


def level_of(findings: list[Finding]) -> Level | None:
    """The highest level none of whose needs failed."""
    failed = {finding.level for finding in findings if finding.state == "fail"}
    if Level.PRACTICE.value in failed:
        return None
    return Level.PRACTICE if Level.FULL.value in failed else Level.FULL


@functools.cache
def best_level() -> Level:
    """The best level of backend ``bwrap`` here, by one quick trial; kept for this process.

    Raises:
        SandboxError: not even practice; says why and the way out.
    """
    report = examine(is_complete=False)
    if report.level is None:
        raise SandboxError(f"no sandbox on this machine: {report.why_not()}")
    return report.level


def examine(*, is_complete: bool) -> Report:
    """Try the sandbox: everything, or only what decides the level (under a second).

    Raises:
        SandboxError: the trial itself broke.
    """
    word = "complete" if is_complete else "quick"
    try:
        trial = subprocess.run(
            [sys.executable, "-P", "-m", "arena.sandbox.probe_process", word],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMPLETE_S if is_complete else _QUICK_S,
            cwd="/",
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"the sandbox trial did not end in {error.timeout} s") from error
    try:
        return Report.from_dict(json.loads(trial.stdout))
    except (ValueError, KeyError, TypeError) as error:
        words = trial.stderr.decode(errors="replace").strip().splitlines() or ["no words"]
        raise SandboxError(f"the sandbox trial broke: {words[-1]}") from error


def _environment() -> dict[str, str]:
    """What the trial may know of the caller: the same a supervisor gets."""
    names = ("PATH", "LANG", "HOME", "XDG_RUNTIME_DIR", "ARENA_BOT_RUNTIME")
    return {name: os.environ[name] for name in names if name in os.environ}
