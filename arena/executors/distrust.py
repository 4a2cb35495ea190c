"""What a worker says is checked like anything from outside: it speaks with bots all day.

A record that comes in is only believed when it is whole, about a match that was asked for, and its
replay follows the rules. Then all that a broken worker can still do is to blame the wrong bot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dominobot.replay import ReplayError, parse_replay, verify

from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import PlannedMatch
from arena.core.verdict import Verdict


class WorkerLostError(Exception):
    """The worker is gone, silent, or says what it may not say."""


def read_record(message: Mapping[str, Any], job: SeriesJob, level: str) -> MatchRecord:
    """The record in a worker's message.

    Raises:
        WorkerLostError: it is no record, or not one of this job at this level.
    """
    try:
        record = MatchRecord.from_dict(message["record"])
        planned = {match.match_id: match for match in job.matches}[record.match_id]
        _check_verdict(record.verdict, len(planned.seating))
        _check_rest(record, job, level)
        if record.verdict.termination.is_rated:
            _check_replay(record, job, planned)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise WorkerLostError(f"the worker sent a record that cannot be: {error}") from None
    return record


def _check_verdict(verdict: Verdict, seats: int) -> None:
    _demand(len(verdict.ranks) == len(verdict.scores) == seats, "its seats")
    numbers = (*verdict.ranks, *verdict.scores)
    _demand(all(type(number) is int for number in numbers), "its numbers")
    # What ranks are: one more than the number of seats that are better.
    ranks = tuple(1 + sum(other < rank for other in verdict.ranks) for rank in verdict.ranks)
    _demand(ranks == verdict.ranks, "its ranks")
    faulty = verdict.faulty_seat
    _demand((faulty is not None) == verdict.termination.is_fault, "its faulty seat")
    _demand(faulty is None or (type(faulty) is int and 0 <= faulty < seats), "its faulty seat")


def _check_rest(record: MatchRecord, job: SeriesJob, level: str) -> None:
    _demand(record.level == level, "its level")
    _demand(record.attempt == job.attempts.get(record.match_id, 0), "its attempt")
    _demand(type(record.replay) is str and isinstance(record.wall_s, int | float), "its replay")
    _demand(len(record.usage) == len(record.verdict.ranks), "its usage")


def _check_replay(record: MatchRecord, job: SeriesJob, planned: PlannedMatch) -> None:
    try:
        replay = parse_replay(record.replay)
    except ReplayError as error:
        raise ValueError(str(error)) from None
    header = replay.header
    _demand(header.match_id == record.match_id, "the match of its replay")
    _demand(header.deal_seed == planned.deal_seed, "the deal of its replay")
    _demand(replay.variant == job.variant, "the variant of its replay")
    _demand(replay.verdict == record.verdict.to_dict(), "the verdict of its replay")
    differences = verify(record.replay)
    _demand(not differences, differences[0] if differences else "")


def _demand(is_so: bool, what: str) -> None:
    if not is_so:
        raise ValueError(what)
