"""What a worker says is checked like anything from outside: it speaks with bots all day.

A record that comes in is only believed when it is whole, about a match that was asked for, says
nothing that the referee cannot say, and comes with a replay that follows the rules and the plan.
Then all that a broken worker can still do is to blame the wrong bot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from arena.core.checking import Expected, check_replay
from arena.core.job import SeriesJob
from arena.core.record import Evidence, MatchRecord, SeatUsage
from arena.core.schedule import PlannedMatch
from arena.core.verdict import Termination, Verdict

MOST_TEXT = 1024 * 1024
"""Characters that all the texts of a record's evidence may have together."""
MOST_ENTRIES = 1000
"""Entries that any list of a record may have; none of ours comes near it."""
MOST = 2**31
"""No number of a record reaches it."""


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
        _check_types(record.verdict)
        _check_rest(record, job, level)
        _check_evidence(record.evidence, record.verdict)
        _check_replay(record, job, planned)
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as why:
        raise WorkerLostError(f"the worker sent a record that cannot be: {why}") from None
    return record


def _check_types(verdict: Verdict) -> None:
    _demand(all(map(_is_count, (*verdict.ranks, *verdict.scores))), "its numbers")
    _demand(verdict.faulty_seat is None or _is_count(verdict.faulty_seat), "its faulty seat")
    # Whoever cancels a match is this process, never a worker.
    _demand(verdict.termination is not Termination.CANCELLED, "its termination")


def _check_rest(record: MatchRecord, job: SeriesJob, level: str) -> None:
    _demand(record.level == level, "its level")
    is_due = record.attempt == job.attempts.get(record.match_id, 0)
    _demand(type(record.attempt) is int and is_due, "its attempt")
    _demand(type(record.replay) is str, "its replay")
    _demand(_is_amount(record.wall_s), "its time")
    _demand(len(record.usage) == len(record.verdict.ranks), "its usage")
    _demand(all(map(_is_usage, record.usage)), "its usage")


def _check_evidence(evidence: Evidence | None, verdict: Verdict) -> None:
    if evidence is None:
        return
    seat = evidence.seat
    _demand(seat is None or (_is_count(seat) and seat < len(verdict.ranks)), "the seat of evidence")
    is_at_fault = seat in verdict.faulty_seats or not verdict.termination.is_fault
    _demand(is_at_fault, "evidence against another seat than the faulty one")
    for number in (evidence.exit_code, evidence.signal):
        _demand(number is None or (type(number) is int and abs(number) < MOST), "its exit")
    _demand(type(evidence.counters) is dict, "its counters")
    texts = (evidence.phase, evidence.detail, *evidence.log, *evidence.counters)
    _demand(all(type(text) is str for text in texts), "its texts")
    _demand(sum(map(len, texts)) <= MOST_TEXT, "the length of its texts")
    lists = (evidence.log, evidence.clock, evidence.counters)
    _demand(all(len(entries) <= MOST_ENTRIES for entries in lists), "the length of its lists")
    _demand(all(map(_is_amount, evidence.counters.values())), "its counters")
    _demand(all(_is_amount(amount) for entry in evidence.clock for amount in entry), "its clock")


def _check_replay(record: MatchRecord, job: SeriesJob, planned: PlannedMatch) -> None:
    record.replay.encode()  # half a surrogate pair could not be stored
    differences = check_replay(record.verdict, record.replay, Expected.of_job(planned, job))
    _demand(not differences, differences[0] if differences else "")


def _is_usage(usage: SeatUsage) -> bool:
    counts, times = (usage.decisions, usage.unasked), (usage.think_ms, usage.slowest_ms)
    return all(map(_is_count, counts)) and all(map(_is_amount, times))


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < MOST


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and _is_real(value)


def _is_real(value: float) -> bool:
    return math.isfinite(value) and value >= 0


def _demand(is_so: bool, what: str) -> None:
    if not is_so:
        raise ValueError(what)
