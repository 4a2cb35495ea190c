"""Level full for a root that may mount nothing, as in a container without CAP_SYS_ADMIN."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox.base import Level
from tests.support import ROOT, need

pytestmark = pytest.mark.sandbox

PLAYS = """
from dominobot.rules import Variant
from tests.support import SAMPLES, play
bots = [SAMPLES / "random", SAMPLES / "heaviest"]
played = play(bots, level=Level.FULL, variant=Variant.preset("famille", target=None))
endings = [record.verdict.termination.value for record in played.records.values()]
print(json.dumps(dict(lost=played.lost, endings=endings)))
"""
SHOWS = """
from arena.supervisor.launch import launch
from arena.supervisor.protocol import JobConfig
handle = launch(JobConfig())
place = Path(handle.bundles)
folders = [place, *place.parents][:-len(Path(handle.folder).parents)]
bot = write_bot(place / "bot", "import os; print(os.getcwd())")
handle.open_series("s", [BotFiles(str(bot))])
print(json.dumps(dict(modes=[oct(folder.stat().st_mode & 0o777) for folder in folders],
                      longest=max(len(folder.name) for folder in folders))))
handle.close()
"""
HEAD = """
import json, sys
sys.path.append({root!r})
from pathlib import Path
from arena.sandbox.base import BotFiles, Level
from tests.support import write_bot
"""


def without_mounting(*words: str) -> subprocess.CompletedProcess[str]:
    """Run this Python as root with all rights but the one to mount."""
    barred = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", sys.executable]
    return subprocess.run(
        [*barred, *words], capture_output=True, text=True, check=False, timeout=100
    )


def told(code: str) -> dict[str, Any]:
    done = without_mounting("-c", HEAD.format(root=str(ROOT)) + code)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(autouse=True)
def full() -> None:
    need(Level.FULL)
    doctor = without_mounting("-m", "arena", "doctor", "--json")
    if json.loads(doctor.stdout)["level"] != "full":
        pytest.skip("where the checkout is closed to others, full needs mounts")


def test_a_tournament_is_played_where_doctor_says_full() -> None:
    played = told(PLAYS)
    assert played["lost"] == []
    assert set(played["endings"]) == {"TARGET_REACHED"}
    assert len(played["endings"]) == 2


def test_bots_lie_where_their_seats_can_go_and_nobody_can_look() -> None:
    shown = told(SHOWS)
    assert set(shown["modes"]) == {"0o711"}, "others may pass, not list"
    assert shown["longest"] == 32, "and what cannot be listed cannot be guessed"


def test_bots_are_closed_to_everybody_where_a_mount_can_show_them(tmp_path: Path) -> None:
    from arena.supervisor.launch import launch
    from arena.supervisor.protocol import JobConfig

    handle = launch(JobConfig(worker=None))
    try:
        assert Path(handle.bundles).stat().st_mode & 0o777 == 0o700
    finally:
        handle.close()
