"""The few kernel calls that Python 3.11 does not offer. Linux only."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

CLONE_NEWNS = 0x0002_0000
MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x4_0000
MNT_DETACH = 2

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Set one property of this process. Raises OSError."""
    _check(_libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave shared namespaces. Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount ``source`` on ``target``. Raises OSError naming the target."""
    data = options.encode() if options else None
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data
    )
    _check(result, target)


def umount(target: str) -> None:
    """Detach the mount at ``target``. Raises OSError naming it."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), target)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
