"""Job folders: where a supervisor keeps its sockets, and how a dead one's leftovers are found.

A job is a folder ``<run root>/<job>`` and a lock ``<run root>/<job>.lock`` that its supervisor
holds as long as it lives, however it dies. A folder whose lock is free is stale.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.errors import SandboxError

_NAME = "domino-arena"
# The path of a socket may have 107 bytes, and below this come 20.
_LONGEST_PERSONAL = 44
_CLAIM_TRIES = 50
_CLAIM_PAUSE_S = 0.01
_JOB = re.compile("[0-9a-f]{8}")
HOST, ROOT, BOT = "host", "root", "bot"
"""Names in a job's folder on which things are mounted: host/root, and bot0, bot1, ..."""


class Job:
    """One supervisor's folder and lock. The folder's mode lets others pass, not list.

    Raises SandboxError or OSError when they cannot be made.
    """

    def __init__(self, root: Path) -> None:
        self.name = secrets.token_hex(4)
        self.root = root
        self.folder = root / self.name
        self._lock: int | None = self._claim()
        try:
            self.folder.mkdir(mode=0o711)
            self.folder.chmod(0o711)
        except OSError as error:
            _unlock(root / f"{self.name}.lock", self._lock)
            raise SandboxError(f"cannot make {self.folder}: {error.strerror}") from error
        self.bundles = self.folder / "bundles"

    def make_bundles(self, *, is_shown: bool) -> None:
        """Make ``bundles``, where main lays down the bots' folders.

        ``is_shown``: seats get to see their own by a mount, so nobody needs to pass through here.
        Where they are not, a seat has to reach its bot by this very path: then others may pass, but
        the path cannot be listed or guessed.
        """
        self.bundles.mkdir(mode=0o700)
        if not is_shown:
            self.bundles.chmod(0o711)
            self.bundles /= secrets.token_hex(16)
            self.bundles.mkdir()
            self.bundles.chmod(0o711)

    def close(self) -> None:
        """Remove folder and lock, and the run folder if no other job is in it."""
        _remove_job(self.folder)
        _unlock(self.root / f"{self.name}.lock", self._lock)
        self._lock = None
        with suppress(OSError):
            self.root.rmdir()

    def _claim(self) -> int:
        """Make and hold the lock. The last other job may just be removing the run folder."""
        for _ in range(_CLAIM_TRIES):
            lock = _lock(self.root / f"{self.name}.lock")
            if lock is not None:
                return lock
            # A sweeper may hold what it took for a dead job's lock; it lets go at once.
            time.sleep(_CLAIM_PAUSE_S)
            self.root.mkdir(mode=0o711, exist_ok=True)
        raise SandboxError(f"cannot make the lock {self.folder}.lock")


def run_root() -> Path:
    """Make and check the place of the job folders: /run/domino-arena for root, else the user's own.

    Raises:
        SandboxError: it belongs to another user, others may write to it, or it cannot be made.
    """
    return prepare_root(_usual_root())


def prepare_root(root: Path) -> Path:
    """Make a folder for job folders if it is not there, and check it. Raises as ``run_root``."""
    try:
        seen = _make_root(root)
    except OSError as error:
        raise SandboxError(f"cannot make the run folder {root}: {error.strerror}") from error
    if not _is_own(seen, os.geteuid()):
        raise SandboxError(
            f"the run folder {root} must be a folder of the arena's own user that nobody else "
            "may write to: remove it"
        )
    if os.geteuid() == 0:
        with suppress(FileNotFoundError):
            root.chmod(0o711)
    return root


def _make_root(root: Path) -> os.stat_result:
    """Make it if it is not there. Raises OSError.

    The last other arena may remove it at any moment as long as nothing is in it.
    """
    for _ in range(_CLAIM_TRIES):
        with suppress(FileNotFoundError):
            root.mkdir(mode=0o711, parents=True, exist_ok=True)
            return root.lstat()
    root.mkdir(mode=0o711, parents=True, exist_ok=True)
    return root.lstat()


def _usual_root() -> Path:
    if os.geteuid() == 0:
        return Path("/run") / _NAME
    personal = os.environ.get("XDG_RUNTIME_DIR", "")
    if personal and os.access(personal, os.W_OK) and len(personal) < _LONGEST_PERSONAL:
        return Path(personal) / _NAME
    return shared_root(Path("/tmp"), os.geteuid())


def shared_root(folder: Path, uid: int) -> Path:
    """A place in a folder that all users share, whatever others have put under the usual name.

    It is the first of the user's own with the usual name or its beginning, so that every arena of
    the user finds it, and what is left in it. Raises SandboxError when none can be made.
    """
    usual = folder / f"{_NAME}-{uid}"
    for found in (usual, *sorted(folder.glob(f"{usual.name}-*"))):
        with suppress(FileNotFoundError):
            if _is_own(found.lstat(), uid):
                return found
    if not os.path.lexists(usual):
        return usual
    try:
        return Path(tempfile.mkdtemp(prefix=f"{usual.name}-", dir=folder))
    except OSError as error:
        raise SandboxError(f"cannot make a run folder in {folder}: {error.strerror}") from error


def _is_own(seen: os.stat_result, uid: int) -> bool:
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == uid and not seen.st_mode & 0o022


def sweep(root: Path, end: Callable[[str], bool]) -> list[str]:
    """Remove the jobs whose supervisor is dead; their names.

    ``end`` gets the name of each while its lock is held, ends what is left of it, and says whether
    nothing is. A job of which something is left keeps its folder and its lock, for the next sweep.
    Raises SandboxError when something is mounted in one.
    """
    swept = []
    names = set()
    # The last other arena may have removed the folder since we made it.
    with suppress(FileNotFoundError):
        names = {path.stem for path in root.iterdir() if _JOB.fullmatch(path.stem)}
    for name in sorted(names):
        lock_path = root / f"{name}.lock"
        lock = _lock(lock_path)
        if lock is None:
            continue
        try:
            if end(name):
                _remove_job(root / name)
                lock_path.unlink(missing_ok=True)
                swept.append(name)
        finally:
            os.close(lock)
    return swept


def remove(folder: Path) -> None:
    """Remove a folder tree; one that is not there is no error. Follows no link.

    Raises:
        SandboxError: something is mounted in it; nothing is removed then.
    """
    _check_unmounted(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_job(folder: Path) -> None:
    """Remove a job's folder. Where bots or the host were mounted only an empty folder may be."""
    _check_unmounted(folder)
    with suppress(OSError):
        for entry in list(folder.iterdir()):
            if entry.name == HOST:
                with suppress(FileNotFoundError):
                    (entry / ROOT).rmdir()
                entry.rmdir()
            elif entry.name.startswith(BOT):
                entry.rmdir()
            elif entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()
        folder.rmdir()


def _check_unmounted(folder: Path) -> None:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mounted = line.split(" ")[4]
        if mounted == str(folder) or mounted.startswith(f"{folder}/"):
            raise SandboxError(f"{folder} is not removed: something is mounted on {mounted}")


def _lock(path: Path) -> int | None:
    """Lock a file that may be new; None when somebody holds it or has just removed it.

    Raises OSError when it cannot be made.
    """
    with suppress(FileNotFoundError):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_nlink == 1:
                return fd
        os.close(fd)
    return None


def _unlock(path: Path, lock: int | None) -> None:
    if lock is not None:
        path.unlink(missing_ok=True)
        os.close(lock)
