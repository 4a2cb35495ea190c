"""Two copies of the random sample bot under names of their own, in folders any user may read."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "sample_bots" / "random"


@functools.cache
def folders() -> tuple[Path, Path]:
    """The two folders, made once and removed when the process ends."""
    home = Path(tempfile.mkdtemp(prefix="arena-bench-")).resolve()
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    home.chmod(0o755)
    return _copy(home, "castor"), _copy(home, "pollux")


def _copy(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir(mode=0o755)
    for part in ("bot.toml", "main.py"):
        text = (SAMPLE / part).read_text(encoding="utf-8")
        (folder / part).write_text(text.replace('name = "random"', f'name = "{name}"'), "utf-8")
    return folder


@functools.cache
def shouter() -> Path:
    """A bot folder whose program prints one word and ends."""
    folder = folders()[0].parent / "shouter"
    folder.mkdir(mode=0o755)
    (folder / "main.py").write_text('import sys\n\nsys.stdout.write("here")\n', "utf-8")
    return folder
