"""Judges what a probe seat saw and could do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.sandbox.base import Level, Limits
from arena.sandbox.probe import Finding

_ENVIRONMENT = {
    *("DOMINOBOT_ADDRESS", "DOMINOBOT_TOKEN", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PATH", "PWD"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
}
_DEVICES = {"null", "zero", "full", "random", "urandom", "shm"}
_HIDDEN = {"proc", "sys", "home", "root", "var", "boot", "mnt", "opt", "srv"}
_AF_UNIX = 1
_SIGSYS = 31
_MEND = "this is a fault of the arena: please report it"

Facts = Mapping[str, Any]


def judge(facts: Facts, limits: Limits, level: Level) -> list[Finding]:
    """One finding for each property that holds at the level. ``limits`` are what the seat got."""
    checks = [*_COMMON, *(_FULL if level is Level.FULL else ())]
    findings = []
    for name, needed_by, check in checks:
        trouble, detail = check(facts, limits)
        if trouble:
            findings.append(Finding(name, "fail", trouble, needed_by, _MEND))
        else:
            findings.append(Finding(name, "ok", detail, needed_by))
    return findings


def _environment(facts: Facts, _: Limits) -> tuple[str, str]:
    strange = set(facts["environment"]) - _ENVIRONMENT
    return (f"it sees {sorted(strange)}" if strange else "", "only what a bot is told")


def _view(facts: Facts, _: Limits) -> tuple[str, str]:
    # The runtime may itself lie below one of the hidden names; nothing else of it shows then.
    runtime_root = str(facts["python"]).split("/")[1]
    seen = set(facts["root"]) & (_HIDDEN - {runtime_root})
    devices = set(facts["devices"]) - _DEVICES
    trouble = f"it sees {sorted(seen | devices)}" if seen or devices else ""
    return trouble, "no procfs, no homes, five harmless devices"


def _network(facts: Facts, _: Limits) -> tuple[str, str]:
    opened = [family for family in facts["families"] if family != _AF_UNIX]
    trouble = f"socket families {opened} open" if opened else ""
    if _AF_UNIX not in facts["families"] or not facts["has_socket"]:
        trouble = "the seat's own socket cannot be used"
    return trouble, "only Unix sockets open, of 45 families"


def _calls(facts: Facts, _: Limits) -> tuple[str, str]:
    answers = facts["calls"]
    wrong = sorted(n for n, answer in answers.items() if answer not in ("ENOSYS", "not tried"))
    return f"{wrong} get through" if wrong else "", f"{len(answers)} tried, none is there"


def _other_abi(facts: Facts, _: Limits) -> tuple[str, str]:
    ended_by = facts["other_abi"]
    if ended_by < 0:
        return "", "not tried on this machine"
    trouble = "" if ended_by == _SIGSYS else "a call by another ABI does not end its process"
    return trouble, "a call by one ends its process"


def _seccomp(facts: Facts, _: Limits) -> tuple[str, str]:
    is_filtered = facts["seccomp"] == 2 and facts["no_new_privileges"] == 1
    return ("" if is_filtered else "no filter is loaded", "allow-list loaded, no new privileges")


def _read_only(facts: Facts, limits: Limits) -> tuple[str, str]:
    wrong = [d for d, answer in facts["writes"].items() if (answer == "done") != (d == "/tmp")]
    wanted = {"/tmp": limits.tmp_bytes, "/dev/shm": limits.shm_bytes}
    wrong += [d for d, size in facts["sizes"].items() if size != wanted[d]]
    mib = {d: size // 2**20 for d, size in facts["sizes"].items()}
    trouble = f"wrong at {wrong}" if wrong else ""
    return trouble, f"all but /tmp ({mib['/tmp']} MiB) and /dev/shm ({mib['/dev/shm']} MiB)"


def _descriptors(facts: Facts, _: Limits) -> tuple[str, str]:
    strange = [fd for fd in facts["descriptors"] if fd > 2]
    return (f"it inherits {strange}" if strange else "", "only the three standard ones")


def _locks(facts: Facts, _: Limits) -> tuple[str, str]:
    return ("" if facts["lock"] == "EACCES" else "a lock was given", "refused")


def _rlimits(facts: Facts, limits: Limits) -> tuple[str, str]:
    wanted = {
        "NPROC": limits.processes,
        "NOFILE": limits.open_files,
        "FSIZE": limits.file_bytes,
        "CORE": 1,
    }
    wrong = {n: v for n, v in facts["limits"].items() if v != wanted[n]}
    detail = f"{limits.processes} processes, {limits.open_files} files, no core"
    return (f"limits are {wrong}" if wrong else "", detail)


def _capabilities(facts: Facts, _: Limits) -> tuple[str, str]:
    left = facts["bounding_set"]
    return (f"capabilities {left} are left" if left else "", "none, and none to be had")


def _user(facts: Facts, _: Limits) -> tuple[str, str]:
    ids = set(facts["ids"])
    trouble = "" if len(ids) == 1 and min(ids) > 0 else f"it runs as {sorted(ids)}"
    return trouble, f"user and group {min(ids)}, nobody else's"


_Check = tuple[str, str, Callable[[Facts, Limits], tuple[str, str]]]

_COMMON: tuple[_Check, ...] = (
    ("empty environment", "practice", _environment),
    ("nothing to read", "practice", _view),
    ("no network", "practice", _network),
    ("system calls", "practice", _seccomp),
    ("dangerous calls", "practice", _calls),
    ("other ABIs", "practice", _other_abi),
    ("capabilities", "practice", _capabilities),
    ("read-only", "practice", _read_only),
    ("descriptors", "practice", _descriptors),
    ("file locks", "practice", _locks),
    ("rlimits", "practice", _rlimits),
)
_FULL: tuple[_Check, ...] = (("a user of its own", "full", _user),)
