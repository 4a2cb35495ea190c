"""Each promise of level full, kept by a real seat."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from arena.sandbox.base import MIB, Level, Limits
from arena.sandbox.cgroup_files import find_layout
from arena.supervisor.client import Seat
from tests.integration.sandbox_kit import (
    PATIENCE_S,
    eventually,
    is_alive,
    read_all,
    read_line,
    seats,
    users_of,
)
from tests.support import need

pytestmark = pytest.mark.sandbox


@pytest.fixture(autouse=True)
def full() -> None:
    need(Level.FULL)


def test_an_exit_code_is_reported(tmp_path: Path) -> None:
    with seats(tmp_path, "print('bye'); raise SystemExit(3)") as ground:
        ran = ground.run()
    assert ran.output == "bye\n"
    assert (ran.exit.exit_code, ran.exit.signal, ran.exit.was_killed) == (3, None, False)
    assert not ran.exit.is_arena_fault
    assert 0 < ran.exit.cpu_s < PATIENCE_S
    assert 0 < (ran.exit.memory_peak_bytes or 0) < Limits().memory_bytes


def test_a_signal_is_reported(tmp_path: Path) -> None:
    with seats(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)") as ground:
        end = ground.run().exit
    assert (end.exit_code, end.signal, end.was_killed) == (None, 11, False)


def test_a_memory_hog_is_killed_and_counted(tmp_path: Path) -> None:
    code = "hoard = [b'x' * 2**20 for _ in range(500)]; print('took it all')"
    with seats(tmp_path, code, limits=Limits(memory_bytes=64 * MIB)) as ground:
        ran = ground.run()
    assert "took it all" not in ran.output
    assert ran.exit.oom_kills > 0
    assert (ran.exit.memory_peak_bytes or 0) <= 64 * MIB
    assert ran.exit.host_oom_kills == 0


def test_a_bot_that_dies_because_others_used_up_the_memory_is_not_out_of_it(tmp_path: Path) -> None:
    code = "hoard = [b'x' * 2**20 for _ in range(500)]; print('took it all')"
    with seats(tmp_path, code, limits=Limits(memory_bytes=1024 * MIB)) as ground:
        generation, mount = find_layout().home("memory") or (0, Path())
        name = "memory.max" if generation == 2 else "memory.limit_in_bytes"
        # The group above the seats', which stands for a host with too little memory.
        (mount / "domino-arena" / ground.job / name).write_text(str(64 * MIB))
        ran = ground.run()
    assert "took it all" not in ran.output
    assert (ran.exit.oom_kills, ran.exit.is_arena_fault) == (0, False)
    assert ran.exit.host_oom_kills > 0


def test_one_hog_among_its_children_ends_the_whole_seat(tmp_path: Path) -> None:
    code = """
        import os, time
        while True:
            if os.fork() == 0:
                hoard = [b'x' * 2**20 for _ in range(500)]
            os.wait()
    """
    with seats(tmp_path, code, limits=Limits(memory_bytes=64 * MIB)) as ground:
        seat = ground.start()
        assert seat.has_ended(PATIENCE_S), "the parent lives on"
        end = ground.port.reap(0)
    assert end.oom_kills > 0
    assert end.was_killed


def test_empty_files_without_end_count_as_memory(tmp_path: Path) -> None:
    code = """
        import os
        for number in range(10**9):
            os.mkdir(f'/tmp/{number}')
    """
    with seats(tmp_path, code, limits=Limits(memory_bytes=24 * MIB)) as ground:
        assert ground.run().exit.oom_kills > 0


def test_a_fork_bomb_is_refused_and_counted(tmp_path: Path) -> None:
    code = """
        import os, time
        count = 0
        try:
            while True:
                if os.fork() == 0:
                    os.setsid()
                    time.sleep(60)
                count += 1
        except OSError as error:
            print(count, error.errno, flush=True)
        time.sleep(60)
    """
    with seats(tmp_path, code, limits=Limits(processes=20)) as ground:
        seat = ground.start()
        count, errno = map(int, read_line(seat).split())
        end = ground.port.reap(0)
    assert count < 20
    assert errno == 11
    assert end.processes_denied > 0
    assert end.was_killed


def test_a_seat_that_used_up_its_cpu_time_is_ended(tmp_path: Path) -> None:
    with seats(tmp_path, "while True: pass", limits=Limits(cpu_s=0.3)) as ground:
        assert ground.start().has_ended(PATIENCE_S)
        end = ground.port.reap(0)
    assert end.is_over_cpu
    assert 0.3 <= end.cpu_s < 1.5


def test_a_share_of_the_cpu_is_kept(tmp_path: Path) -> None:
    code = "import os; os.fork(); os.fork(); print('x', flush=True)\nwhile True: pass"
    with seats(tmp_path, code, limits=Limits(cpu_cores=0.4)) as ground:
        seat = ground.start()
        read_line(seat)
        before, begin = seat.cpu_s() or 0.0, time.monotonic()
        time.sleep(0.5)
        used = (seat.cpu_s() or 0.0) - before
    assert used < 0.7 * (time.monotonic() - begin)


def test_disk_files_and_shared_memory_are_small_and_the_rest_is_read_only(tmp_path: Path) -> None:
    code = """
        import errno, os, shutil
        def fill(folder):
            try:
                with open(folder + '/f', 'wb') as file:
                    while True:
                        file.write(b'x' * 2**16)
            except OSError as error:
                return errno.errorcode[error.errno]
        for folder in ('/tmp', '/dev/shm', '/bot', '/', '/dev', '/run', '/usr/lib'):
            print(fill(folder), end=' ')
        os.unlink('/tmp/f')
        try:
            with open('/tmp/g', 'wb') as file:
                file.truncate(2**40)
        except OSError as error:
            print(errno.errorcode[error.errno])
    """
    limits = Limits(tmp_bytes=2 * MIB, shm_bytes=MIB)
    with seats(tmp_path, code, limits=limits) as ground:
        assert ground.run().output.split() == ["ENOSPC"] * 2 + ["EROFS"] * 5 + ["EFBIG"]


def test_nothing_runs_while_frozen_and_a_frozen_seat_can_be_killed(tmp_path: Path) -> None:
    code = "import os; os.fork() or os.setsid(); print('x', flush=True)\nwhile True: pass"
    with seats(tmp_path, code) as ground:
        seat = ground.start()
        assert seat.can_freeze
        read_line(seat)
        seat.freeze()
        assert eventually(lambda: _stands_still(seat))
        seat.thaw()
        before = seat.cpu_s() or 0.0
        assert eventually(lambda: (seat.cpu_s() or 0.0) > before + 0.02)
        seat.freeze()
        seat.kill()
        assert seat.has_ended(PATIENCE_S)
        end = ground.port.reap(0)
    assert end.signal is None
    assert end.exit_code is None


def _stands_still(seat: Seat) -> bool:
    before = seat.cpu_s()
    time.sleep(0.05)
    return bool(seat.cpu_s() == before)


def test_a_daemon_does_not_outlive_its_seat(tmp_path: Path) -> None:
    code = """
        import os, signal, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(60)
            os._exit(0)
        print('born', flush=True)
        time.sleep(0.1)
    """
    with seats(tmp_path, code) as ground:
        seat = ground.start()
        read_line(seat)
        uid = max(users_of(seat.pid))
        assert uid in _users_now()
        assert seat.has_ended(PATIENCE_S)
        ground.port.reap(0)
        assert uid not in _users_now()


def _users_now() -> set[int]:
    users: set[int] = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if is_alive(int(path.name)):
                users |= users_of(int(path.name))
        except OSError:
            continue
    return users


def test_every_seat_has_a_user_of_its_own_and_sees_only_itself(tmp_path: Path) -> None:
    listener = """
        import socket, time
        sock = socket.socket(socket.AF_UNIX)
        sock.bind('\\0meet')
        sock.listen()
        print('listening', flush=True)
        time.sleep(60)
    """
    guest = """
        import os, signal, socket
        try:
            socket.socket(socket.AF_UNIX).connect('\\0meet')
            print('met')
        except OSError as error:
            print(type(error).__name__)
        for pid in range(3, 40000):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        os.kill(1, signal.SIGSTOP)
        print('still here')
    """
    with seats(tmp_path, listener, guest) as ground:
        first = ground.start(0)
        read_line(first)
        second = ground.start(1)
        users = users_of(first.pid), users_of(second.pid)
        assert len(users[0]) == len(users[1]) == 1
        assert users[0] != users[1]
        assert second.has_ended(PATIENCE_S)
        assert read_all(second).split() == ["ConnectionRefusedError", "still", "here"]
        assert ground.port.reap(1).exit_code == 0
        assert not first.has_ended()


def test_a_token_stands_in_no_command_line_and_the_host_environment_in_no_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "yellow")
    code = "import os, time; print(dict(os.environ), flush=True); time.sleep(60)"
    with seats(tmp_path, code) as ground:
        seat = ground.start()
        environment = read_line(seat)
        assert seat.token in environment
        assert "unix:/run/arena.sock" in environment
        assert "yellow" not in environment
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                assert seat.token.encode() not in path.read_bytes()
            except OSError:
                continue
        assert seat.token.encode() not in Path(f"/proc/{seat.pid}/environ").read_bytes()


def test_every_attempt_has_a_fresh_token_and_a_fresh_home(tmp_path: Path) -> None:
    code = """
        import os
        kept = [f + '/kept' for f in ('/tmp', '/dev/shm') if os.path.exists(f + '/kept')]
        print(os.environ['DOMINOBOT_TOKEN'], kept)
        open('/tmp/kept', 'w').close()
        open('/dev/shm/kept', 'w').close()
    """
    with seats(tmp_path, code) as ground:
        first, second = ground.run().output, ground.run().output
    assert first.split()[0] != second.split()[0]
    assert first.split()[1:] == second.split()[1:] == ["[]"]


def test_a_seat_can_reach_its_own_socket_and_no_other(tmp_path: Path) -> None:
    code = """
        import os, socket
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect('/run/arena.sock')
        print(os.listdir('/run'), os.path.exists('/run/domino-arena'))
    """
    with seats(tmp_path, code) as ground:
        assert ground.run().output == "['arena.sock'] False\n"


def test_a_call_by_another_abi_ends_the_bot(tmp_path: Path) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the two other ABIs are those of x86_64")
    code = """
        import ctypes, mmap, os, sys
        print('alive', flush=True)
        if os.fork() == 0:
            ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(bytes.fromhex('b814000000cd80c3'))
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        ctypes.CFUNCTYPE(ctypes.c_int)(address)()
        print('got through')
    """
    with seats(tmp_path, code) as ground:
        ran = ground.run()
    assert ran.output == "alive\n-31\n"
    assert ran.exit.signal in (11, 31)


def test_the_limit_that_keeps_core_dumps_away_cannot_be_changed(tmp_path: Path) -> None:
    code = """
        import resource
        print(resource.getrlimit(resource.RLIMIT_CORE))
        for limit in ((0, 0), (0, 1), (1, 1)):
            try:
                resource.setrlimit(resource.RLIMIT_CORE, limit)
                print('changed')
            except OSError:
                print('refused')
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    """
    with seats(tmp_path, code) as ground:
        assert ground.run().output.split() == ["(1,", "1)", *["refused"] * 3]


def test_huge_pages_that_no_limit_counts_are_not_to_be_had(tmp_path: Path) -> None:
    code = """
        import ctypes, mmap, os
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000
        libc.mmap(None, 2**21, 3, flags, -1, 0)
        print(ctypes.get_errno())
        try:
            os.memfd_create('x', os.MFD_HUGETLB)
        except OSError as error:
            print(error.errno)
    """
    with seats(tmp_path, code) as ground:
        assert ground.run().output.split() == ["38", "38"]


def test_flushing_the_hosts_files_does_nothing(tmp_path: Path) -> None:
    code = """
        import os
        with open('/usr/bin/env', 'rb') as file:
            os.fsync(file)
        with open('/tmp/own', 'wb') as file:
            os.fsync(file)
        print('fine')
    """
    with seats(tmp_path, code) as ground:
        assert ground.run().output == "fine\n"


def test_nobody_but_root_gets_at_the_host_through_the_supervisors_mounts(tmp_path: Path) -> None:
    with seats(tmp_path, "") as ground:
        host = Path(ground.handle.folder) / "host"
        inside = ["nsenter", "-t", str(ground.handle.pid), "-m"]
        other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

        def see(*words: str) -> str:
            done = subprocess.run(
                [*inside, *words, "ls", str(host / "root")],
                capture_output=True,
                text=True,
                check=False,
                timeout=10,
            )
            return done.stdout + done.stderr

        assert "usr" in see(), "it is where the originals are"
        assert "Permission denied" in see(*other)


def test_root_reaches_full_without_user_namespaces_too(tmp_path: Path) -> None:
    code = """
        import os, signal, time
        ids = {*os.getresuid(), *os.getresgid(), *os.getgroups()}
        print(len(ids), min(ids) > 65535, oct(os.umask(0)))
        become_root = lambda: os.setresuid(0, 0, 0)
        for change in (become_root, lambda: os.setgroups([0]), lambda: os.kill(1, 9)):
            try:
                change()
                print('done')
            except OSError as error:
                print(error.errno)
        open('/tmp/own', 'w').close()
        print(os.listdir('/run'))
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
        raise SystemExit(5)
    """
    with seats(tmp_path, code, has_userns=False) as ground:
        ran = ground.run()
    lines = ran.output.splitlines()
    assert lines[0] == "1 True 0o22"
    assert lines[1:4] == ["1", "1", "1"], "each is refused"
    assert lines[4] == "['arena.sock']"
    assert ran.exit.exit_code == 5
