"""Engines on one SQLite file: how connections are set up and how their errors are told.

There is one writer. Its transactions begin with BEGIN IMMEDIATE, so that a transaction that reads
first and writes later waits at its start instead of failing in its middle. Readers have an engine
of their own and, thanks to the write-ahead log, never wait for the writer.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from arena.errors import StoreError

BUSY_TIMEOUT_MS = 10_000

_ADVICE = {
    sqlite3.SQLITE_BUSY: "is locked by another program; stop it, or wait and try again",
    sqlite3.SQLITE_LOCKED: "is locked by another program; stop it, or wait and try again",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; make room and run the same command again",
    sqlite3.SQLITE_READONLY: "cannot be written; mend its permissions, or give another --db",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; mend its permissions, or give another --db",
    sqlite3.SQLITE_PERM: "cannot be opened; mend its permissions, or give another --db",
    sqlite3.SQLITE_NOTADB: "is not a database of the arena; give another --db",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore a copy, or give another --db",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error",
}


def writer_engine(path: Path) -> Engine:
    """An engine whose transactions hold the write lock from their start."""
    return _engine(path, "BEGIN IMMEDIATE", _set_up_writer)


def reader_engine(path: Path) -> Engine:
    """An engine that can only read."""
    return _engine(path, "BEGIN", _set_up_reader)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the database's errors into a StoreError of one line that names the way out."""
    try:
        yield
    except DBAPIError as error:
        code = getattr(error.orig, "sqlite_errorcode", None)
        advice = _ADVICE.get(code & 0xFF) if isinstance(code, int) else None
        text = str(error.orig).splitlines()[0] if advice is None else ""
        raise StoreError(f"{path} {advice or f'cannot be used: {text}'}") from error
    except SQLAlchemyError as error:
        text = str(error).splitlines()[0]
        raise StoreError(f"{path} cannot be used: {text}") from error


def _engine(path: Path, begin: str, set_up: Any) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=1,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself: "begin" does
        set_up(connection)

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _set_up_writer(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    _use_write_ahead_log(connection)


def _set_up_reader(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL, once in the life of a file. The switch does not heed the busy timeout."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > give_up:
                raise
            time.sleep(0.05)
