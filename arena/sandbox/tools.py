"""The system programs a seat is launched with, and the words for a missing one."""

from __future__ import annotations

import shutil
from typing import NamedTuple

from arena.errors import SandboxError

_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"


class Tools(NamedTuple):
    """Absolute paths of the small launch programs."""

    sh: str
    setpriv: str
    prlimit: str


def find_tools() -> Tools:
    """Find them in the system's directories, never in the caller's PATH.

    Raises:
        SandboxError: one is missing; says which package brings it.
    """
    return Tools(
        sh="/bin/sh", setpriv=_find("setpriv", "util-linux"), prlimit=_find("prlimit", "util-linux")
    )


def _find(name: str, package: str) -> str:
    path = shutil.which(name, path=_PATH)
    if path is None:
        raise SandboxError(f"the program {name} is missing: install it (apt-get install {package})")
    return path
