"""Writing results. Functions take the writer's open transaction.

A result is inserted once. The attempt number is a fence: when the arena failed in a match, all
matches of its unit get the next number, and whatever is still reported for an older one is not
heeded.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from dominobot.replay import CHAIN_START, ReplayError, chain, core_sha256
from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from arena.core.history import running_elo
from arena.core.record import MatchRecord
from arena.core.results import MatchResult, rated
from arena.core.verdict import Termination, Verdict
from arena.errors import StoreError
from arena.store.entering import now
from arena.store.rows import ALARM, MATCH, PAST_ATTEMPT, PLACING, REPLAY, TOURNAMENT
from arena.store.values import State

MAX_ATTEMPTS = 3
"""So often a unit is played when the arena fails in it; then the failure stands, unrated."""

NO_REPLAY = "0" * 64
"""Takes a match's place in the chain when the arena's failure left no replay of it."""


def save(connection: Connection, record: MatchRecord) -> str | None:
    """Store a record, or an arena fault as a reason to play its unit again.

    Returns None when something was written, "" when there was nothing to write, and the text of
    the alarm when the record differs from the one stored.

    Raises:
        StoreError: the match is not planned here, or the attempt has never begun.
    """
    row = connection.execute(_FIND, {"wanted": record.match_id}).first()
    if row is None:
        raise StoreError(f"match {record.match_id} is not planned in this database")
    if record.attempt > row.attempt:
        raise StoreError(
            f"match {record.match_id}: attempt {record.attempt} is reported, "
            f"but {row.attempt} is the last that was begun"
        )
    termination = record.verdict.termination
    if record.attempt < row.attempt or termination is Termination.CANCELLED:
        return ""
    core = _core_sha256(record)
    if row.termination is not None:
        return _compare(connection, row, record, core)
    if termination is Termination.ARENA_FAULT and row.attempt + 1 < MAX_ATTEMPTS:
        _drop(connection, row, record)
        _replan(connection, row.unit)
    else:
        _write(connection, row.id, record, core)
    return None


def finish(connection: Connection, tournament: Row[Any]) -> str:
    """Close a tournament: chain its replays in schedule order and reveal its seed.

    Returns the head of the chain, 64 hex digits.

    Raises:
        StoreError: matches are still to be played.
    """
    rows = connection.execute(
        select(MATCH.c.termination, MATCH.c.core_sha256)
        .where(MATCH.c.tournament_id == tournament.id)
        .order_by(MATCH.c.number)
    ).all()
    pending = sum(row.termination is None for row in rows)
    if pending:
        raise StoreError(
            f'tournament "{tournament.name}" still has {pending} matches to play; run it again'
        )
    head = chain_head(row.core_sha256 for row in rows)
    connection.execute(
        update(TOURNAMENT)
        .where(TOURNAMENT.c.id == tournament.id)
        .values(chain_head=head, is_revealed=True, state=State.FINISHED.value, finished_at=now())
    )
    return head


def write_history(connection: Connection, results: Sequence[MatchResult], n_bots: int) -> None:
    """Keep each bot's running Elo with every rated match, given in schedule order."""
    rows = [
        {"for_match": match_id, "for_seat": seat, "elo": elo}
        for match_id, _, after in running_elo(rated(results), n_bots)
        for seat, elo in enumerate(after)
    ]
    if rows:
        match = select(MATCH.c.id).where(MATCH.c.match_id == bindparam("for_match"))
        connection.execute(
            update(PLACING)
            .where(
                PLACING.c.match == match.scalar_subquery(),
                PLACING.c.seat == bindparam("for_seat"),
            )
            .values(running_elo=bindparam("elo")),
            rows,
        )


def chain_head(cores: Iterable[str | None]) -> str:
    """The head of the chain over the replays' core hashes, in schedule order."""
    head = CHAIN_START
    for core in cores:
        head = chain(head, core or NO_REPLAY)
    return head


def pack_replay(text: str) -> tuple[str, bytes]:
    """A replay as it is stored: the SHA-256 of its text, and the text compressed."""
    data = text.encode()
    return hashlib.sha256(data).hexdigest(), zlib.compress(data)


