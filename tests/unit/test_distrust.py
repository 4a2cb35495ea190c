"""Records that a worker may send, and those that it may not: each lie alone in an honest record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from dominobot.replay import Player, build_replay, parse_replay
from dominobot.rules import Match

from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.referee import fault_verdict, no_contest
from arena.core.schedule import plan
from arena.core.verdict import Termination, Verdict
from arena.executors.distrust import WorkerLostError, read_record
from arena.sandbox.base import Level
from tests.integration.played import faulted, record, tournament
from tests.support import QUICK, job_of

WANTED = tournament(seats=3, deals=1)
SERIES = plan(WANTED)[0]
JOB: SeriesJob = job_of(WANTED, SERIES, QUICK, Level.FULL)
MATCH = SERIES.matches[0]
PLAYED = record(WANTED, MATCH)
FAULTED = faulted(WANTED, MATCH, Termination.CRASH)
FAULTY = FAULTED.verdict.faulty_seat
assert FAULTY is not None
OTHER = (FAULTY + 1) % 3


def told(data: Any) -> MatchRecord:
    """What is made of a record in JSON form, once it has come over the wire."""
    return read_record({"record": json.loads(json.dumps(data))}, JOB, "full")


def changed(one: MatchRecord, **changes: Any) -> dict[str, Any]:
    return {**one.to_dict(), **changes}


def evidence(**changes: Any) -> dict[str, Any]:
    assert FAULTED.evidence is not None
    return changed(FAULTED, evidence={**FAULTED.evidence.to_dict(), **changes})


def usage(*seat: Any) -> dict[str, Any]:
    return changed(PLAYED, usage=[[5, 7.5, 2.5, 0], list(seat), [5, 7.5, 2.5, 0]])


def verdict(termination: Termination, ranks: tuple[int, ...], faulty: int | None) -> Verdict:
    return Verdict(termination, ranks, FAULTED.verdict.scores, faulty)


def retold(plays: int, said: Callable[[tuple[int, ...]], Verdict], **header: Any) -> dict[str, Any]:
    """The match broken off after some plays with a verdict; whole, but for what is asked for."""
    replay = parse_replay(PLAYED.replay)
    match = Match(replay.variant, replay.deck_source)
    for play in replay.plays[:plays]:
        match.next_decision()
        match.play(play)
    match.next_decision()
    ending = said(match.totals)
    told_by = replace(replay.header, **header)
    text = build_replay(match, told_by, ending.to_dict(), [1.5] * plays)
    return changed(PLAYED, verdict=ending.to_dict(), replay=text)


def timeout(faulty: tuple[int, ...]) -> Callable[[tuple[int, ...]], Verdict]:
    return lambda totals: fault_verdict(Termination.TIMEOUT, faulty, totals)


PLAYERS = parse_replay(PLAYED.replay).header.players

HONEST: dict[str, Any] = {
    "played to the end": PLAYED.to_dict(),
    "a fault": FAULTED.to_dict(),
    "a fault after some plays": retold(2, timeout((1,))),
    "several that failed before the first play": retold(0, timeout((0, 2))),
    "all failed before the first play": retold(0, timeout((0, 1, 2))),
    "no contest": retold(2, no_contest),
    "evidence of a bot that failed after the end": changed(
        PLAYED, evidence=FAULTED.to_dict()["evidence"]
    ),
    "evidence of the arena's": changed(
        PLAYED,
        verdict=no_contest((0, 0, 0)).to_dict(),
        replay=retold(0, no_contest)["replay"],
        evidence={**FAULTED.to_dict()["evidence"], "seat": None},
    ),
}

LIES: dict[str, Any] = {
    # what the referee cannot say
    "the culprit comes first": retold(2, lambda t: Verdict(Termination.TIMEOUT, (1, 2, 2), t, 0)),
    "the culprit shares the first place with one": retold(
        2, lambda t: Verdict(Termination.TIMEOUT, (1, 1, 3), t, 0)
    ),
    "the culprit is not last": retold(2, lambda t: Verdict(Termination.TIMEOUT, (2, 1, 3), t, 0)),
    "another is last with it": retold(2, timeout((0, 2))),
    "everybody is at fault in the middle": retold(2, timeout((0, 1, 2))),
    "a fault of nobody": retold(2, lambda t: Verdict(Termination.CRASH, (1, 1, 1), t)),
    "no contest, and somebody won": retold(2, lambda t: no_contest(t)._replace(ranks=(1, 2, 3))),
    "no contest, and somebody is blamed": retold(
        2, lambda t: no_contest(t)._replace(faulty_seat=1)
    ),
    "cancelled": retold(2, lambda t: no_contest(t)._replace(termination=Termination.CANCELLED)),
    "ranks for two": retold(2, lambda t: no_contest(t)._replace(ranks=(1, 1))),
    "a number beyond any": changed(PLAYED, verdict={**no_contest((0, 0, 10**30)).to_dict()}),
    # another match than the planned one
    "other players": retold(2, timeout((1,)), players=(Player("somebody", "0" * 64), *PLAYERS[1:])),
    "players in other seats": retold(2, timeout((1,)), players=PLAYERS[::-1]),
    "another deal": changed(PLAYED, replay=record(WANTED, replace(MATCH, deal_seed=b"x")).replay),
    "other seeds of bots": retold(2, timeout((1,)), bot_seeds=(1, 2, 3)),
    "another tournament": retold(2, timeout((1,)), tournament="autumn"),
    "no contest of another tournament": retold(2, no_contest, tournament="autumn"),
    "no contest without a replay": changed(
        PLAYED, verdict=no_contest((0, 0, 0)).to_dict(), replay=""
    ),
    "half a surrogate pair": changed(PLAYED, replay=PLAYED.replay + "\ud800"),
    # what could not be stored or shown
    "evidence against nobody there": evidence(seat=3),
    "evidence against a seat before the first": evidence(seat=-1),
    "evidence against a bot that is not at fault": evidence(seat=OTHER),
    "evidence against a word": evidence(seat="me"),
    "evidence against yes": evidence(seat=True),
    "a detail that is no text": evidence(detail=4),
    "a phase that is no text": evidence(phase=3),
    "an exit code of text": evidence(exit_code="3"),
    "a signal beyond any": evidence(signal=10**30),
    "counters of text": evidence(counters={"cpu_s": "much"}),
    "counters that are none": evidence(counters=["cpu_s"]),
    "a counter that is no number": evidence(counters={"cpu_s": float("nan")}),
    "lines that are no text": evidence(log=[1]),
    "a line without end": evidence(log=["x" * 2_000_000]),
    "lines without end": evidence(log=["x"] * 2_000_000),
    "a clock without end": evidence(clock=[[1, 0.5, 0.5]] * 100_000),
    "a clock that stands still": evidence(clock=[[1, float("inf"), 0.0]]),
    "a clock of text": evidence(clock=[["a", "b", "c"]]),
    "more evidence than there is": evidence(colour="red"),
    "usage of text": usage("a", "b", "c", "d"),
    "usage that is no number": usage(5, float("nan"), 2.5, 0),
    "usage below nothing": usage(-1, 7.5, 2.5, 0),
    "too little usage": usage(5),
    "half a decision": usage(0.5, 7.5, 2.5, 0),
    "a time that is no number": changed(PLAYED, wall_s=float("nan")),
    "a time without end": changed(PLAYED, wall_s=float("inf")),
    "a time of yes": changed(PLAYED, wall_s=True),
    "an attempt of no": changed(PLAYED, attempt=False),
    "a list for an id": changed(PLAYED, match_id=[PLAYED.match_id]),
}


@pytest.mark.parametrize("data", HONEST.values(), ids=HONEST)
def test_an_honest_record_is_believed_as_it_is(data: Any) -> None:
    assert told(data) == MatchRecord.from_dict(data)


@pytest.mark.parametrize("data", LIES.values(), ids=LIES)
def test_a_record_that_cannot_be_is_not_believed(data: Any) -> None:
    with pytest.raises(WorkerLostError, match="the worker sent a record that cannot be"):
        told(data)
