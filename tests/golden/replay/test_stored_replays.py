"""Replays that were written by a release must verify for ever.

The files are named by the number of their format and rules. A file is never rewritten.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.replay import core_sha256, parse_replay, verify

FOLDER = Path(__file__).parent
STORED = {  # with the hash of the core
    "v1-famille-2.json": "ddd72651d878bd3ef3e4ed64437fe490186558d5367bb6f49a6808ff93b838a6",
    "v1-coffret-4-timeout.json": "870848210cc0227df9a507e32b74b1fabaeb1ee415e2bd82c18b70a347ab5536",
}


@pytest.mark.parametrize("name", STORED)
def test_a_stored_replay_still_verifies(name: str) -> None:
    text = (FOLDER / name).read_text().strip()
    assert verify(text) == []
    assert core_sha256(text) == STORED[name]
    assert parse_replay(text).plays
