"""Checking what is claimed: replays against the rules, the verdicts, the plan and the commitment.

The same checks hold for what a worker reports and for what is stored. All functions give sentences
that name the differences; an empty list means that all is as it should be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from dominobot.replay import Replay, ReplayError, parse_replay, verify
from dominobot.rules import Variant, commitment

from arena.core.job import SeriesJob
from arena.core.referee import fault_verdict, no_contest
from arena.core.schedule import PlannedMatch, Tournament
from arena.core.verdict import Verdict


class Claim(NamedTuple):
    """What is stored about a match: who sat where, at which level, its verdict, its replay's text,
    and the hashes kept apart. ``bots`` are names by seat.
    """

    bots: tuple[str, ...]
    level: str
    verdict: Verdict
    replay: str | None
    replay_sha256: str | None
    core_sha256: str | None


class Expected(NamedTuple):
    """What the replay of a planned match has to say about where it comes from.

    ``players`` are (name, digest) by seat.
    """

    planned: PlannedMatch
    tournament: str
    variant: Variant
    players: tuple[tuple[str, str], ...]

    @classmethod
    def of_tournament(cls, planned: PlannedMatch, tournament: Tournament) -> Expected:
        """What a tournament expects of one of its matches."""
        players = tuple((bot.name, bot.digest) for bot in tournament.bots)
        seated = tuple(players[bot] for bot in planned.seating)
        return cls(planned, tournament.name, tournament.variant, seated)

    @classmethod
    def of_job(cls, planned: PlannedMatch, job: SeriesJob) -> Expected:
        """What a job expects of one of its matches."""
        seated = tuple(job.bots[job.place_of(bot)] for bot in planned.seating)
        return cls(planned, job.tournament, job.variant, seated)


def check_match(claim: Claim, planned: PlannedMatch, tournament: Tournament) -> list[str]:
    """Everything that does not agree about one stored match with a verdict."""
    expected = Expected.of_tournament(planned, tournament)
    differences = []
    names = tuple(name for name, _ in expected.players)
    if claim.bots != names:
        seated, due = ", ".join(claim.bots), ", ".join(names)
        differences.append(f"the board counts it for {seated}, but the plan seats {due}")
    if claim.replay is None:
        if claim.verdict.termination.is_rated:
            differences.append("its replay is missing")
        return differences + check_verdict(claim.verdict, len(planned.seating))
    if hashlib.sha256(claim.replay.encode()).hexdigest() != claim.replay_sha256:
        differences.append("the text of its replay has changed since it was stored")
    differences += check_replay(claim.verdict, claim.replay, expected)
    try:
        replay = parse_replay(claim.replay)
    except ReplayError:
        return differences
    if replay.core_sha256 != claim.core_sha256:
        differences.append("its replay is not the one that was entered in the chain")
    if replay.header.level != claim.level:
        differences.append(
            f"its replay says level {replay.header.level}, the board says {claim.level}"
        )
    return differences


def check_replay(verdict: Verdict, text: str, expected: Expected) -> list[str]:
    """Everything that does not agree between a verdict, its replay, the rules and the plan."""
    differences = check_verdict(verdict, len(expected.planned.seating))
    if verdict.termination.is_rated:  # a no-contest says nothing about the game
        differences += verify(text)
    try:
        replay = parse_replay(text)
    except ReplayError as error:
        return differences or [f"its replay cannot be read: {error}"]
    differences += _against_verdict(replay, verdict)
    differences += _against_plan(replay, expected)
    if not differences and len(verdict.faulty_seats) > 1 and replay.plays:
        differences.append(
            "several seats are blamed, but once a match is under way only one can be"
        )
    return differences


def check_verdict(verdict: Verdict, seats: int) -> list[str]:
    """Whether it is a verdict that the referee can give in a match of so many seats.

    What the rules decide (who won, by how much) is for ``verify``; this is about the rest.
    """
    if not len(verdict.ranks) == len(verdict.scores) == seats:
        return [f"its verdict is not one for {seats} seats"]
    is_blamed = verdict.faulty_seat is not None
    if is_blamed != verdict.termination.is_fault:
        blamed = f"seat {verdict.faulty_seat}" if is_blamed else "nobody"
        return [f"its verdict says {verdict.termination.value}, and blames {blamed}"]
    if verdict.faulty_seat is not None:
        if not 0 <= verdict.faulty_seat < seats:
            return [f"its verdict blames seat {verdict.faulty_seat} of {seats}"]
        due = fault_verdict(verdict.termination, verdict.faulty_seats, verdict.scores)
    elif not verdict.termination.is_rated:
        due = no_contest(verdict.scores)._replace(termination=verdict.termination)
    else:
        return []
    if (verdict.ranks, verdict.faulty_seat) == (due.ranks, due.faulty_seat):
        return []
    return [
        f"its verdict has ranks {_listed(verdict.ranks)}, "
        f"but {verdict.termination.value} makes them {_listed(due.ranks)}"
    ]


def check_plan(planned: Iterable[str], stored: Iterable[str]) -> list[str]:
    """Whether the matches that the seed gives (their ids in schedule order) are those stored."""
    wanted, found = list(planned), list(stored)
    if wanted == found:
        return []
    missing, extra = len(set(wanted) - set(found)), len(set(found) - set(wanted))
    if missing or extra:
        return [f"the seed gives another plan: {missing} matches are missing, {extra} too many"]
    return ["the matches are not stored in the order that the seed gives"]


def check_commitment(tournament: Tournament, secret: bytes, committed: str) -> list[str]:
    """Whether the revealed seed is the one that was committed to before the first game."""
    if commitment(secret, tournament.master) == committed:
        return []
    return ["the revealed seed and secret do not give the commitment"]


def _against_verdict(replay: Replay, verdict: Verdict) -> list[str]:
    pairs = (
        (key, replay.verdict[key], value)
        for key, value in verdict.to_dict().items()
        if replay.verdict[key] != value
    )
    return [
        f"its replay says {key} {said}, the board counts {counted}" for key, said, counted in pairs
    ]


def _against_plan(replay: Replay, expected: Expected) -> list[str]:
    header, planned = replay.header, expected.planned
    facts = (
        ("match id", header.match_id, planned.match_id),
        ("tournament", header.tournament, expected.tournament),
        ("variant", replay.variant, expected.variant),
        ("deal", header.deal_seed, planned.deal_seed),
        ("bot seeds", header.bot_seeds, planned.bot_seeds),
        ("players", tuple(tuple(player) for player in header.players), expected.players),
    )
    return [f"its {what} is not the planned one" for what, is_, wanted in facts if is_ != wanted]


def _listed(numbers: Iterable[int]) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"
