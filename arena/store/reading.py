"""Reading: from rows to values. Functions take an open read transaction."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from dominobot.rules import Variant
from sqlalchemy import (
    INTEGER,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    cast,
    func,
    select,
)

from arena.core.record import Evidence, SeatUsage
from arena.core.results import MatchResult
from arena.core.schedule import BotRef, Tournament
from arena.core.verdict import Termination
from arena.core.version import BotVersion
from arena.errors import StoreError
from arena.store.rows import (
    ALARM,
    BOT_VERSION,
    ENTRY,
    MATCH,
    PAST_ATTEMPT,
    PLACING,
    REPLAY,
    TOURNAMENT,
)
from arena.store.saving import stored_verdict
from arena.store.values import (
    Alarm,
    BotLine,
    MatchFilter,
    MatchLine,
    State,
    StoredMatch,
    StoredTournament,
    Terms,
    TournamentLine,
)


def tournament_row(connection: Connection, name: str) -> Row[Any] | None:
    """The row of a tournament, None when there is none of that name."""
    return connection.execute(select(TOURNAMENT).where(TOURNAMENT.c.name == name)).first()


def as_tournament(row: Row[Any]) -> StoredTournament:
    """A tournament from its row."""
    identity = row.identity
    return StoredTournament(
        Tournament(
            name=row.name,
            variant=Variant.from_dict(identity["variant"]),
            bots=tuple(BotRef(*bot) for bot in identity["bots"]),
            deals=identity["deals"],
            tables=identity["tables"],
            master=row.master,
            cycles=identity["cycles"],
        ),
        Terms(row.secret, row.commitment, row.config, row.settings),
        State(row.state),
        row.is_revealed,
        row.chain_head,
        row.created_at,
        row.finished_at,
    )


def tournaments(connection: Connection) -> tuple[TournamentLine, ...]:
    """All tournaments, oldest first."""
    counts = {
        row.tournament_id: row
        for row in connection.execute(
            select(
                MATCH.c.tournament_id,
                func.count().label("planned"),
                func.count(MATCH.c.termination).label("played"),
            ).group_by(MATCH.c.tournament_id)
        )
    }
    return tuple(
        TournamentLine(
            row.name,
            row.identity["variant"]["name"],
            row.identity["variant"]["seats"],
            len(row.identity["bots"]),
            counts[row.id].planned,
            counts[row.id].played,
            State(row.state),
            row.created_at,
        )
        for row in connection.execute(select(TOURNAMENT).order_by(TOURNAMENT.c.id))
    )


def results(connection: Connection, tournament_id: int) -> tuple[MatchResult, ...]:
    """All verdicts of a tournament, in schedule order."""
    query = (
        select(MATCH, PLACING.c.bot, PLACING.c.rank, PLACING.c.score)
        .join(PLACING, PLACING.c.match == MATCH.c.id)
        .where(MATCH.c.tournament_id == tournament_id, MATCH.c.termination.is_not(None))
        .order_by(MATCH.c.number, PLACING.c.seat)
    )
    return tuple(
        MatchResult(
            match_id=row.match_id,
            index=row.number - 1,
            unit=row.unit,
            cycle=row.cycle,
            deal=row.deal,
            table=row.table_no,
            seating=tuple(seat.bot for seat in seats),
            termination=Termination(row.termination),
            ranks=tuple(seat.rank for seat in seats),
            scores=tuple(seat.score for seat in seats),
            faulty_seat=row.faulty_seat,
            level=row.level,
        )
        for row, seats in _by_match(connection.execute(query))
    )


def faults_in_series(connection: Connection, series_id: str) -> dict[int, tuple[Termination, ...]]:
    """The terminations of the matches that each bot lost by its own fault, in schedule order."""
    faulty = PLACING.alias("faulty")
    rows = connection.execute(
        select(PLACING.c.bot, MATCH.c.termination)
        .join(MATCH, MATCH.c.id == PLACING.c.match)
        .join(faulty, _is_faulty(faulty))
        # Seats that fail together share the last rank, and nobody else has it.
        .where(MATCH.c.series_id == series_id, PLACING.c.rank == faulty.c.rank)
        .order_by(MATCH.c.number, PLACING.c.seat)
    )
    faults: dict[int, tuple[Termination, ...]] = {}
    for row in rows:
        faults[row.bot] = (*faults.get(row.bot, ()), Termination(row.termination))
    return faults


def _is_faulty(placing: FromClause) -> ColumnElement[bool]:
    """That a placing is the one of its match's (first) faulty seat."""
    return and_(placing.c.match == MATCH.c.id, placing.c.seat == MATCH.c.faulty_seat)


