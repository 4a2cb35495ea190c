"""Checking what is stored: replays against the rules, the verdicts, the plan and the commitment.

All functions give sentences that name the differences; an empty list means that all is as it
should be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from dominobot.replay import Replay, ReplayError, parse_replay, verify
from dominobot.rules import commitment

from arena.core.schedule import PlannedMatch, Tournament
from arena.core.verdict import Verdict


class Claim(NamedTuple):
    """What is stored about a match: its verdict, its replay's text, and the hashes kept apart."""

    verdict: Verdict
    replay: str | None
    replay_sha256: str | None
    core_sha256: str | None


def check_match(claim: Claim, planned: PlannedMatch, tournament: Tournament) -> list[str]:
    """Everything that does not agree about one match with a verdict."""
    if claim.replay is None:
        return ["its replay is missing"] if claim.verdict.termination.is_rated else []
    differences = []
    if hashlib.sha256(claim.replay.encode()).hexdigest() != claim.replay_sha256:
        differences.append("the text of its replay has changed since it was stored")
    if claim.verdict.termination.is_rated:  # a no-contest says nothing about the game
        differences += verify(claim.replay)
    try:
        replay = parse_replay(claim.replay)
    except ReplayError as error:
        return differences or [f"its replay cannot be read: {error}"]
    if replay.core_sha256 != claim.core_sha256:
        differences.append("its replay is not the one that was entered in the chain")
    differences += _against_verdict(replay, claim.verdict)
    differences += _against_plan(replay, planned, tournament)
    return differences


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


def _against_plan(replay: Replay, planned: PlannedMatch, tournament: Tournament) -> list[str]:
    header = replay.header
    players = tuple(tournament.bots[bot] for bot in planned.seating)
    expected = (
        ("match id", header.match_id, planned.match_id),
        ("tournament", header.tournament, tournament.name),
        ("variant", replay.variant, tournament.variant),
        ("deal", header.deal_seed, planned.deal_seed),
        ("bot seeds", header.bot_seeds, planned.bot_seeds),
        ("players", tuple(tuple(player) for player in header.players), tuple(map(tuple, players))),
    )
    return [f"its {what} is not the planned one" for what, is_, wanted in expected if is_ != wanted]
