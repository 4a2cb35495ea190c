"""Databases of earlier releases: upgraded to this one, without drift and without loss.

``tests/golden/databases`` holds one database a release, as SQL text. To add this release's:
``python -m tests.integration.test_store_releases VERSION``.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

import arena.store
from arena.core.standings import standings
from arena.store import Store
from arena.store.rows import Row
from arena.store.schema import APPLICATION_ID, HEAD, REVISIONS
from tests.integration.played import begun, save_all

DATABASES = Path(__file__).parents[1] / "golden" / "databases"
RELEASES = sorted(DATABASES.glob("*.sql"))
MIGRATIONS = Path(arena.store.__file__).parent / "migrations"


def drift(path: Path) -> list[object]:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, Row.metadata)
    engine.dispose()
    return list(found)


def test_a_new_database_has_exactly_the_tables_of_the_rows(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db", create=True).close()
    assert drift(tmp_path / "new.db") == []


def test_the_list_of_revisions_is_the_chain_of_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    chain = [one.revision for one in script.walk_revisions()]
    assert tuple(reversed(chain)) == REVISIONS
    assert script.get_current_head() == HEAD


def test_there_is_a_database_of_a_release() -> None:
    assert RELEASES


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_a_released_database_is_upgraded_without_drift_or_loss(
    release: Path, tmp_path: Path
) -> None:
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.executescript(release.read_text())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.close()
    with Store.open(path) as store:
        stored = store.tournament("spring")
        assert stored.is_finished
        board = standings(stored.tournament, store.results("spring"))
        assert (board.planned, board.counted) == (12, 12)
        assert store.chain_head("spring") == stored.chain_head
        assert {store.match(match_id).level for match_id in store.match_ids("spring")} == {"full"}
        assert store.bundle(stored.tournament.bots[0].digest) == b"zip of ada"
    assert drift(path) == []


def write_release(release: str) -> Path:
    """Write a database as this release makes it."""
    target = DATABASES / f"{release}.sql"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arena.db"
        with Store.open(path, create=True) as store:
            save_all(store, begun(store))
        connection = sqlite3.connect(path)
        target.write_text("\n".join(connection.iterdump()) + "\n")
        connection.close()
    return target


if __name__ == "__main__":
    print(write_release(sys.argv[1]))
