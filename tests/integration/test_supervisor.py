"""The supervisor: what it refuses, and that it leaves nothing whoever dies."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.sandbox.base import MIB, BotFiles, Level, Limits
from arena.sandbox.cgroup_files import find_layout
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig, encode
from tests.integration.sandbox_kit import (
    SERIES,
    eventually,
    is_alive,
    read_all,
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


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"op": "start", "series": SERIES, "seat": 7}, "no seat 7"),
        ({"op": "start", "series": SERIES, "seat": -1}, "no seat -1"),
        ({"op": "start", "series": SERIES, "seat": True}, "a seat is a number"),
        ({"op": "start", "series": SERIES, "seat": "0"}, "a seat is a number"),
        ({"op": "start", "series": "other", "seat": 0}, "not open"),
        ({"op": "start", "series": SERIES, "seat": 0}, "nothing listens"),
        ({"op": "reap", "seat": 0}, "not running"),
        ({"op": "kill", "seat": {}}, "a seat is a number"),
        ({"op": "open_series", "series": "mine", "bots": [], "limits": None}, "unknown request"),
        ({"op": "quit"}, "unknown request"),
        ({"seat": 0}, "bad request"),
    ],
)
def test_a_worker_gets_nothing_but_its_seats(
    tmp_path: Path, request_: dict[str, object], words: str
) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        with pytest.raises(SandboxError, match=words):
            ground.port._ask(request_)
        read_line(ground.start())


def test_garbage_and_gifts_from_a_worker_change_nothing(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        line = ground.port._sock
        for packet in (b"\xff\xfe", b"[]", b"[" * 50_000, b'{"op":' + b"1" * 90_000):
            line.send(packet)
            assert b"error" in line.recv(4096)
        socket.send_fds(line, [encode({"op": "kill", "seat": 0})], [0, 1, 2])
        assert line.recv(4096) == b'{"ok":null}'
        supervisor_fds = list(Path(f"/proc/{ground.handle.pid}/fd").iterdir())
        assert len(supervisor_fds) < 20
        read_line(ground.start())


def test_a_link_in_place_of_a_socket_is_refused(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        Path(ground.folders[0], "0.sock").symlink_to("/run")
        with pytest.raises(SandboxError, match="nothing listens"):
            ground.port.start(SERIES, 0)


@pytest.mark.parametrize("has_userns", [True, False])
def test_a_link_that_takes_the_place_of_a_socket_while_a_seat_starts_shows_nothing(
    tmp_path: Path, has_userns: bool
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the master seed")
    code = "import os; print(open('/run/arena.sock').read())"
    with seats(tmp_path, code, has_userns=has_userns) as ground:
        for number in range(12):
            ground.listen(0)
            path, link = ground.socket(0), ground.socket(0).with_name("link")
            link.symlink_to(secret)
            swapping = threading.Timer(0.0004 * number, os.replace, (link, path))
            swapping.start()
            try:
                seat = ground.start(0, listens=False)
            except SandboxError as error:
                swapping.join()
                path.unlink()
                assert "no socket of the worker's" in str(error)
                continue
            assert "No such device or address" in read_all(seat)
            swapping.join()
            ground.port.reap(0)


def test_a_socket_of_another_user_is_refused(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        ground.listen(0)
        os.chown(Path(ground.folders[0], "0.sock"), 65534, 65534)
        with pytest.raises(SandboxError, match="no socket of the worker's"):
            ground.port.start(SERIES, 0)


def test_a_running_seat_cannot_be_started_twice(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        ground.start()
        ground.listen(0)
        with pytest.raises(SandboxError, match="reap it first"):
            ground.port.start(SERIES, 0)


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (BotFiles("/nowhere/at/all"), "cannot show the bot folder"),
        (BotFiles("relative"), "not absolute"),
        (BotFiles("/usr", "../etc/passwd"), "not a file in the bot's folder"),
        (BotFiles("/usr", "-c"), "not a file in the bot's folder"),
        (BotFiles("/usr", "missing.py"), "has no file missing.py"),
    ],
)
def test_a_bot_that_is_not_there_is_named_and_the_next_series_opens(
    tmp_path: Path, bot: BotFiles, words: str
) -> None:
    handle = launch(JobConfig(worker=None))
    try:
        good = write_bot(tmp_path, 0, SLEEPER)
        with pytest.raises(SandboxError, match=words):
            handle.open_series("bad", [good, bot])
        assert len(handle.open_series("good", [good, good])) == 2
        with pytest.raises(SandboxError, match="open already"):
            handle.open_series("third", [good])
        assert handle.close_series() == ()
    finally:
        handle.close()


def test_a_bot_folder_closed_to_others_is_named_with_the_way_out(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, 0, SLEEPER)
    Path(bot.folder).chmod(0o700)
    handle = launch(JobConfig(worker=None))
    try:
        with pytest.raises(SandboxError, match=r"closed to other users: chmod -R go\+rX"):
            handle.open_series("closed", [bot])
    finally:
        handle.close()


def test_a_limit_that_is_none_is_refused(tmp_path: Path) -> None:
    handle = launch(JobConfig(worker=None))
    try:
        with pytest.raises(SandboxError, match="must be above zero"):
            handle.open_series(SERIES, [write_bot(tmp_path, 0, "")], Limits(processes=0))
    finally:
        handle.close()


def test_closing_a_series_says_how_each_attempt_ended_and_frees_the_users(tmp_path: Path) -> None:
    with seats(tmp_path, "raise SystemExit(4)", SLEEPER) as ground:
        ground.run(0)
        read_line(ground.start(1))
        ended = ground.handle.close_series()
        assert [(a.seat, a.attempt, a.exit.exit_code) for a in ended] == [(0, 0, 4), (1, 0, None)]
        assert ended[1].exit.was_killed
        assert not any(is_alive(pid) for pid in ground.pids)


def test_two_supervisors_never_share_a_user(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with seats(tmp_path / "a", *[SLEEPER] * 4) as one, seats(tmp_path / "b", *[SLEEPER] * 4) as two:
        users = []
        for ground in (one, two):
            for number in range(4):
                seat = ground.start(number)
                read_line(seat)
                users.append(max(users_of(seat.pid)))
    assert len(set(users)) == 8


def test_the_worker_has_a_user_of_its_own_and_no_rights(tmp_path: Path) -> None:
    handle = launch(JobConfig())
    try:
        pid = handle.worker_pid or 0
        # The launcher becomes sh, then setpriv, then the worker.
        assert eventually(lambda: "python" in Path(f"/proc/{pid}/exe").readlink().name)
        status = Path(f"/proc/{pid}/status").read_text()
        folder = Path(handle.open_series(SERIES, [write_bot(tmp_path, 0, SLEEPER)])[0])
        (user,) = users_of(pid)
        assert f"Gid:\t{user}\t{user}\t{user}\t{user}\n" in status
        assert "Groups:\t \n" in status
        assert "NoNewPrivs:\t1\n" in status
        assert Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
        assert "CapEff:\t0000000000000000\n" in status
        seen = folder.stat()
        assert (seen.st_uid, seen.st_mode & 0o777) == (user, 0o710)
        assert seen.st_gid not in (0, user)
        assert os.getsid(pid) != os.getsid(0)
    finally:
        handle.close()
    assert not is_alive(pid)


def test_a_worker_cannot_use_up_the_host(tmp_path: Path) -> None:
    handle = launch(JobConfig())
    try:
        job = Path(handle.folder).name
        # The launcher enters first, then becomes the worker.
        assert eventually(lambda: str(handle.worker_pid) in limits_of(job, "worker")["entries"])
        limits = limits_of(job, "worker")
        assert (int(limits["memory"]), int(limits["processes"])) == (1024 * MIB, 128)
    finally:
        handle.close()


def limits_of(job: str, group: str) -> dict[str, str]:
    layout, found = find_layout(), {}
    files = {"memory": ("memory.limit_in_bytes", "memory.max"), "pids": ("pids.max", "pids.max")}
    for controller, names in files.items():
        generation, mount = layout.home(controller) or (1, Path())
        folder = mount / "domino-arena" / job / group
        found[controller] = (folder / names[generation - 1]).read_text()
        found["entries"] = (folder / "cgroup.procs").read_text()
    return {**found, "processes": found["pids"]}


MAIN = """
import sys, time
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.integration.sandbox_kit import seats, read_line
with seats(Path({folder!r}), *[{code!r}] * 2) as ground:
    pids = [ground.start(number).pid for number in (0, 1)]
    print(ground.job, ground.handle.pid, *pids, flush=True)
    time.sleep(60)
