"""Level full from a checkout that only root may enter, with an interpreter that only root may."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.sandbox.base import Level
from tests.support import need

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys, json
sys.path.append({root!r})
from pathlib import Path
from tests.integration.sandbox_kit import eventually, read_all, seats, users_of
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig
import arena, os
folder = Path({folder!r})
code = "import sys, os; print(sys.version_info[:3], sys.executable, os.listdir('/root'))"
with seats(folder, code) as ground:
    seat = read_all(ground.start())
handle = launch(JobConfig())
pid = handle.worker_pid
assert eventually(lambda: "cygrpc" in Path(f"/proc/{{pid}}/maps").read_text()), "not loaded"
worker = dict(user=min(users_of(pid)), home=sorted(os.listdir(f"/proc/{{pid}}/root/root")),
              clone=sorted(os.listdir(f"/proc/{{pid}}/root{{folder}}/clone")))
handle.close()
print(json.dumps(dict(arena=arena.__file__, seat=seat, worker=worker)))
"""


class Clone(NamedTuple):
    """A checkout below a 0700 folder, and its environment's Python."""

    folder: Path
    python: Path


def interpreter() -> Path:
    """One that only root may execute, if there is one; else the one the tests run with."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    closed = sorted(Path("/root/.pyenv/versions").glob(f"{version}.*/bin/python3"))
    return closed[0] if closed else Path(sys.executable).resolve()


@pytest.fixture
def clone() -> Iterator[Clone]:
    need(Level.FULL)
    top = Path("/root") / f"closed-{os.getpid()}"
    top.mkdir(mode=0o700)
    try:
        place = top / "clone"
        place.mkdir(mode=0o700)
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "arena", place / "arena", ignore=ignore)
        shutil.copytree(ROOT / "sdk/src/dominobot", place / "sdk/dominobot", ignore=ignore)
        (place / "arena.db").write_text("secret")
        packages = [path for path in sys.path if path.endswith("site-packages")]
        for name in (".venv", ".venv-bot"):
            subprocess.run([interpreter(), "-m", "venv", "--without-pip", place / name], check=True)
            links = [str(place), str(place / "sdk"), *packages]
            lib = next((place / name / "lib").glob("python*/site-packages"))
            (lib / "links.pth").write_text("\n".join(links))
        yield Clone(top, place / ".venv/bin/python")
    finally:
        shutil.rmtree(top)


def test_a_clone_in_a_closed_folder_reaches_full(clone: Clone) -> None:
    code = SCRIPT.format(root=str(ROOT), folder=str(clone.folder))
    tried = subprocess.run(
        [clone.python, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    assert tried.returncode == 0, tried.stderr
    seen = json.loads(tried.stdout)
    place = clone.folder / "clone"
    assert seen["arena"].startswith(str(place))
    version = subprocess.run(
        [interpreter(), "-c", "import sys; print(sys.version_info[:3])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert seen["seat"].startswith(f"{version} {place / '.venv-bot/bin/python'} ")
    worker = seen["worker"]
    assert worker["user"] > 65535
    assert worker["clone"] == [".venv", ".venv-bot", "arena", "sdk"], "and not the database"
    assert ".ssh" not in worker["home"]


def test_what_others_cannot_read_is_named_with_the_way_out(clone: Clone) -> None:
    (clone.folder / "clone/arena").chmod(0o700)
    code = "from arena.sandbox.probe import examine; print(examine(is_complete=False).why_not())"
    tried = subprocess.run(
        [clone.python, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    assert "arena is closed to other users: chmod -R go+rX" in tried.stdout, tried.stderr
