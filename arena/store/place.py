"""Where a database is, and whether it is one of ours: looked at before anything is opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from arena.errors import StoreError

_MAGIC = b"SQLite format 3\0"
_URL = "sqlite:///"


def database_path(where: str | Path) -> Path:
    """The file behind a path or a ``sqlite:///`` URL.

    Raises:
        StoreError: any other URL, or nothing at all.
    """
    text = str(where)
    if text.startswith(_URL):
        text = text.removeprefix(_URL)
    elif "://" in text:
        raise StoreError(f"{text}: only SQLite files can be opened; give a path or {_URL}PATH")
    if not text or text == ":memory:":
        raise StoreError("the database needs a file; give a path with --db")
    return Path(text)


def check_place(path: Path, *, create: bool) -> bool:
    """Whether there is something at ``path`` to open; False when it is to be created.

    Raises:
        StoreError: a missing folder, a folder where a file should be, a file that is no SQLite
            database, or nothing there and nothing to be created.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder; give the path of a database file with --db")
        if path.exists() and path.stat().st_size > 0:
            _check_magic(path)
            return True
        if not path.parent.is_dir():
            raise StoreError(
                f"{path}: the folder {path.parent} does not exist; make it, or give another --db"
            )
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    if not create:
        raise StoreError(
            f"there is no database at {path} yet; `arena run` makes one, or give another --db"
        )
    return False


def make_file(path: Path) -> bool:
    """Make the empty file of a database, for its owner only; False when it is there already.

    SQLite gives the files that it makes beside it the same permissions.

    Raises:
        StoreError: it cannot be made there.
    """
    try:
        os.close(os.open(path.resolve(), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise StoreError(
            f"{path} cannot be made: {error.strerror}; mend its permissions, or give another --db"
        ) from error
    return True


def remove_database(path: Path) -> None:
    """Remove a database's file and those that SQLite makes beside it."""
    path = path.resolve()
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        name.unlink(missing_ok=True)


def is_open_to_others(path: Path) -> bool:
    """Whether other users may read the database: its seeds, before they are revealed, too."""
    return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _check_magic(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise StoreError(f"{path} is not a database of the arena; give another --db")
