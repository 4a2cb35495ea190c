"""One process plays a tournament at a time, and one makes a database.

Two processes on one tournament would play every match twice, and bots whose play depends on chance
or on the clock would then report two different results. A claim is a locked file beside the
database: the kernel gives the lock up when its owner dies, however it dies, and what counts is the
lock, so a file that a killed process left behind claims nothing; the next owner removes it. It
holds wherever the file is seen from, and only who may open it can take it. It is a file of its own
because closing any descriptor of the database would drop SQLite's locks on it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import StoreError

_MAKING_PATIENCE_S = 20.0
_RETRY_S = 0.02


@contextmanager
def claimed(path: Path, tournament: str) -> Iterator[None]:
    """Hold the right to play a tournament of the database at ``path``, which need not exist yet.

    Raises:
        StoreError: another process holds it, or nothing can be written beside the database.
    """
    name = hashlib.sha256(tournament.encode()).hexdigest()[:12]
    try:
        lock = _take(_beside(path, f"playing-{name}"), patience_s=0.0)
    except BlockingIOError:
        raise StoreError(
            f'tournament "{tournament}" in {path} is being played by another process; '
            "wait for it, or stop it first"
        ) from None
    with lock:
        yield


@contextmanager
def making(path: Path) -> Iterator[None]:
    """Hold the right to make the database at ``path``, after whoever is at it.

    Raises:
        StoreError: another process has been at it for very long, or nothing can be written there.
    """
    try:
        lock = _take(_beside(path, "making"), _MAKING_PATIENCE_S)
    except BlockingIOError:
        raise StoreError(
            f"{path} is being made by another process; wait for it, or stop it first"
        ) from None
    with lock:
        yield


class _Lock:
    """A locked file. As a context manager it removes the file, then gives the lock up."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            pass  # an unlocked file claims nothing, so it may stay
        finally:
            os.close(self._descriptor)


def _beside(path: Path, what: str) -> Path:
    real = path.resolve()
    return real.with_name(f"{real.name}-{what}")


def _take(path: Path, patience_s: float) -> _Lock:
    """Lock the file. Raises BlockingIOError when somebody else holds it for longer than that."""
    give_up = time.monotonic() + patience_s
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(
                f"{path.parent} cannot be written ({error.strerror}), and a database needs files "
                "beside it; mend that, or give another --db"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return _Lock(path, descriptor)
        except BlockingIOError:
            if time.monotonic() >= give_up:
                os.close(descriptor)
                raise
        except OSError as error:
            os.close(descriptor)
            raise StoreError(f"{path} cannot be locked: {error.strerror}") from error
        os.close(descriptor)  # its last owner was just removing it
        time.sleep(_RETRY_S)


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the locked file is the one that others would find."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
