"""The sample bots against each other: who is stronger. A hundred games a pair."""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.loading import LoadedBot, load_bot
from dominobot.rules import Variant
from dominobot.session import Session

SAMPLES = Path(__file__).parents[2] / "sample_bots"
NAMES = ("counter", "doubles", "heaviest", "random", "strong_suit", "varied")


@pytest.fixture(scope="module")
def bots() -> dict[str, LoadedBot]:
    return {name: load_bot(SAMPLES / name) for name in NAMES}


def share(bots: dict[str, LoadedBot], name: str, other: str, variant: str = "famille") -> float:
    session = Session(
        [bots[name], bots[other]], Variant.preset(variant), games=120, seed="strength"
    )
    session.play()
    assert all(tally.faults == [] for tally in session.tallies())
    return session.tallies()[0].share


def test_doubles_and_heaviest_beat_random(bots: dict[str, LoadedBot]) -> None:
    assert share(bots, "heaviest", "random") > 0.5
    assert share(bots, "doubles", "random") > 0.6


@pytest.mark.parametrize("other", [name for name in NAMES if name != "counter"])
def test_counter_beats_every_other_sample(other: str, bots: dict[str, LoadedBot]) -> None:
    assert share(bots, "counter", other) > 0.6


def test_counter_beats_the_runner_up_also_where_the_boneyard_differs(
    bots: dict[str, LoadedBot],
) -> None:
    assert share(bots, "counter", "strong_suit", "coffret") > 0.5
    assert share(bots, "counter", "strong_suit", "block") > 0.5