"""


def test_nothing_is_left_when_main_is_killed(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    code = MAIN.format(root=root, folder=str(tmp_path), code=SLEEPER)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as main:
        assert main.stdout is not None
        job, *words = main.stdout.readline().decode().split()
        pids = list(map(int, words))
        assert all(map(is_alive, pids))
        main.kill()
        main.wait()
    assert eventually(lambda: not any(map(is_alive, pids)))
    assert eventually(lambda: not traces(job)), traces(job)


def test_seats_die_with_a_killed_supervisor_and_the_next_one_sweeps(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER, SLEEPER, leaves_traces=True) as ground:
        for number in (0, 1):
            read_line(ground.start(number))
        os.kill(ground.handle.pid, signal.SIGKILL)
        assert eventually(lambda: not any(map(is_alive, ground.pids)))
        with pytest.raises(SandboxError, match="has ended"):
            ground.handle.close_series()
    launch(JobConfig(worker=None)).close()
    assert eventually(lambda: not traces(ground.job)), "or another program's has begun to"


def test_the_sweep_kills_what_a_dead_supervisor_could_not(tmp_path: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as stray:
        try:
            with seats(tmp_path, SLEEPER, leaves_traces=True) as ground:
                ground.start()
                for mount in find_layout().mounts():
                    group = mount / "domino-arena" / ground.job / "s0-0"
                    (group / "cgroup.procs").write_text(str(stray.pid))
                os.kill(ground.handle.pid, signal.SIGKILL)
            # Any supervisor's start sweeps; another program may have started one by now.
            launch(JobConfig(worker=None)).close()
            assert stray.wait(5) == -signal.SIGKILL
        finally:
            stray.kill()


def test_the_seats_of_a_dead_worker_are_ended(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        read_line(ground.start())
        ground.port._sock.close()
        assert eventually(lambda: not any(map(is_alive, ground.pids)))
        ended = ground.handle.close_series()
        assert ended[0].exit.was_killed


def test_a_dead_worker_shows_at_the_end_of_its_stream(tmp_path: Path) -> None:
    handle = launch(JobConfig())
    try:
        os.kill(handle.worker_pid or 0, signal.SIGKILL)
        handle.worker.settimeout(5)
        assert handle.worker.recv(1) == b""
    finally:
        handle.close()


def test_what_a_worker_prints_is_kept_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    # A module that prints a poem and leaves plays the part of the worker.
    handle = launch(JobConfig(worker="this"))
    try:
        assert eventually(lambda: "idea.\nNamespaces" in handle.last_words()), handle.last_words()
    finally:
        handle.close()
    lines = [record.getMessage() for record in caplog.records if record.name == "arena.worker"]
    assert "Beautiful is better than ugly." in lines
    assert handle.last_words().count("\n") > 15, "and can be read after the end"


def test_neither_supervisor_nor_worker_holds_the_terminal() -> None:
    main_there, main_here = pty.openpty()
    code = TERMINAL.format(root=str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=main_here,
        stderr=main_here,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    os.close(main_here)
    os.close(main_there)
    assert done.returncode == 0
    held = json.loads(done.stdout)
    assert held.pop("main") != [], "the test itself has one"
    assert held == {"supervisor": [], "worker": []}


TERMINAL = """
import sys
sys.path.append({root!r})
import json, os
from pathlib import Path
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig
from tests.integration.sandbox_kit import eventually
handle = launch(JobConfig())
def terminals(pid):
    files = [os.path.realpath(path) for path in Path(f"/proc/{{pid}}/fd").iterdir()]
    return [name for name in files if "/dev/pts" in name or "tty" in name]
