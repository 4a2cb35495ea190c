"""Several processes on one file, and a process that is killed in the middle."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store import Store
from tests.integration.played import begun, records, save_all, tournament

ROOT = Path(__file__).parents[2]
DEALS = 15

SAVE_ALL = f"""
import sys
from arena.store import Store
from tests.integration.played import records, tournament
with Store.open(sys.argv[1]) as store:
    for record in records(tournament(deals={DEALS})):
        print(int(store.save(record)), flush=True)
"""

BEGIN = f"""
import sys
from arena.store import Store
from tests.integration.played import begun, tournament
with Store.open(sys.argv[1], create=True) as store:
    begun(store, tournament(deals={DEALS}))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


def started(script: str, path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def is_whole(path: Path) -> bool:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        connection.close()


def test_two_processes_that_make_the_same_database_both_succeed(path: Path) -> None:
    both = [started(BEGIN, path) for _ in range(2)]
    assert [process.communicate(timeout=60) and process.returncode for process in both] == [0, 0]
    with Store.open(path) as store:
        assert len(store.match_ids("spring")) == DEALS * 6
        assert len(store.tournaments()) == 1


def test_two_processes_that_save_the_same_results_lose_and_double_none(path: Path) -> None:
    with Store.open(path, create=True) as store:
        begun(store, tournament(deals=DEALS))
    both = [started(SAVE_ALL, path) for _ in range(2)]
    outputs = [process.communicate(timeout=60)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    written = [sum(map(int, output)) for output in outputs]
    assert sum(written) == DEALS * 6
    assert [len(output) for output in outputs] == [DEALS * 6] * 2
    with Store.open(path) as store:
        assert store.pending("spring") == {} and store.alarms() == ()


@pytest.mark.parametrize("printed", [1, 20])
def test_a_killed_process_leaves_whole_results_and_the_rest_to_do(
    path: Path, tmp_path: Path, printed: int
) -> None:
    wanted = tournament(deals=DEALS)
    with Store.open(path, create=True) as store:
        begun(store, wanted)
    process = started(SAVE_ALL, path)
    assert process.stdout is not None
    for _ in range(printed):
        process.stdout.readline()
    process.kill()
    process.wait(timeout=10)
    process.stdout.close()
    assert is_whole(path)
    with Store.open(path) as store:
        done = len(store.results("spring"))
        assert printed <= done == DEALS * 6 - len(store.pending("spring"))
        head = save_all(store, wanted)
    with Store.open(tmp_path / "other.db", create=True) as other:
        begun(other, wanted)
        assert save_all(other, wanted) == head


def test_readers_go_on_while_another_process_writes(path: Path) -> None:
    wanted = tournament(deals=DEALS)
    with Store.open(path, create=True) as store:
        begun(store, wanted)
        process = started(SAVE_ALL, path)
        seen = 0
        while process.poll() is None:
            now = len(store.results("spring"))
            assert now >= seen
            seen = now
        process.communicate(timeout=10)
        assert len(store.results("spring")) == len(list(records(wanted)))


CLAIM = """
import sys, time
from arena.store import Store
with Store.open(sys.argv[1]) as store, store.claim("spring"):
    print("claimed", flush=True)
    time.sleep(60)
"""


def test_only_one_process_plays_a_tournament_until_it_is_gone(path: Path) -> None:
    with Store.open(path, create=True) as store:
        begun(store)
        process = started(CLAIM, path)
        assert process.stdout is not None
        process.stdout.readline()
        refused = pytest.raises(StoreError, match="is being played by another process")
        with refused, store.claim("spring"):
            raise AssertionError
        with store.claim("autumn"):
            pass
        process.kill()
        process.wait(timeout=10)
        process.stdout.close()
        with store.claim("spring"):
            pass
    assert [file.name for file in path.parent.iterdir()] == ["arena.db"]