def _core_sha256(record: MatchRecord) -> str | None:
    if not record.replay:
        return None
    try:
        return core_sha256(record.replay)
    except ReplayError as error:
        raise StoreError(f"match {record.match_id} came with a broken replay: {error}") from error


# Built once: composing these statements anew costs more than running them.
_FIND = select(MATCH).where(MATCH.c.match_id == bindparam("wanted"))
_SET_VERDICT = update(MATCH).where(MATCH.c.id == bindparam("row"))
_SET_PLACING = update(PLACING).where(
    PLACING.c.match == bindparam("row"), PLACING.c.seat == bindparam("at")
)


def _write(connection: Connection, match: int, record: MatchRecord, core: str | None) -> None:
    verdict = record.verdict
    connection.execute(
        _SET_VERDICT,
        {
            "row": match,
            "termination": verdict.termination.value,
            "faulty_seat": verdict.faulty_seat,
            "level": record.level,
            "wall_s": record.wall_s,
            "usage": [list(seat) for seat in record.usage],
            "evidence": None if record.evidence is None else record.evidence.to_dict(),
            "core_sha256": core,
            "saved_at": now(),
        },
    )
    placings = enumerate(zip(verdict.ranks, verdict.scores, strict=True))
    connection.execute(
        _SET_PLACING,
        [
            {"row": match, "at": seat, "rank": rank, "score": score}
            for seat, (rank, score) in placings
        ],
    )
    if record.replay:
        sha256, data = pack_replay(record.replay)
        connection.execute(insert(REPLAY), {"match": match, "sha256": sha256, "data": data})


def _compare(connection: Connection, row: Row[Any], record: MatchRecord, core: str | None) -> str:
    stored = stored_verdict(connection, row)
    if (stored, row.core_sha256) == (record.verdict, core):
        return ""
    text = (
        f"match {record.match_id}, attempt {record.attempt}: a second result differs from the "
        f"stored one: {_said(record.verdict)}, stored {_said(stored)}"
        + (" with the same plays" if core == row.core_sha256 else " with other plays")
    )
    connection.execute(insert(ALARM).values(match=row.id, text=text, raised_at=now()))
    return text


def stored_verdict(connection: Connection, row: Row[Any]) -> Verdict:
    """The verdict of a match's row that has one."""
    seats = connection.execute(
        select(PLACING.c.rank, PLACING.c.score)
        .where(PLACING.c.match == row.id)
        .order_by(PLACING.c.seat)
    ).all()
    return Verdict(
        Termination(row.termination),
        tuple(seat.rank for seat in seats),
        tuple(seat.score for seat in seats),
        row.faulty_seat,
    )


def _said(verdict: Verdict) -> str:
    scores = "-".join(str(score) for score in verdict.scores)
    return f"{verdict.termination.value} {scores}"


def _drop(connection: Connection, row: Row[Any], record: MatchRecord) -> None:
    """Keep what is known of an attempt that the arena failed in, without its replay's text."""
    data = {**record.to_dict(), "replay": ""}
    connection.execute(
        insert(PAST_ATTEMPT).values(
            match=row.id, attempt=row.attempt, record=data, dropped_at=now()
        )
    )


def _replan(connection: Connection, unit: str) -> None:
    for row in connection.execute(select(MATCH).where(MATCH.c.unit == unit)).all():
        if row.termination is not None:
            data = {
                "verdict": stored_verdict(connection, row).to_dict(),
                "evidence": row.evidence,
                "level": row.level,
            }
            connection.execute(
                insert(PAST_ATTEMPT).values(
                    match=row.id, attempt=row.attempt, record=data, dropped_at=now()
                )
            )
        connection.execute(delete(REPLAY).where(REPLAY.c.match == row.id))
        connection.execute(
            update(PLACING).where(PLACING.c.match == row.id).values(rank=None, score=None)
        )
    blank = ("termination", "faulty_seat", "level", "wall_s", "usage", "evidence", "core_sha256")
    connection.execute(
        update(MATCH)
        .where(MATCH.c.unit == unit)
        .values(attempt=MATCH.c.attempt + 1, saved_at=None, **dict.fromkeys(blank))
    )
