"""Several processes on one file, and a process that is killed in the middle."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store import Store, claimed
from tests.integration.played import begun, records, save_all, tournament

ROOT = Path(__file__).parents[2]
DEALS = 15

SAVE_ALL = f"""
import sys
from arena.store import Store, claimed
from tests.integration.played import records, tournament
with Store.open(sys.argv[1]) as store:
    for record in records(tournament(deals={DEALS})):
        print(int(store.save(record)), flush=True)
"""

BEGIN = f"""
import sys
from arena.store import Store, claimed
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


def test_a_failing_maker_does_not_take_the_file_from_another(path: Path) -> None:
    """All find nothing there, or what another is making: who fails leaves that alone."""
    failing = BEGIN.replace(
        "import sys\n",
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, {resource.RLIM_INFINITY}))\n",
    )
    for _ in range(3):
        bad = [started(failing, path) for _ in range(2)]
        good = started(BEGIN, path)
        for process in (good, *bad):
            process.communicate(timeout=60)
        assert good.returncode == 0
        with Store.open(path) as store:
            assert len(store.match_ids("spring")) == DEALS * 6
        assert [file.name for file in path.parent.iterdir()] == ["arena.db"]
        path.unlink()


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
        link = path.with_name("link.db")
        link.symlink_to(path)
        with Store.open(link) as same, refused, same.claim("spring"):
            raise AssertionError
        link.unlink()
        with store.claim("autumn"):
            pass
        process.kill()
        process.wait(timeout=10)
        process.stdout.close()
        with store.claim("spring"):
            pass
    assert [file.name for file in path.parent.iterdir()] == ["arena.db"]


def test_a_claim_needs_no_database_yet_and_leaves_nothing(path: Path) -> None:
    with claimed(path, "spring"), claimed(path, "autumn"):
        for name in ("spring", "autumn"):
            with pytest.raises(StoreError, match="is being played"), claimed(path, name):
                raise AssertionError
        modes = {file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        assert modes == {0o600}, "who cannot read the database cannot lock it up"
    assert list(path.parent.iterdir()) == []


def test_what_keeps_a_claim_from_being_made_is_not_called_another_process(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"cannot be written \(No such file") as error,
        claimed(tmp_path / "none" / "arena.db", "spring"),
    ):
        raise AssertionError
    assert "played" not in str(error.value)
    name = next_claim_file(tmp_path / "arena.db")
    name.symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(StoreError, match="cannot be written"),
        claimed(tmp_path / "arena.db", "spring"),
    ):
        raise AssertionError
    assert not (tmp_path / "elsewhere").exists()


def next_claim_file(path: Path) -> Path:
    with claimed(path, "spring"):
        (file,) = path.parent.iterdir()
    return file


def test_a_claim_changes_hands_without_ever_being_held_twice(path: Path) -> None:
    script = """
import sys, time
from pathlib import Path
from arena.errors import StoreError
from arena.store import claimed
path = Path(sys.argv[1])
for _ in range(60):
    try:
        with claimed(path, "spring"):
            mark = path.with_name("held")
            mark.touch(exist_ok=False)
            time.sleep(0.002)
            mark.unlink()
    except StoreError:
        time.sleep(0.001)
"""
    several = [started(script, path) for _ in range(4)]
    assert [process.communicate(timeout=60) and process.returncode for process in several] == [
        0
    ] * 4
    assert list(path.parent.iterdir()) == []
