"""Level practice and no sandbox at all: what an ordinary user has, and what the own bots get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.sandbox.base import Level, Limits
from tests.integration.sandbox_kit import (
    PATIENCE_S,
    as_an_ordinary_user,
    eventually,
    is_alive,
    read_line,
    seats,
)
from tests.support import need

DAEMON = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            print(os.getpid(), flush=True)
            time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""


@pytest.mark.sandbox
def test_practice_has_the_view_and_the_filter_but_counts_nothing(tmp_path: Path) -> None:
    need(Level.PRACTICE)
    code = """
        import os, socket
        try:
            socket.socket(socket.AF_INET)
        except OSError as error:
            print(error.errno, sorted(os.listdir('/')), sorted(os.environ))
        raise SystemExit(3)
    """
    with seats(tmp_path, code, level=Level.PRACTICE) as ground:
        seat = ground.start()
        assert not seat.can_freeze
        assert seat.cpu_s() is None
        seat.freeze()
        seat.thaw()
        words = read_line(seat)
        assert seat.has_ended(PATIENCE_S)
        end = ground.port.reap(0)
    assert words.startswith("97 ")
    assert "'proc'" not in words
    assert (end.exit_code, end.oom_kills, end.memory_peak_bytes) == (3, 0, None)


@pytest.mark.sandbox
def test_a_practice_seat_ends_whole(tmp_path: Path) -> None:
    need(Level.PRACTICE)
    code = """
        import os, time
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
        print('up', flush=True)
        time.sleep(60)
    """
    with seats(tmp_path, code, level=Level.PRACTICE) as ground:
        seat = ground.start()
        read_line(seat)
        seat.kill()
        assert seat.has_ended(PATIENCE_S)
        assert ground.port.reap(0).was_killed


@pytest.mark.sandbox
def test_practice_limits_processes_and_memory_of_a_process(tmp_path: Path) -> None:
    need(Level.PRACTICE)
    code = """
        import os, time
        try:
            hoard = [b'x' * 2**20 for _ in range(10**6)]
        except MemoryError:
            print('memory', end=' ')
        hoard = None
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(60)
        except OSError:
            print('processes')
    """
    limits = Limits(processes=16)
    with seats(tmp_path, code, level=Level.PRACTICE, limits=limits) as ground:
        assert ground.run().output == "memory processes\n"


@pytest.mark.sandbox
def test_an_ordinary_user_reaches_practice() -> None:
    need(Level.PRACTICE)
    tried = as_an_ordinary_user("-m", "arena.sandbox.probe_process", "quick")
    report = json.loads(tried.stdout)
    assert report["level"] == "practice", report
    assert "run the arena as root" in str(report["findings"][0])


def test_without_a_sandbox_a_seat_still_ends_whole(tmp_path: Path) -> None:
    with seats(tmp_path, DAEMON, level=Level.UNSAFE) as ground:
        daemon = int(read_line(ground.start()))
        assert is_alive(daemon)
        end = ground.port.reap(0)
        assert end.was_killed
        assert not is_alive(daemon)


def test_without_a_sandbox_a_daemon_ends_with_the_job_at_the_latest(tmp_path: Path) -> None:
    code = DAEMON.replace("os.setsid()", "os.setsid(); os.environ.clear()")
    with seats(tmp_path, code, level=Level.UNSAFE) as ground:
        daemon = int(read_line(ground.start()))
    assert eventually(lambda: not is_alive(daemon))


def test_without_a_sandbox_exit_code_and_signal_are_the_kernels(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd(), os.listdir(os.environ['HOME'])); sys.exit(139)"
    kill = "import os; os.kill(os.getpid(), 11)"
    with seats(tmp_path, code, kill, level=Level.UNSAFE) as ground:
        first, second = ground.run(0), ground.run(1)
    assert first.output == f"{tmp_path.resolve() / 'code0'} []\n"
    assert (first.exit.exit_code, first.exit.signal) == (139, None)
    assert (second.exit.exit_code, second.exit.signal) == (None, 11)
    assert first.exit.cpu_s > 0
