"""Where the host's cgroup trees are, and the small file operations on them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

CONTROLLERS = ("memory", "pids", "cpu")


class Layout(NamedTuple):
    """Where the trees are mounted. ``v1``: controller to mount; ``v2``: the unified mount."""

    v1: dict[str, Path]
    v2: Path | None
    v2_controllers: frozenset[str]

    @property
    def kind(self) -> str:
        """ "v1", "v2", "hybrid" (both, limits from v1) or "none"."""
        if self.v2 is None:
            return "v1" if self.v1 else "none"
        return "v2" if set(CONTROLLERS) <= self.v2_controllers else "hybrid"

    def home(self, controller: str) -> tuple[int, Path] | None:
        """Generation and mount of a controller, None when the host does not offer it."""
        if self.v2 is not None and controller in self.v2_controllers:
            return 2, self.v2
        if controller in self.v1:
            return 1, self.v1[controller]
        return None

    def mounts(self) -> list[Path]:
        """Every tree that is used, each once."""
        used = [home[1] for name in CONTROLLERS if (home := self.home(name))]
        used += [self.v2] if self.v2 else [self.v1[n] for n in ("freezer",) if n in self.v1]
        used += [self.v1["cpuacct"]] if self.v2 is None and "cpuacct" in self.v1 else []
        return list(dict.fromkeys(used))


def find_layout(mountinfo: str | None = None) -> Layout:
    """Read where the trees are from ``/proc/self/mountinfo`` (or a text in its form)."""
    text = mountinfo if mountinfo is not None else Path("/proc/self/mountinfo").read_text()
    v1: dict[str, Path] = {}
    v2: Path | None = None
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = [*after.split(" "), "", ""][:3]
        where = Path(before.split(" ")[4])
        if kind == "cgroup2" and v2 is None:
            v2 = where
        elif kind == "cgroup":
            for controller in options.split(","):
                v1.setdefault(controller, where)
    controllers = frozenset(words(v2 / "cgroup.controllers")) if v2 else frozenset[str]()
    return Layout(v1, v2, controllers)


def remove_folder(folder: Path) -> bool:
    """Remove one group; True when it is gone, False while the kernel is busy with it."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def open_file(path: Path, mode: int) -> int:
    """A descriptor that no child inherits. Raises OSError."""
    return os.open(path, mode | os.O_CLOEXEC)


def write(path: Path, text: str) -> None:
    """Write a control file, never creating one. Raises OSError that names it."""
    fd = open_file(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)


def write_if_there(path: Path, text: str) -> None:
    """Write a control file that not every kernel has. Raises OSError."""
    with suppress(FileNotFoundError):
        write(path, text)


def words(path: Path) -> list[str]:
    """The words of a file; none when it cannot be read."""
    try:
        return path.read_text().split()
    except OSError:
        return []


def pairs(path: Path) -> dict[str, int]:
    """A file of lines "name number"."""
    found = words(path)
    return {
        name: int(value)
        for name, value in zip(found[::2], found[1::2], strict=False)
        if value.isdigit()
    }


def number(path: Path) -> int | None:
    """A file that is one number; None when it is not."""
    found = words(path)
    return int(found[0]) if found and found[0].isdigit() else None
