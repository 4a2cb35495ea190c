"""What a supervisor does when the host has no room, or when something will not go."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.sandbox.base import Level
from arena.sandbox.cgroup_files import find_layout
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig
from tests.integration.sandbox_kit import (
    Ground,
    eventually,
    read_line,
    seats,
    traces,
    users_of,
    write_bot,
)
from tests.support import ROOT, need

pytestmark = pytest.mark.sandbox
SLEEPER = "import time; print('up', flush=True); time.sleep(60)"


@pytest.fixture(autouse=True)
def full() -> None:
    need(Level.FULL)


def files_of(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@contextmanager
def a_guest_in(ground: Ground, group: str) -> Iterator[None]:
    """A process that is nobody's in a group below a seat's, where one controller holds it.

    The kernel does not remove the seat's group as long as it is there.
    """
    _, mount = find_layout().home("pids") or (0, Path())
    place = mount / "domino-arena" / ground.job / group / "guest"
    place.mkdir()
    with subprocess.Popen(["/bin/sleep", "60"]) as guest:
        try:
            (place / "cgroup.procs").write_text(str(guest.pid))
            yield
        finally:
            guest.kill()
            guest.wait()
            place.rmdir()


def test_a_seat_that_will_not_go_keeps_its_user_and_can_be_ended_later(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER, SLEEPER) as ground:
        for number in (0, 1):
            read_line(ground.start(number))
        with a_guest_in(ground, "s0-0"):
            with pytest.raises(SandboxError, match="cannot be removed"):
                ground.port.reap(0)
            with pytest.raises(SandboxError, match="cannot be removed"):
                ground.handle.close_series()
            assert [Path(folder).exists() for folder in ground.folders] == [True, False]
            with pytest.raises(SandboxError, match="open already"):
                ground.handle.open_series("next", [])
        ended = ground.handle.close_series()
        assert sorted((each.seat, each.exit.was_killed) for each in ended) == [(0, True), (1, True)]
        assert not any(Path(folder).exists() for folder in ground.folders)


def test_what_a_supervisor_could_not_end_is_found_by_a_later_one(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER, leaves_traces=True) as ground:
        read_line(ground.start())
        with a_guest_in(ground, "s0-0"):
            ground.handle.close()
            assert "cannot be removed" in ground.handle.last_words()
            assert eventually(lambda: "will not end" in words_of_the_next()), "it is tried"
            assert traces(ground.job) != []
        words_of_the_next()
        assert eventually(lambda: traces(ground.job) == [])


def words_of_the_next() -> str:
    handle = launch(JobConfig(worker=None))
    handle.close()
    return handle.last_words()


def test_a_supervisor_out_of_descriptors_says_so_and_goes_on(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        read_line(ground.start())
        ground.port.reap(0)
        pid = ground.handle.pid
        used = files_of(pid)
        _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        refusals = set()
        for spare in range(16):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + spare, hard))
            try:
                ground.start()
            except SandboxError as error:
                refusals.add(str(error))
                ground.socket(0).unlink()
            else:
                resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))
                ground.port.reap(0)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))
            assert files_of(pid) == used
        # Descriptors that are moved out of the way of others are refused as invalid numbers.
        expected = ("Too many open files", "Invalid argument")
        assert refusals
        assert [words for words in refusals if not any(why in words for why in expected)] == []
        read_line(ground.start())


def test_a_series_that_cannot_be_opened_leaves_nothing(tmp_path: Path) -> None:
    handle = launch(JobConfig(worker=None))
    try:
        used = files_of(handle.pid)
        _, hard = resource.prlimit(handle.pid, resource.RLIMIT_NOFILE)
        bots = [write_bot(tmp_path, number, SLEEPER) for number in range(2)]
        before = sorted(os.listdir(handle.folder))  # noqa: PTH208
        for spare in range(3):
            resource.prlimit(handle.pid, resource.RLIMIT_NOFILE, (used + spare, hard))
            try:
                handle.open_series("s", bots)
            except SandboxError as error:
                assert "Too many open files" in str(error)
            else:
                handle.close_series()
            resource.prlimit(handle.pid, resource.RLIMIT_NOFILE, (hard, hard))
            handle.close_series()
            assert sorted(os.listdir(handle.folder)) == before  # noqa: PTH208
        assert len(handle.open_series("s", bots)) == 2
    finally:
        handle.close()


NO_ROOM = """
import json, sys
sys.path.append({root!r})
from pathlib import Path
from arena.errors import SandboxError
from arena.sandbox import libc
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig
libc.unshare(libc.CLONE_NEWNS)
libc.mount("", "/", "", libc.MS_REC | libc.MS_PRIVATE)
said = []
for inodes in range(1, 12):
    libc.mount("none", "/run", "tmpfs", 0, f"mode=0755,nr_inodes={{inodes}}")
    try:
        launch(JobConfig(worker=None)).close()
        said.append("")
    except SandboxError as error:
        said.append(str(error))
    left = [path.name for path in Path("/run").glob("domino-arena/*")]
    assert not left, left
    libc.umount("/run")
