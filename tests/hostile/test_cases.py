"""One bot per misdeed: the exact termination, the opponent unharmed, evidence for the author."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from dominobot.replay import verify

from arena.sandbox.base import Level
from tests.support import SAMPLES, leftovers, need, play, traces

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.name for path in CASES.iterdir())


@pytest.mark.sandbox
@pytest.mark.parametrize("name", NAMES)
def test_a_misdeed_ends_with_its_own_termination_and_harms_nobody_else(name: str) -> None:
    need(Level.FULL)
    before = traces()
    expect = tomllib.loads((CASES / name / "expect.toml").read_text())
    played = play([CASES / name, SAMPLES / "random"], level=Level.FULL)

    assert not played.lost
    assert len(played.records) == 2, "every planned match has a verdict, or it is to be played"
    hostile = [bot.name for bot in played.tournament.bots].index(name)
    for series in played.series:
        for planned in series.matches:
            record = played.records[planned.match_id]
            seat = planned.seating.index(hostile)
            assert record.verdict.termination.value == expect["termination"]
            assert record.verdict.faulty_seat == seat
            assert record.verdict.ranks[seat] == 2
            assert record.verdict.ranks[1 - seat] == 1
            assert record.level == "full"
            assert verify(record.replay) == []
            evidence = record.evidence
            assert evidence is not None
            assert evidence.seat == seat
            assert evidence.phase == expect["phase"]
            assert expect.get("says", "") in evidence.detail
            assert expect.get("log", "") in "\n".join(evidence.log)
            if expect.get("denied_processes"):
                assert evidence.counters["processes_denied"] > 0
    assert leftovers(before) == {}
