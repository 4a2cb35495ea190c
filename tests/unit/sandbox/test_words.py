"""The sandbox's values, its filter table, and what is made of a seat's end."""

from __future__ import annotations

import pytest

from arena.sandbox import seccomp
from arena.sandbox.base import Level, Limits
from arena.sandbox.probe_facts import judge
from arena.sandbox.syscalls import ALLOWED, ANSWERED, RULES
from arena.supervisor.protocol import JobConfig, decode, encode, read_bots, read_limits


def test_levels_are_ordered() -> None:
    assert Level.FULL.is_at_least(Level.PRACTICE)
    assert Level.PRACTICE.is_at_least(Level.PRACTICE)
    assert not Level.UNSAFE.is_at_least(Level.PRACTICE)


def test_a_call_is_in_the_table_once() -> None:
    conditional = {rule.name for rule in RULES}
    assert all(rule.when for rule in RULES)
    assert not set(ALLOWED) & conditional
    assert not set(ALLOWED) & set(ANSWERED)


@pytest.mark.parametrize(
    "name",
    [
        *("clone3", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "ptrace"),
        *("process_vm_readv", "io_uring_setup", "bpf", "perf_event_open", "userfaultfd", "keyctl"),
        *("add_key", "inotify_init1", "fanotify_init", "mincore", "sysinfo", "shmget", "msgget"),
        *("semget", "mq_open", "setuid", "kexec_load", "reboot", "swapon", "pidfd_getfd", "kcmp"),
        *("open_by_handle_at", "name_to_handle_at", "splice", "mknod", "chown", "seccomp"),
    ],
)
def test_a_dangerous_call_is_not_in_the_table(name: str) -> None:
    assert name not in ALLOWED
    assert name not in ANSWERED
    assert name not in {rule.name for rule in RULES}


def test_the_filter_is_the_same_bytes_each_time() -> None:
    built = seccomp.filter_bytes()
    assert len(built) % 8 == 0, "a filter is made of instructions of eight bytes"
    seccomp.filter_bytes.cache_clear()
    assert seccomp.filter_bytes() == built


def test_a_job_survives_the_wire() -> None:
    config = JobConfig(level=Level.PRACTICE, worker=None, routes=(False, True))
    assert JobConfig.from_dict(decode(encode(config.to_dict()))) == config


@pytest.mark.parametrize(
    "bots",
    [
        [],
        [["/b", "main.py"]] * 9,
        [["relative", "main.py"]],
        [["/b", "../main.py"]],
        [["/b", "/etc/passwd"]],
        [["/b", "-c"]],
        [["/b", ""]],
        [["/b", "a\0b"]],
    ],
)
def test_a_bot_that_could_leave_its_folder_is_refused(bots: list[list[str]]) -> None:
    with pytest.raises(ValueError, match=r"series|absolute|not a file"):
        read_bots(bots)


def test_limits_are_read_by_name_and_must_be_above_zero() -> None:
    assert read_limits(None) == Limits()
    assert read_limits({"processes": 5}).processes == 5
    with pytest.raises(ValueError, match="tmp_bytes must be above zero"):
        read_limits({"tmp_bytes": 0})
    with pytest.raises(TypeError):
        read_limits({"no_such": 1})


GOOD: dict[str, object] = {
    "ids": [65600] * 6,
    "environment": ["HOME", "PATH"],
    "root": ["bin", "bot", "dev", "lib", "run", "tmp", "usr"],
    "devices": ["null", "shm", "zero"],
    "has_socket": True,
    "families": [1],
    "calls": {"ptrace": "ENOSYS", "mount": "not tried"},
    "other_abi": 31,
    "seccomp": 2,
    "no_new_privileges": 1,
    "bounding_set": [],
    "writes": {"/": "EROFS", "/tmp": "done"},
    "sizes": {"/tmp": Limits().tmp_bytes, "/dev/shm": Limits().shm_bytes},
    "descriptors": [0, 1, 2],
    "lock": "EACCES",
    "limits": {"NPROC": 64, "NOFILE": 64, "FSIZE": Limits().file_bytes, "CORE": 1},
    "python": "/root/clone/.venv-bot/bin/python",
}


def test_a_seat_that_is_as_it_should_be_has_no_failure() -> None:
    assert {finding.state for finding in judge(GOOD, Limits(), Level.FULL)} == {"ok"}


@pytest.mark.parametrize(
    ("name", "wrong", "finding"),
    [
        ("ids", [0] * 6, "a user of its own"),
        ("ids", [65600, 65600, 65601], "a user of its own"),
        ("environment", ["AWS_SECRET"], "empty environment"),
        ("root", ["proc", "usr"], "nothing to read"),
        ("root", ["home", "usr"], "nothing to read"),
        ("devices", ["null", "kvm"], "nothing to read"),
        ("has_socket", False, "no network"),
        ("families", [1, 40], "no network"),
        ("calls", {"ptrace": "EPERM"}, "dangerous calls"),
        ("calls", {"bpf": "done"}, "dangerous calls"),
        ("seccomp", 0, "system calls"),
        ("other_abi", 0, "other ABIs"),
        ("bounding_set", [21], "capabilities"),
        ("writes", {"/usr": "done", "/tmp": "done"}, "read-only"),
        ("sizes", {"/tmp": 1, "/dev/shm": Limits().shm_bytes}, "read-only"),
        ("descriptors", [0, 1, 2, 7], "descriptors"),
        ("lock", "done", "file locks"),
        ("limits", {"NPROC": 10**6}, "rlimits"),
    ],
)
def test_whatever_is_wrong_fails_under_its_own_name(name: str, wrong: object, finding: str) -> None:
    findings = judge({**GOOD, name: wrong}, Limits(), Level.FULL)
    assert [found.name for found in findings if found.state == "fail"] == [finding]


def test_practice_asks_for_no_user_of_its_own() -> None:
    findings = judge({**GOOD, "ids": [1000, 1000]}, Limits(), Level.PRACTICE)
    assert {found.state for found in findings} == {"ok"}