pids = dict(main=os.getpid(), supervisor=handle.pid, worker=handle.worker_pid)
eventually(lambda: b"executors.worker" in Path(f"/proc/{{pids['worker']}}/cmdline").read_bytes())
print(json.dumps({{who: terminals(pid) for who, pid in pids.items()}}))
handle.close()
"""


def test_a_worker_that_reads_no_answers_cannot_hold_the_supervisor(tmp_path: Path) -> None:
    with seats(tmp_path, SLEEPER) as ground:
        line = ground.port._sock
        line.setblocking(False)
        deadline = time.monotonic() + 10
        try:
            while time.monotonic() < deadline:
                line.send(b"{}")
        except BlockingIOError:
            time.sleep(0.2)
        except OSError:
            pass
        assert ground.handle.close_series() == ()


def test_what_is_not_to_be_had_is_said_before_anything_starts() -> None:
    with pytest.raises(SandboxError, match="plain gives unsafe"):
        launch(JobConfig(level=Level.UNSAFE, worker=None))
    with pytest.raises(SandboxError, match="make runtime"):
        launch(JobConfig(runtime="/nowhere", worker=None))
    with pytest.raises(SandboxError, match="no backend 'docker' at level full"):
        launch(JobConfig(backend="docker", worker=None))


@pytest.mark.sandbox
def test_a_job_keeps_to_the_core_that_it_was_given() -> None:
    core = max(os.sched_getaffinity(0))
    handle = launch(JobConfig(level=Level.UNSAFE, backend="plain", core=core))
    try:
        assert handle.worker_pid is not None
        assert os.sched_getaffinity(handle.pid) == {core}
        assert os.sched_getaffinity(handle.worker_pid) == {core}
    finally:
        handle.close()
