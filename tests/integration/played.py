"""Tournaments for the store's tests: planned, and played by the rules with seeded chance."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from dominobot.replay import Player, ReplayHeader, build_replay
from dominobot.rules import Match, Variant, commitment, round_deck

from arena.core import referee
from arena.core.record import Evidence, MatchRecord, SeatUsage
from arena.core.schedule import BotRef, PlannedMatch, Tournament, in_schedule_order, plan
from arena.core.verdict import Termination, Verdict
from arena.core.version import BotVersion
from arena.store import Store, Terms

MASTER = b"master seed"
SECRET = b"s" * 32
TERMS = Terms(SECRET, commitment(SECRET, MASTER), "# as given\n", {"move_s": 1})


def version(name: str, text: str = "") -> BotVersion:
    digest = hashlib.sha256(f"{name} {text}".encode()).hexdigest()
    manifest = {"name": name, "author": "A. Tester", "runtime": "python", "entry": "main.py"}
    return BotVersion(name, digest, manifest, 100, 2)


def tournament(
    name: str = "spring", bots: str = "ada bix cleo", deals: int = 2, seats: int = 2
) -> Tournament:
    refs = tuple(BotRef(*version(bot)[:2]) for bot in bots.split())
    variant = Variant.preset("famille", seats=seats, target=None)
    return Tournament(name, variant, refs, deals, None, MASTER)


def begun(store: Store, wanted: Tournament | None = None) -> Tournament:
    """Enter the bots and begin the tournament."""
    wanted = wanted or tournament()
    for bot in wanted.bots:
        store.add_version(version(bot.name), b"zip of " + bot.name.encode())
    store.begin(wanted, TERMS, plan(wanted))
    return wanted


def planned(wanted: Tournament) -> list[PlannedMatch]:
    return in_schedule_order(plan(wanted))


def record(wanted: Tournament, match: PlannedMatch, attempt: int = 0) -> MatchRecord:
    """The match played to its end: each choice by the bots' seeds."""
    played, decisions = _play(wanted, match), 0
    while (decision := played.next_decision()) is not None:
        seed = match.bot_seeds[decision.seat] + decisions
        played.play(decision.legal[seed % len(decision.legal)])
        decisions += 1
    result = played.result()
    verdict = Verdict(Termination.TARGET_REACHED, result.ranks, result.scores)
    return _record(wanted, match, attempt, played, verdict)


def faulted(
    wanted: Tournament, match: PlannedMatch, termination: Termination, attempt: int = 0
) -> MatchRecord:
    """The match broken off at its first decision by the seat that had to take it."""
    played = _play(wanted, match)
    decision = played.next_decision()
    assert decision is not None
    seat = decision.seat
    verdict = (
        referee.fault_verdict(termination, [seat], played.totals)
        if termination.is_fault
        else referee.no_contest(played.totals)._replace(termination=termination)
    )
    evidence = Evidence(
        seat,
        "move",
        "its process ended with exit code 3",
        exit_code=3,
        counters={"cpu_s": 0.25, "memory_peak_bytes": 5_000_000.0},
        log=("Traceback:", "ZeroDivisionError \x1b[31mred\x07"),
        clock=((1, 0.012, 5.0),),
    )
    return _record(wanted, match, attempt, played, verdict)._replace(evidence=evidence)


def no_contest(wanted: Tournament, match: PlannedMatch, attempt: int) -> MatchRecord:
    """The match broken off by the arena after up to 60 decisions."""
    played = _play(wanted, match)
    for _ in range(60):
        decision = played.next_decision()
        if decision is None:
            break
        played.play(decision.legal[0])
    return _record(wanted, match, attempt, played, referee.no_contest(played.totals))


def records(wanted: Tournament) -> Iterator[MatchRecord]:
    return (record(wanted, match) for match in planned(wanted))


def save_all(store: Store, wanted: Tournament) -> str:
    for one in records(wanted):
        store.save(one)
    return store.finish(wanted.name)


def _play(wanted: Tournament, match: PlannedMatch) -> Match:
    return Match(wanted.variant, lambda round_no: round_deck(match.deal_seed, round_no))


def _record(
    wanted: Tournament, match: PlannedMatch, attempt: int, played: Match, verdict: Verdict
) -> MatchRecord:
    header = ReplayHeader(
        match.match_id,
        wanted.name,
        tuple(Player(*wanted.bots[bot]) for bot in match.seating),
        match.bot_seeds,
        match.deal_seed,
        "full",
    )
    text = build_replay(played, header, verdict.to_dict(), [1.5] * len(played.plays))
    usage = tuple(SeatUsage(5, 7.5, 2.5) for _ in match.seating)
    return MatchRecord(match.match_id, attempt, verdict, text, "full", 0.25, usage)
