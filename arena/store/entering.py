"""Writing bots and tournaments. Functions take the writer's open transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, func, insert, select

from arena.core.schedule import BotRef, PlannedMatch, SeriesPlan, Tournament
from arena.core.version import BotVersion
from arena.errors import ConfigError, StoreError
from arena.store.rows import BOT_VERSION, BUNDLE, ENTRY, MATCH, PLACING, TOURNAMENT
from arena.store.values import TIME_CONTROL, State, StoredTournament, Terms

_CHUNK = 5_000
_TIMES = {
    "move_s": "move time",
    "bank_s": "bank",
    "connect_s": "connect time",
    "match_s": "match time",
}


def now() -> str:
    """The time as it is stored: UTC, ISO form, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def insert_version(connection: Connection, version: BotVersion, data: bytes) -> None:
    """Store a version and its archive, unless the same bytes are there already."""
    found = select(BOT_VERSION.c.digest).where(BOT_VERSION.c.digest == version.digest)
    if connection.execute(found).first() is None:
        connection.execute(insert(BOT_VERSION).values(**version._asdict(), entered_at=now()))
        connection.execute(insert(BUNDLE).values(digest=version.digest, data=data))


def insert_tournament(
    connection: Connection, tournament: Tournament, terms: Terms, series: Iterable[SeriesPlan]
) -> None:
    """Store a new tournament with all of its planned matches.

    Raises:
        StoreError: a bot's version is not stored.
    """
    _check_versions(connection, tournament.bots)
    tournament_id = connection.execute(
        insert(TOURNAMENT)
        .values(
            name=tournament.name,
            identity=tournament.identity(),
            commitment=terms.commitment,
            secret=terms.secret,
            master=tournament.master,
            is_revealed=False,
            config=terms.config,
            settings=terms.settings,
            state=State.RUNNING.value,
            created_at=now(),
        )
        .returning(TOURNAMENT.c.id)
    ).scalar_one()
    connection.execute(
        insert(ENTRY),
        [
            {"tournament_id": tournament_id, "bot": bot, "name": ref.name, "digest": ref.digest}
            for bot, ref in enumerate(tournament.bots)
        ],
    )
    first = connection.execute(select(func.coalesce(func.max(MATCH.c.id), 0))).scalar_one() + 1
    _insert_plan(connection, series, tournament_id, first)


def check_same(stored: StoredTournament, tournament: Tournament, terms: Terms) -> None:
    """Refuse to go on with a tournament under a name that another one has.

    Whatever can change results has to be the same: what identifies it, and the time control.

    Raises:
        ConfigError: naming what differs.
    """
    is_, asked = stored.tournament.identity(), tournament.identity()
    if TIME_CONTROL in stored.terms.settings:
        is_[TIME_CONTROL] = stored.terms.settings[TIME_CONTROL]
        asked[TIME_CONTROL] = terms.settings.get(TIME_CONTROL)
    differences = [_difference(key, is_[key], asked[key]) for key in asked]
    said = "; ".join(difference for difference in differences if difference)
    if said:
        raise ConfigError(
            f'a tournament named "{tournament.name}" is stored already and is another one '
            f"({said}); give the same again to go on with it, or choose another --name"
        )


def _difference(key: str, stored: Any, asked: Any) -> str:
    if stored == asked:
        return ""
    if key == "bots":
        return "its bots are " + ", ".join(_bot_differences(dict(stored), dict(asked)))
    if key == "variant":
        parts = [
            f"its {option} is {stored.get(option)}, not {value}"
            for option, value in asked.items()
            if stored.get(option) != value
        ]
        return ", ".join(parts)
    if key == TIME_CONTROL:
        pairs = ((name, stored.get(name, value), value) for name, value in (asked or {}).items())
        return ", ".join(
            f"its {_TIMES.get(name, name)} is {is_:g} s, not {value:g} s"
            for name, is_, value in pairs
            if is_ != value
        )
    if key == "seed_hash":
        return "its seed is another"
    words = {None: "all"}
    return f"its {key} is {words.get(stored, stored)}, not {words.get(asked, asked)}"


def _bot_differences(stored: dict[str, str], asked: dict[str, str]) -> Iterator[str]:
    for name in sorted({*stored, *asked}):
        if name not in asked:
            yield f"with {name}"
        elif name not in stored:
            yield f"without {name}"
        elif stored[name] != asked[name]:
            yield f"with {name} in version {stored[name][:8]}, not {asked[name][:8]}"


def _check_versions(connection: Connection, bots: Iterable[BotRef]) -> None:
    query = select(BOT_VERSION.c.digest, BOT_VERSION.c.name)
    known = {row.digest: row.name for row in connection.execute(query)}
    for bot in bots:
        if known.get(bot.digest) != bot.name:
            raise StoreError(f"bot {bot.name} in version {bot.digest[:8]} is not stored; pack it")


def _insert_plan(
    connection: Connection, series: Iterable[SeriesPlan], tournament_id: int, first: int
) -> None:
    """Insert the rows of a plan in chunks. Row ids follow the schedule: ``first`` + index."""
    pairs = ((one, match) for one in series for match in one.matches)
    while chunk := list(islice(pairs, _CHUNK)):
        rows = [_match_row(one, match, tournament_id, first) for one, match in chunk]
        connection.execute(insert(MATCH), rows)
        connection.execute(
            insert(PLACING),
            [
                {"match": first + match.index, "seat": seat, "bot": bot}
                for _, match in chunk
                for seat, bot in enumerate(match.seating)
            ],
        )


def _match_row(
    series: SeriesPlan, match: PlannedMatch, tournament_id: int, first: int
) -> dict[str, Any]:
    return {
        "id": first + match.index,
        "match_id": match.match_id,
        "tournament_id": tournament_id,
        "number": match.index + 1,
        "series_id": series.series_id,
        "unit": match.unit,
        "cycle": match.cycle,
        "deal": match.deal,
        "table_no": match.table,
        "rotation": match.rotation,
        "attempt": 0,
    }
