"""Where the bots' Python is, and which directories a sandbox must show for it to run.

Bots never use the arena's own environment: theirs holds dominobot, grpcio, protobuf and numpy,
precompiled, and nothing of the arena.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from arena.errors import SandboxError

VARIABLE = "ARENA_BOT_RUNTIME"
_MOST_LINKS = 32


class BotRuntime(NamedTuple):
    """A virtual environment for bots.

    ``python`` is what a seat executes. ``paths`` are absolute paths outside /usr that must be
    visible under their own names: the environment itself and its base interpreter. Under another
    name a shared interpreter silently loads the system's libpython instead of its own.
    """

    venv: str
    python: str
    paths: tuple[str, ...]


def find_runtime(explicit: str | Path | None = None) -> BotRuntime:
    """Find the bots' environment: ``explicit``, else $ARENA_BOT_RUNTIME, else a neighbour.

    The neighbour is ``.venv-bot`` beside the environment the arena runs in.

    Raises:
        SandboxError: it is not there, or no interpreter is in it; names ``make runtime``.
    """
    named = explicit or os.environ.get(VARIABLE)
    venv = Path(named) if named else Path(sys.prefix).parent / ".venv-bot"
    venv = Path(os.path.abspath(venv))  # noqa: PTH100 - resolve() would follow links
    python = venv / "bin" / "python"
    if not python.exists():
        raise SandboxError(
            f"no Python environment for bots at {venv}: run `make runtime`, "
            f"or name one in {VARIABLE}"
        )
    return BotRuntime(str(venv), str(python), visible_paths(venv))


def visible_paths(venv: Path) -> tuple[str, ...]:
    """The environment and the parts of its base interpreter that lie outside /usr.

    Every link between ``bin/python`` and the real interpreter is followed one step at a time,
    since the loader and Python look at the names on the way (pyenv and uv keep such chains).
    """
    paths = [str(venv)]
    link = venv / "bin" / "python"
    for _ in range(_MOST_LINKS):
        prefix = link.parent.parent
        for part in _interpreter_parts(prefix):
            if not any(is_inside(part, known) for known in [*paths, "/usr"]):
                paths.append(part)
        if not link.is_symlink():
            break
        link = Path(os.path.normpath(link.parent / link.readlink()))
    real = link.parent.resolve().parent
    extra = [p for p in _interpreter_parts(real) if not any(is_inside(p, k) for k in paths)]
    return (*paths, *(p for p in extra if not is_inside(p, "/usr")))


def _interpreter_parts(prefix: Path) -> list[str]:
    """``bin`` and ``lib`` of an interpreter: its prefix itself may be somebody's home or /."""
    if prefix == Path("/"):
        return []
    return [str(prefix / name) for name in ("bin", "lib") if (prefix / name).is_dir()]


def is_inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it, by name."""
    folder = folder.rstrip("/")
    return path == folder or path.startswith(f"{folder}/")
