"""Which release wrote a database, and bringing it up to this one."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine

from arena.errors import StoreError

APPLICATION_ID = 0x646F6D69
"""Marks a SQLite file as ours, in its header ("domi")."""

REVISIONS = ("0001",)
"""All revisions there have been, oldest first; the last is what this release writes."""

HEAD = REVISIONS[-1]


def revision(connection: Connection, path: Path) -> str | None:
    """The revision of a database; None when it is empty.

    Raises:
        StoreError: another program's database, or one from a newer release.
    """
    tables = connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all()
    mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    if not tables and mark in (0, APPLICATION_ID):
        return None
    if mark != APPLICATION_ID or "alembic_version" not in tables:
        raise StoreError(f"{path} is a database of another program; give another --db")
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
    if found not in REVISIONS:
        raise StoreError(
            f"{path} was written by a newer release of the arena; upgrade domino-arena, "
            "or give another --db"
        )
    return str(found)


def upgrade(writer: Engine, path: Path) -> None:
    """Create the tables or bring them up to ``HEAD``, in one transaction.

    Raises:
        StoreError: see ``revision``.
    """
    # Tables are rebuilt when a column changes, which must not delete what refers to them; SQLite
    # heeds this only outside a transaction.
    with writer.connect() as connection:
        raw = connection.connection.cursor()
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                if revision(connection, path) != HEAD:
                    _migrate(connection)
                    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        finally:
            raw.execute("PRAGMA foreign_keys = ON")


def _migrate(connection: Connection) -> None:
    # Imported here: only a new or an old file needs it, and it costs every command 0.1 s.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
