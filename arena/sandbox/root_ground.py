"""Root's ground: a user for the worker and each seat, and a private view of the file system.

Interpreter, arena and bots often lie where only root may go (a clone in a 0700 folder, pyenv
under /root), and none of them may be moved: an interpreter under another path silently loads the
system's libpython. So the supervisor leaves the host's mount namespace. Where a parent of a needed
folder is closed to others, an empty tmpfs is put over that parent and the needed folders are bound
back at their own paths. Nothing else of the closed parent is visible to worker and seats. The
namespace ends with the supervisor's tree, so there is nothing to unmount.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox import libc
from arena.sandbox.jobs import BOT, HOST, ROOT
from arena.sandbox.uids import UidClaims

_OTHERS = stat.S_IROTH | stat.S_IXOTH
_READ_ONLY = libc.MS_BIND | libc.MS_REMOUNT | libc.MS_RDONLY | libc.MS_NOSUID | libc.MS_NODEV


class RootGround:
    """Users and bound folders of one job, for an arena that runs as root."""

    def __init__(self, job_folder: Path, claims: UidClaims, needed: Iterable[str]) -> None:
        self._claims = claims
        self._job_folder = job_folder
        self._host: Path | None = None
        self._shown: list[Path] = []
        self.worker_uid: int | None = claims.take()
        try:
            self._prepare(sorted(set(needed)))
        except (SandboxError, OSError):
            self.close()
            raise

    def _prepare(self, needed: list[str]) -> None:
        # Resolved before anything is covered: a link on the way may point below a closed parent.
        originals = {path: os.path.realpath(path) for path in needed}
        try:
            if self._leave_host():
                for path, original in originals.items():
                    self._show(path, original)
        except OSError as error:
            raise SandboxError(
                f"cannot prepare the private mounts ({error.filename}: {error.strerror})"
            ) from error
        for path in [*needed, str(self._job_folder)]:
            _check_reachable(path)

    @property
    def is_private(self) -> bool:
        """Whether the private mount namespace could be made."""
        return self._host is not None

    def take_uid(self) -> int | None:
        """Claim a seat user. Raises SandboxError when none is free."""
        return self._claims.take()

    def give_back(self, uid: int | None) -> None:
        """Release a seat user."""
        if uid is not None:
            self._claims.give_back(uid)

    def show_bot(self, folder: str, seat: int) -> str:
        """Bind the folder, read-only, to a place its seat can reach.

        Raises SandboxError when it is missing or closed to others.
        """
        if self._host is None:
            _check_reachable(folder)
            return folder
        place = self._job_folder / f"{BOT}{seat}"
        try:
            place.mkdir(mode=0o755)
            self._shown.append(place)
            libc.mount(self._original(folder), str(place), "", libc.MS_BIND)
            libc.mount("", str(place), "", _READ_ONLY)
        except OSError as error:
            raise SandboxError(f"cannot show the bot folder {folder}: {error.strerror}") from error
        if place.stat().st_mode & _OTHERS != _OTHERS:
            raise SandboxError(_closed(folder, folder))
        return str(place)

    def hide_bots(self) -> None:
        """Undo every :meth:`show_bot`."""
        shown, self._shown = self._shown, []
        for place in shown:
            with suppress(OSError):
                libc.umount(str(place))
            with suppress(OSError):
                place.rmdir()

    def close(self) -> None:
        """Release all users and let go of the host's files."""
        self.hide_bots()
        self._claims.close()
        if self._host is not None:
            with suppress(OSError):
                libc.umount(str(self._host))

    def _leave_host(self) -> bool:
        """Enter a private mount namespace; False where that is not permitted (some containers)."""
        try:
            libc.unshare(libc.CLONE_NEWNS)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.ENOSYS):
                return False
            raise
        libc.mount("", "/", "", libc.MS_REC | libc.MS_PRIVATE)
        # The way to the originals, once parents are covered. It is for root alone: what is mounted
        # has the mode of the host's root, so that what keeps others out is the folder around it.
        host = self._job_folder / HOST / ROOT
        host.parent.mkdir(mode=0o700)
        host.mkdir(mode=0o700)
        libc.mount("/", str(host), "", libc.MS_BIND | libc.MS_REC)
        libc.mount("", str(host), "", libc.MS_REC | libc.MS_PRIVATE)
        libc.mount("", str(host), "", _READ_ONLY)
        self._host = host
        return True

    def _original(self, path: str) -> str:
        return f"{self._host}{path}"

    def _show(self, path: str, original: str) -> None:
        closed = _closed_parent(path)
        if closed is not None:
            flags = libc.MS_NOSUID | libc.MS_NODEV
            libc.mount("none", closed, "tmpfs", flags, "mode=0755,size=4m")
        place = Path(path)
        if place.exists():
            return
        if Path(self._original(original)).is_dir():
            place.mkdir(mode=0o755, parents=True)
        else:
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            place.touch()
        libc.mount(self._original(original), path, "", libc.MS_BIND)
        libc.mount("", path, "", _READ_ONLY)


def _closed_parent(path: str) -> str | None:
    """The topmost parent that others may not pass, None when the way is open."""
    for parent in reversed(Path(path).parents):
        if parent.exists() and not parent.stat().st_mode & stat.S_IXOTH:
            return str(parent)
    return None


def _check_reachable(path: str) -> None:
    """Raises SandboxError naming what is closed to others."""
    closed = _closed_parent(path)
    if closed is not None:
        raise SandboxError(_closed(path, closed))
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError as error:
        raise SandboxError(f"{path} is missing: {error.strerror}") from error
    wanted = stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH
    if not mode & wanted:
        raise SandboxError(_closed(path, path))


def _closed(path: str, parent: str) -> str:
    where = "" if path == parent else f"{path}: "
    return f"{where}{parent} is closed to other users: chmod -R go+rX {parent}"
