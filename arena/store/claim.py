"""One process plays a tournament at a time.

Two of them would play every match twice, and bots whose play depends on chance or on the clock
would then report two different results. The claim is a socket name in Linux's abstract namespace:
the kernel gives it up when its owner dies, however it dies, and it leaves no file behind.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import StoreError


@contextmanager
def claimed(path: Path, tournament: str) -> Iterator[None]:
    """Hold the right to play a tournament of the database at ``path``.

    Raises:
        StoreError: another process holds it.
    """
    status = path.stat()
    text = f"{status.st_dev} {status.st_ino} {tournament}"
    name = f"\0domino-arena/{hashlib.sha256(text.encode()).hexdigest()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as claim:
        try:
            claim.bind(name)
        except OSError as error:
            raise StoreError(
                f'tournament "{tournament}" in {path} is being played by another process; '
                "wait for it, or stop it first"
            ) from error
        yield
