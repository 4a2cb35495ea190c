"""Replays that were written by a release must verify for ever.

The files are named by the number of their format and rules. A file is never rewritten.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.replay import core_sha256, parse_replay, verify

FOLDER = Path(__file__).parent
STORED = {
    "v1-famille-2.json": "ddd72651d878bd3ef3e4ed64437fe490186558d5367bb6f49a6808ff93b838a6",
    "v1-coffret-4-broken-off.json": "aa9ea8727fe1b4a6be9b3059ed7094ea0d061593f1b249908376785fba6fbb58",
}


@pytest.mark.parametrize("name", STORED)
def test_a_stored_replay_still_verifies(name: str) -> None:
    text = (FOLDER / name).read_text().strip()
    assert verify(text) == []
    assert core_sha256(text) == STORED[name]
    assert parse_replay(text).plays
