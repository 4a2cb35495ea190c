"""Databases that cannot be used: one line that names the way out, and nothing half-written."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store import Store, engine, is_open_to_others
from tests.integration.played import begun, planned, record, tournament

NOBODY = 65534


def refused(where: str | Path, *, create: bool = True) -> str:
    with pytest.raises(StoreError, match=r"^[^\n]+$") as error, Store.open(where, create=create):
        pass
    return str(error.value)


def run_sql(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path, create=True) as store:
        begun(store)
    return path


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Without root's right to pass over permissions."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_a_missing_file_is_not_made_by_a_command_that_only_reads(path: Path) -> None:
    assert f"no database at {path} yet; `arena run` makes one" in refused(path, create=False)
    assert not path.exists()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path / "none" / "arena.db")
    assert f"the folder {tmp_path / 'none'} does not exist; make it" in said
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    assert "is a folder" in refused(tmp_path)


@pytest.mark.parametrize("where", ["postgresql://localhost/arena", "", ":memory:", "sqlite:///"])
def test_what_is_no_sqlite_file_is_refused(where: str) -> None:
    assert "give a path" in refused(where)


def test_a_text_file_is_not_touched(path: Path) -> None:
    path.write_text("dear diary, " * 100)
    assert "is not a database of the arena; give another --db" in refused(path)
    assert path.read_text() == "dear diary, " * 100


def test_another_programs_database_is_not_touched(path: Path) -> None:
    run_sql(path, "CREATE TABLE bookmark (url TEXT);")
    before = path.read_bytes()
    assert "is a database of another program" in refused(path)
    assert path.read_bytes() == before


def test_a_database_with_alembic_of_another_program_is_not_touched(path: Path) -> None:
    run_sql(path, "CREATE TABLE alembic_version (version_num TEXT);")
    assert "is a database of another program" in refused(path)


def test_a_newer_releases_database_is_not_touched(filled: Path) -> None:
    run_sql(filled, "UPDATE alembic_version SET version_num = '9999';")
    before = filled.read_bytes()
    for create in (True, False):
        assert "newer release of the arena; upgrade domino-arena" in refused(filled, create=create)
    assert filled.read_bytes() == before


def test_an_empty_file_is_filled_only_by_a_command_that_writes(path: Path) -> None:
    path.touch()
    assert "no database at" in refused(path, create=False)
    assert path.stat().st_size == 0
    with Store.open(path, create=True) as store:
        assert store.tournaments() == ()


def test_a_damaged_database_says_so(filled: Path) -> None:
    data = bytearray(filled.read_bytes())
    for place in range(4096, len(data), 64):
        data[place] ^= 0xFF
    filled.write_bytes(bytes(data))
    assert "is damaged" in refused(filled)


def test_a_locked_database_says_so(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    other = sqlite3.connect(filled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(filled) as store:
        assert store.find("spring") is not None, "reading goes on"
        with pytest.raises(StoreError, match="is locked by another program; stop it, or wait"):
            store.save(record(tournament(), planned(tournament())[0]))
    other.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_its_owner_may_read_a_new_database_and_the_files_beside_it(
    path: Path, umask: int
) -> None:
    """It holds the seeds of deals to come, and every bot's code."""
    before = os.umask(umask)
    try:
        with Store.open(path, create=True) as store:
            begun(store)
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("arena.db", "arena.db-wal", "arena.db-shm"), 0o600)
    assert not is_open_to_others(path)


def test_a_link_to_nowhere_becomes_a_database_for_its_owner_only(path: Path) -> None:
    path.symlink_to(path.parent / "elsewhere.db")
    with Store.open(path, create=True) as store:
        begun(store)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.is_symlink()


def test_a_database_that_others_may_read_is_known_as_such(filled: Path) -> None:
    for mode, is_open in ((0o640, True), (0o604, True), (0o600, False), (0o622, False)):
        filled.chmod(mode)
        assert is_open_to_others(filled) is is_open


def test_a_database_that_cannot_be_made_is_not_taken_away_from_who_made_it(path: Path) -> None:
    script = "; ".join(
        (
            "import resource, sys",
            f"resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, {resource.RLIM_INFINITY}))",
            "from arena.store import Store",
            "Store.open(sys.argv[1], create=True)",
        )
    )
    with Store.open(path, create=True) as store:
        subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, check=False)
        begun(store)
    with Store.open(path) as store:
        assert store.find("spring") is not None


def test_a_new_file_that_is_locked_is_left_to_its_owner(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "is locked" in refused(path)
    other.close()
    assert path.exists()


def test_a_full_disk_says_so_and_leaves_whole_transactions(filled: Path) -> None:
    wanted = tournament("autumn", deals=10)
    with Store.open(filled) as store:
        begun(store, wanted)
        with store._writer.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 3}")
        saved = 0
        with pytest.raises(StoreError, match="the disk is full; make room and run the same"):
            for match in planned(wanted):
                saved += store.save(record(wanted, match))
        assert 0 < saved < 60
    with Store.open(filled) as store:
        assert len(store.results("autumn")) == saved
        assert store.save(record(wanted, planned(wanted)[saved]))


def test_a_disk_that_fails_while_a_database_is_made_leaves_no_file(path: Path) -> None:
    script = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, {resource.RLIM_INFINITY}))\n"
        "from arena.store import Store\n"
        "from arena.errors import StoreError\n"
        "try:\n"
        "    Store.open(sys.argv[1], create=True)\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert "cannot be read or written: the disk reports an error" in done.stdout
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named_and_stays_empty(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with as_ordinary_user():
        assert f"{open_folder} cannot be written (Perm" in refused(open_folder / "arena.db")
    assert list(open_folder.iterdir()) == []


def test_a_file_that_cannot_be_read_is_named(open_folder: Path) -> None:
    path = open_folder / "arena.db"
    path.write_bytes(b"SQLite format 3\0" * 10)
    path.chmod(0o000)
    with as_ordinary_user():
        assert "cannot be read: Permission denied" in refused(path)


def test_a_file_that_cannot_be_written_can_be_read_but_not_saved_to(open_folder: Path) -> None:
    path = open_folder / "arena.db"
    with Store.open(path, create=True) as store:
        begun(store)
    path.chmod(0o444)
    open_folder.chmod(0o777)
    wanted = tournament()
    with (
        as_ordinary_user(),
        Store.open(path) as store,
        pytest.raises(StoreError, match="cannot be written; mend its permissions"),
    ):
        store.save(record(wanted, planned(wanted)[0]))