print(json.dumps(said))
"""


def test_a_host_without_room_is_said_wherever_it_shows() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_ROOM.format(root=str(ROOT))],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    refused = [words for words in said if words]
    assert 3 < len(refused) < len(said), said
    assert [words for words in refused if "No space left" not in words] == []


def test_one_seat_whose_folder_will_not_go_does_not_keep_the_others(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER, SLEEPER) as ground:
        seat = ground.start(1)
        read_line(seat)
        user = max(users_of(seat.pid))
        mount = ["nsenter", "-t", str(ground.handle.pid), "-m"]
        subprocess.run(
            [*mount, "mount", "-t", "tmpfs", "none", ground.folders[0]], check=True, timeout=10
        )
        with pytest.raises(SandboxError, match="something is mounted"):
            ground.handle.close_series()
        assert not Path(ground.folders[1]).exists()
        assert user not in {uid for pid in ground.pids for uid in _users(pid)}
        subprocess.run([*mount, "umount", ground.folders[0]], check=True, timeout=10)
        assert len(ground.handle.close_series()) == 1


def _users(pid: int) -> set[int]:
    try:
        return users_of(pid)
    except OSError:
        return set()


FEW_FILES = """
import json, sys
sys.path.append({root!r})
from pathlib import Path
from arena.errors import SandboxError
from tests.integration.sandbox_kit import eventually, seats
code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
try:
    with seats(Path({folder!r}), code, code) as ground:
        output = ground.run().output
    print(json.dumps([output, ground.handle.last_words()]))
except SandboxError as error:
    print(json.dumps([str(error), ""]))
"""


def with_files(count: int, *words: str) -> str:
    """What this Python prints with so many open files at most."""
    limited = ["prlimit", f"--nofile={count}:{count}", sys.executable, *words]
    return subprocess.run(limited, capture_output=True, text=True, check=True, timeout=100).stdout


@pytest.mark.parametrize(
    ("hard", "said", "noted"),
    [
        (9000, "(64, 64)\n", ""),
        (4096, "(28, 28)\n", "may open 28 files, not 64"),
        (1024, "the hard limit of 1024 open files leaves 4 to each process of 2 bots", ""),
    ],
)
def test_seats_cannot_use_up_the_descriptors_of_their_worker(
    tmp_path: Path, hard: int, said: str, noted: str
) -> None:
    code = FEW_FILES.format(root=str(ROOT), folder=str(tmp_path))
    output, words = json.loads(with_files(hard, "-c", code))
    assert output.startswith(said)
    assert noted in words
    assert bool(noted) == bool(words)


def test_a_host_with_too_few_descriptors_is_not_full_before_anything_is_played() -> None:
    code = "from arena.sandbox.probe import examine; print(examine(is_complete=False).why_not())"
    assert "open files: the hard limit of 2048 open files leaves 6" in with_files(2048, "-c", code)


@pytest.mark.parametrize(
    ("hard", "state", "level"),
    [(17_000, "ok", "full"), (8192, "warn", "full"), (2048, "fail", "practice")],
)
def test_doctor_says_what_few_descriptors_mean(hard: int, state: str, level: str) -> None:
    report = json.loads(with_files(hard, "-m", "arena", "doctor", "--json"))
    (found,) = [each for each in report["findings"] if each["name"] == "open files"]
    assert (found["state"], report["level"]) == (state, level)
    assert ("ulimit -Hn 16896" in found["mend"]) == (state != "ok")
