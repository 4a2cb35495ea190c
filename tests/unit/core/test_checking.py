"""What is stored about a match is held against the referee's words, its replay and the plan."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from dominobot.replay import build_replay, core_sha256, parse_replay, replay_match

from arena.core.checking import Claim, check_match
from arena.core.record import MatchRecord
from arena.core.referee import no_contest
from arena.core.verdict import Termination, Verdict
from tests.integration.played import faulted, planned, record, tournament

WANTED = tournament(seats=3, deals=1)
MATCH = planned(WANTED)[0]
BOTS = tuple(WANTED.bots[bot].name for bot in MATCH.seating)
FAULTED = faulted(WANTED, MATCH, Termination.TIMEOUT)


def claim(one: MatchRecord) -> Claim:
    """A record as it would be stored, its hashes included."""
    sha256 = hashlib.sha256(one.replay.encode()).hexdigest()
    return Claim(BOTS, one.level, one.verdict, one.replay, sha256, core_sha256(one.replay))


def rewritten(one: MatchRecord, verdict: Verdict) -> Claim:
    """The same plays with another verdict, in the replay too, and all hashes right."""
    replay = parse_replay(one.replay)
    match = replay_match(replay)
    match.next_decision()
    text = build_replay(match, replay.header, verdict.to_dict(), replay.timings_ms)
    return claim(one._replace(verdict=verdict, replay=text))


def test_what_was_played_is_found_as_it_should_be() -> None:
    for one in (record(WANTED, MATCH), FAULTED):
        assert check_match(claim(one), MATCH, WANTED) == []
        assert check_match(rewritten(one, one.verdict), MATCH, WANTED) == []


def test_bots_that_sat_elsewhere_and_another_level_are_found() -> None:
    stored = claim(FAULTED)
    swapped = stored._replace(bots=(BOTS[1], BOTS[0], BOTS[2]))
    assert check_match(swapped, MATCH, WANTED) == [
        f"the board counts it for {BOTS[1]}, {BOTS[0]}, {BOTS[2]}, "
        f"but the plan seats {BOTS[0]}, {BOTS[1]}, {BOTS[2]}"
    ]
    found = check_match(stored._replace(level="unsafe"), MATCH, WANTED)
    assert "the board says unsafe" in found[0]


@pytest.mark.parametrize("faulty", range(3))
def test_a_fault_that_did_not_cost_the_last_rank_is_found(faulty: int) -> None:
    for ranks in ((1, 2, 3), (3, 2, 1), (2, 1, 3), (1, 1, 2), (2, 1, 1)):
        verdict = FAULTED.verdict._replace(ranks=ranks, faulty_seat=faulty)
        found = check_match(rewritten(FAULTED, verdict), MATCH, WANTED)
        assert "TIMEOUT makes them" in found[0]


def test_a_verdict_that_the_referee_cannot_give_is_found() -> None:
    good = FAULTED.verdict
    for verdict, says in (
        (good._replace(faulty_seat=None), "blames nobody"),
        (good._replace(faulty_seat=7), "blames seat 7 of 3"),
        (no_contest((0, 0, 0))._replace(ranks=(1, 2, 2)), "ARENA_FAULT makes them [1, 1, 1]"),
        (no_contest((0, 0, 0))._replace(faulty_seat=0), "blames seat 0"),
        (good._replace(ranks=(1, 1)), "is not one for 3 seats"),
    ):
        stored = claim(FAULTED)._replace(verdict=verdict)
        assert says in check_match(stored, MATCH, WANTED)[0]


def test_a_match_that_the_arena_failed_in_needs_no_replay() -> None:
    stored = Claim(BOTS, "full", no_contest((0, 0, 0)), None, None, None)
    assert check_match(stored, MATCH, WANTED) == []
    assert check_match(stored._replace(verdict=FAULTED.verdict), MATCH, WANTED) == [
        "its replay is missing"
    ]


def test_a_replay_of_another_match_is_found() -> None:
    others = (replace(MATCH, match_id="x"), replace(MATCH, deal_seed=b"x"))
    for other in (*others, replace(MATCH, seating=MATCH.seating[::-1])):
        assert check_match(claim(FAULTED), other, WANTED)
