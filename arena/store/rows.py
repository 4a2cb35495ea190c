"""The tables, as SQLModel rows. They are dumb: only the store reads and writes them.

A match's row and its placings exist from the moment it is planned; ``termination`` is null until
it has a verdict, and those rows are the to-do list. Blobs live in tables of their own so that
lists never read over them. Every change here needs a migration.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import JSON, Column, Index, LargeBinary, MetaData, UniqueConstraint
from sqlmodel import Field, SQLModel

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """What all rows share: one metadata of our own, with a name for every constraint."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)


class BotVersionRow(Row, table=True):
    """One version of a bot. ``manifest`` is bot.toml in JSON form."""

    __tablename__ = "bot_version"

    digest: str = Field(primary_key=True)
    name: str = Field(index=True)
    manifest: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    size_bytes: int
    n_files: int
    entered_at: str


class BundleRow(Row, table=True):
    """The files of one version, as a zip archive."""

    __tablename__ = "bundle"

    digest: str = Field(primary_key=True, foreign_key="bot_version.digest")
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class TournamentRow(Row, table=True):
    """One tournament. ``secret`` and ``master`` stay private until ``is_revealed``."""

    __tablename__ = "tournament"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    identity: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    commitment: str
    secret: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    master: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    is_revealed: bool = False
    config: str = ""
    settings: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    state: str
    chain_head: str | None = None
    created_at: str
    finished_at: str | None = None


class EntryRow(Row, table=True):
    """One bot of a tournament; ``bot`` is its index there."""

    __tablename__ = "entry"

    tournament_id: int = Field(primary_key=True, foreign_key="tournament.id")
    bot: int = Field(primary_key=True)
    name: str
    digest: str = Field(foreign_key="bot_version.digest", index=True)


class MatchRow(Row, table=True):
    """One planned match, and its verdict once it has one. ``number`` is the schedule order."""

    __tablename__ = "match"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number"),
        Index(None, "tournament_id", "termination"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(unique=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    number: int
    series_id: str = Field(index=True)
    unit: str = Field(index=True)
    cycle: int
    deal: int
    table_no: int
    rotation: int
    attempt: int = 0
    termination: str | None = None
    faulty_seat: int | None = None
    level: str | None = None
    wall_s: float | None = None
    usage: list[Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    evidence: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    core_sha256: str | None = None
    saved_at: str | None = None


class PlacingRow(Row, table=True):
    """One seat of a match: the bot that sits there, and how it did once that is known.

    ``running_elo`` is the bot's running Elo after the match, written when the tournament ends.
    """

    __tablename__ = "placing"

    match: int = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    bot: int
    rank: int | None = None
    score: int | None = None
    running_elo: float | None = None


class ReplayRow(Row, table=True):
    """The replay of a match: its text compressed by zlib, and the SHA-256 of the text."""

    __tablename__ = "replay"

    match: int = Field(primary_key=True, foreign_key="match.id")
    sha256: str
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class PastAttemptRow(Row, table=True):
    """An attempt at a match that was broken off or dropped because the arena failed."""

    __tablename__ = "past_attempt"

    match: int = Field(primary_key=True, foreign_key="match.id")
    attempt: int = Field(primary_key=True)
    record: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    dropped_at: str


class AlarmRow(Row, table=True):
    """Something that must not happen and did: two different results of one match."""

    __tablename__ = "alarm"

    id: int | None = Field(default=None, primary_key=True)
    match: int | None = Field(default=None, foreign_key="match.id")
    text: str
    raised_at: str


_TABLES = Row.metadata.tables
BOT_VERSION = _TABLES["bot_version"]
BUNDLE = _TABLES["bundle"]
TOURNAMENT = _TABLES["tournament"]
ENTRY = _TABLES["entry"]
MATCH = _TABLES["match"]
PLACING = _TABLES["placing"]
REPLAY = _TABLES["replay"]
PAST_ATTEMPT = _TABLES["past_attempt"]
ALARM = _TABLES["alarm"]