def match_lines(connection: Connection, wanted: MatchFilter) -> tuple[MatchLine, ...]:
    """Matches with a verdict, by tournament and schedule order."""
    chosen = _apply(
        select(MATCH.c.id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .where(MATCH.c.termination.is_not(None))
        .order_by(MATCH.c.tournament_id, MATCH.c.number)
        .limit(wanted.limit),
        wanted,
    )
    query = (
        select(
            MATCH,
            TOURNAMENT.c.name.label("tournament"),
            ENTRY.c.name.label("bot"),
            PLACING.c.rank,
            PLACING.c.score,
        )
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .join(PLACING, PLACING.c.match == MATCH.c.id)
        .join(ENTRY, (ENTRY.c.tournament_id == TOURNAMENT.c.id) & (ENTRY.c.bot == PLACING.c.bot))
        .where(MATCH.c.id.in_(chosen))
        .order_by(MATCH.c.tournament_id, MATCH.c.number, PLACING.c.seat)
    )
    return tuple(
        MatchLine(
            tournament=row.tournament,
            number=row.number,
            match_id=row.match_id,
            bots=tuple(seat.bot for seat in seats),
            termination=Termination(row.termination),
            ranks=tuple(seat.rank for seat in seats),
            scores=tuple(seat.score for seat in seats),
            faulty_seat=row.faulty_seat,
            level=row.level,
            attempt=row.attempt,
            wall_s=row.wall_s,
        )
        for row, seats in _by_match(connection.execute(query))
    )


def count_matches(connection: Connection, wanted: MatchFilter) -> int:
    """How many matches with a verdict a list would show without its limit."""
    chosen = _apply(
        select(func.count())
        .select_from(MATCH)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .where(MATCH.c.termination.is_not(None)),
        wanted,
    )
    return int(connection.execute(chosen).scalar_one())


def match_ids(connection: Connection, start: str, limit: int) -> list[str]:
    """The ids of at most ``limit`` matches whose id starts so."""
    escaped = start.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    query = select(MATCH.c.match_id).where(MATCH.c.match_id.like(f"{escaped}%", escape="\\"))
    return list(connection.execute(query.limit(limit)).scalars())


def stored_match(connection: Connection, row: Row[Any]) -> StoredMatch:
    """Everything about one match, from its row."""
    tournament = connection.execute(
        select(TOURNAMENT.c.name).where(TOURNAMENT.c.id == row.tournament_id)
    ).scalar_one()
    bots = connection.execute(
        select(ENTRY.c.name)
        .join(PLACING, PLACING.c.bot == ENTRY.c.bot)
        .where(ENTRY.c.tournament_id == row.tournament_id, PLACING.c.match == row.id)
        .order_by(PLACING.c.seat)
    ).scalars()
    replay = connection.execute(select(REPLAY).where(REPLAY.c.match == row.id)).first()
    past = select(func.count()).select_from(PAST_ATTEMPT).where(PAST_ATTEMPT.c.match == row.id)
    is_played = row.termination is not None
    return StoredMatch(
        tournament=tournament,
        number=row.number,
        match_id=row.match_id,
        unit=row.unit,
        deal=row.deal,
        cycle=row.cycle,
        rotation=row.rotation,
        bots=tuple(bots),
        attempt=row.attempt,
        verdict=stored_verdict(connection, row) if is_played else None,
        level=row.level or "",
        wall_s=row.wall_s or 0.0,
        usage=tuple(SeatUsage(*seat) for seat in row.usage or ()),
        evidence=None if row.evidence is None else Evidence.from_dict(row.evidence),
        replay=None if replay is None else unpack_replay(replay.data, row.match_id),
        replay_sha256=None if replay is None else replay.sha256,
        core_sha256=row.core_sha256,
        past_attempts=connection.execute(past).scalar_one(),
    )


def unpack_replay(data: bytes, match_id: str) -> str:
    """The text of a stored replay.

    Raises:
        StoreError: it cannot be unpacked: bytes have changed since it was stored.
    """
    try:
        return zlib.decompress(data).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(
            f"match {match_id}: its stored replay is damaged and cannot be unpacked ({error})"
        ) from error


def bot_lines(connection: Connection) -> tuple[BotLine, ...]:
    """All versions of all bots, by name and time of entry, with what they have played."""
    faulty = PLACING.alias("faulty")
    played = {
        row.digest: row
        for row in connection.execute(
            select(
                ENTRY.c.digest,
                func.count(ENTRY.c.tournament_id.distinct()).label("tournaments"),
                func.count(MATCH.c.termination).label("matches"),
                func.sum(cast(PLACING.c.rank == faulty.c.rank, INTEGER)).label("faults"),
            )
            .join(MATCH, MATCH.c.tournament_id == ENTRY.c.tournament_id)
            .join(PLACING, (PLACING.c.match == MATCH.c.id) & (PLACING.c.bot == ENTRY.c.bot))
            .outerjoin(faulty, _is_faulty(faulty))
            .group_by(ENTRY.c.digest)
        )
    }
    order = (BOT_VERSION.c.name, BOT_VERSION.c.entered_at, BOT_VERSION.c.digest)
    return tuple(
        BotLine(
            row.name,
            row.digest,
            str(row.manifest.get("author", "")),
            str(row.manifest.get("runtime", "")),
            row.size_bytes,
            row.n_files,
            row.entered_at,
            played[row.digest].tournaments if row.digest in played else 0,
            played[row.digest].matches if row.digest in played else 0,
            (played[row.digest].faults or 0) if row.digest in played else 0,
        )
        for row in connection.execute(select(BOT_VERSION).order_by(*order))
    )


def as_version(row: Row[Any]) -> BotVersion:
    """A bot's version from its row."""
    return BotVersion(row.name, row.digest, row.manifest, row.size_bytes, row.n_files)


def alarms(connection: Connection) -> tuple[Alarm, ...]:
    """All alarms, oldest first."""
    query = (
        select(MATCH.c.match_id, ALARM.c.text, ALARM.c.raised_at)
        .select_from(ALARM)
        .outerjoin(MATCH, MATCH.c.id == ALARM.c.match)
        .order_by(ALARM.c.id)
    )
    return tuple(Alarm(*row) for row in connection.execute(query))


def _by_match(rows: Iterable[Row[Any]]) -> Iterator[tuple[Row[Any], list[Row[Any]]]]:
    """Group rows of (match, seat) by their match."""
    for _, group in groupby(rows, key=lambda row: row.match_id):
        seats = list(group)
        yield seats[0], seats


def _apply(query: Select[Any], wanted: MatchFilter) -> Select[Any]:
    if wanted.tournament is not None:
        query = query.where(TOURNAMENT.c.name == wanted.tournament)
    if wanted.termination is not None:
        query = query.where(MATCH.c.termination == wanted.termination.value)
    if wanted.bot is not None:
        seats = (
            select(PLACING.c.match)
            .join(MATCH, MATCH.c.id == PLACING.c.match)
            .join(
                ENTRY,
                (ENTRY.c.tournament_id == MATCH.c.tournament_id) & (ENTRY.c.bot == PLACING.c.bot),
            )
            .where(ENTRY.c.name == wanted.bot)
        )
        query = query.where(MATCH.c.id.in_(seats))
    return query
