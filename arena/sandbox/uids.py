"""Users for seats and workers: one each, from a reserved range, never shared.

A claim is a lock on one byte of a file that all arenas of the host share, so it ends with the
process however that dies. A user that any process has, real, effective, saved or for files, is
refused, whoever started that process.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from arena.errors import SandboxError

FIRST = 65600
LAST = 66623


class UidClaims:
    """The users this process has claimed. Each number is used as group too."""

    def __init__(self, root: Path, first: int = FIRST, last: int = LAST) -> None:
        self._first = first
        self._last = last
        self._claimed: set[int] = set()
        self._path = root / "uids.lock"
        self._file = self._open()

    def take(self) -> int:
        """Claim a user that nobody has.

        Raises:
            SandboxError: the whole range is taken.
        """
        count = self._last - self._first + 1
        start = os.getpid() % count
        busy = users_in_use(self._first, self._last)
        for step in range(count):
            uid = self._first + (start + step) % count
            if uid not in busy and uid not in self._claimed and self._lock(uid):
                self._claimed.add(uid)
                return uid
        raise SandboxError(
            f"all users from {self._first} to {self._last} are taken: end other arenas, "
            "or processes that run as them"
        )

    def give_back(self, uid: int) -> None:
        """Release a user."""
        self._claimed.discard(uid)
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, uid - self._first)

    def close(self) -> None:
        """Release all, and remove the file if no other arena uses it. Safe to repeat."""
        if self._file < 0:
            return
        self._claimed.clear()
        with suppress(OSError):
            fcntl.lockf(self._file, fcntl.LOCK_UN)
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._path.unlink()
        os.close(self._file)
        self._file = -1

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise SandboxError(f"cannot open {self._path}: {error.strerror}") from error

    def _lock(self, uid: int) -> bool:
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, uid - self._first)
            except OSError:
                return False
            if self._is_current():
                return True
            # The last other arena removed the file between our opening and our first lock.
            os.close(self._file)
            self._file = self._open()

    def _is_current(self) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(self._path.stat(), os.fstat(self._file))
        return False


def users_in_use(first: int = FIRST, last: int = LAST) -> set[int]:
    """Users of the range that some process has in any of its four roles."""
    found: set[int] = set()
    for name in os.listdir("/proc"):  # noqa: PTH208 - names only, and it is read often
        if name.isdigit():
            with suppress(OSError):
                status = Path(f"/proc/{name}/status").read_bytes()
                line = status[status.index(b"\nUid:") + 5 :].split(b"\n", 1)[0]
                found |= {uid for uid in map(int, line.split()) if first <= uid <= last}
    return found
