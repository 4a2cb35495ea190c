"""Which paths the worker must be able to read to run the arena's own code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from arena.sandbox.runtime import is_inside, visible_paths

_PACKAGES = ("arena", "dominobot")
_LIBRARIES = ("site-packages", "dist-packages")


def worker_paths() -> list[str]:
    """The arena's environment, its interpreter, and packages installed as links to a checkout.

    Only the packages of a checkout are named, not the checkout: a worker has no business with
    the database beside them. An environment may use the packages of another one. Paths inside
    others or in /usr are left out.
    """
    wanted = [*visible_paths(Path(sys.prefix))]
    wanted += [path for path in sys.path if Path(path).name in _LIBRARIES]
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        places = spec.submodule_search_locations if spec is not None else None
        wanted += [str(Path(place).resolve()) for place in places or []]
    kept: list[str] = []
    for path in sorted(wanted, key=len):
        if not any(is_inside(path, known) for known in [*kept, "/usr"]):
            kept.append(path)
    return kept
