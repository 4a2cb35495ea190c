"""The store: one file with bots, tournaments, plans, results and replays.

Values go in and values come out; nothing else in the arena sees a row or writes SQL. Every
writing method is one transaction, so that a killed process leaves the file as it was before it or
as it is after it. All methods raise StoreError, one line with the way out, when the database
cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from sqlalchemy import Connection, select

from arena.core.record import MatchRecord
from arena.core.results import MatchResult
from arena.core.schedule import BotRef, SeriesPlan, Tournament
from arena.core.verdict import Termination
from arena.core.version import BotVersion
from arena.errors import ResultConflict, StoreError
from arena.store import entering, reading, saving
from arena.store.claim import claimed, making
from arena.store.engine import reader_engine, told, writer_engine
from arena.store.place import check_place, database_path, make_file, remove_database
from arena.store.rows import BOT_VERSION, BUNDLE, MATCH, REPLAY
from arena.store.schema import HEAD, revision, upgrade
from arena.store.values import (
    Alarm,
    BotLine,
    MatchFilter,
    MatchLine,
    StoredMatch,
    StoredTournament,
    Terms,
    TournamentLine,
)


class Store:
    """One open database. A context manager; made by ``Store.open``. Not for several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = writer_engine(path)
        self._reader = reader_engine(path)

    @classmethod
    def open(cls, where: str | Path, *, create: bool = False) -> Store:
        """Open the database at a path or ``sqlite:///`` URL; an old one is brought up to date.

        With ``create`` a missing or empty file is made into a new database that only its owner may
        read, for it holds seeds that are still secret; if that fails, no file is left behind.

        Raises:
            StoreError: nothing there (without ``create``), a missing folder, not our database, a
                newer release's, locked, full disk, no permission.
        """
        path = database_path(where)
        if check_place(path, create=create):
            return cls._opened(path, create=create)
        with making(path):
            is_new = make_file(path)
            try:
                return cls._opened(path, create=create)
            except BaseException:
                if is_new:
                    remove_database(path)
                raise

    @classmethod
    def _opened(cls, path: Path, *, create: bool) -> Store:
        store = cls(path)
        try:
            store._prepare(create)
        except BaseException:
            store.close()
            raise
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the write-ahead log is merged into the file."""
        self._reader.dispose()
        self._writer.dispose()

    # ------------------------------------------------------------------------ bots

    def add_version(self, version: BotVersion, data: bytes) -> BotRef:
        """Store a version of a bot with its archive; the same digest is stored once."""
        with self._write() as connection:
            entering.insert_version(connection, version, data)
        return version.ref

    def version(self, digest: str) -> BotVersion:
        """One version. Raises StoreError when it is not stored."""
        with self._read() as connection:
            query = select(BOT_VERSION).where(BOT_VERSION.c.digest == digest)
            row = connection.execute(query).first()
        if row is None:
            raise StoreError(f"no bot version {digest[:8]} in {self.path}; see `arena bots`")
        return reading.as_version(row)

    def bundle(self, digest: str) -> bytes:
        """The archive of one version. Raises StoreError when it is not stored."""
        with self._read() as connection:
            query = select(BUNDLE.c.data).where(BUNDLE.c.digest == digest)
            data = connection.execute(query).scalar_one_or_none()
        if data is None:
            raise StoreError(f"no bot version {digest[:8]} in {self.path}; see `arena bots`")
        return bytes(data)

    def bots(self) -> tuple[BotLine, ...]:
        """All versions of all bots, by name and time of entry."""
        with self._read() as connection:
            return reading.bot_lines(connection)

    # ----------------------------------------------------------------- tournaments

    def find(self, name: str) -> StoredTournament | None:
        """The tournament of that name, None when there is none."""
        with self._read() as connection:
            row = reading.tournament_row(connection, name)
            return None if row is None else reading.as_tournament(row)

    def tournament(self, name: str | None = None) -> StoredTournament:
        """The tournament of that name, or the one that was begun last.

        Raises:
            StoreError: there is none; the text says which there are.
        """
        names = [line.name for line in self.tournaments()]
        if not names:
            raise StoreError(f"{self.path} has no tournament yet; play one with `arena run`")
        found = self.find(names[-1] if name is None else name)
        if found is None:
            raise StoreError(
                f'there is no tournament "{name}" in {self.path}; it has: {", ".join(names[-10:])}'
            )
        return found

    def tournaments(self) -> tuple[TournamentLine, ...]:
        """All tournaments, oldest first."""
        with self._read() as connection:
            return reading.tournaments(connection)

    def resume(self, tournament: Tournament, terms: Terms) -> StoredTournament | None:
        """The tournament as it is stored, to go on with it; None when none has its name.

        Raises:
            ConfigError: another tournament has that name, or this one is played with another time
                control; the text says what differs.
        """
        with self._read() as connection:
            row = reading.tournament_row(connection, tournament.name)
            if row is None:
                return None
            stored = reading.as_tournament(row)
        entering.check_same(stored, tournament, terms)
        return stored

    def begin(
        self,
        tournament: Tournament,
        terms: Terms,
        series: Sequence[SeriesPlan],
        versions: Iterable[tuple[BotVersion, bytes]] = (),
    ) -> StoredTournament:
        """Store a tournament with its plan, or find it again to go on with it.

        ``versions`` are bots and their archives to be stored with a new one. When it is stored
        already, the stored terms count, and ``is_new`` is False.

        Raises:
            ConfigError: as ``resume``; then nothing is stored.
            StoreError: a bot's version is not stored.
        """
        with self._write() as connection:
            row = reading.tournament_row(connection, tournament.name)
            if row is not None:
                stored = reading.as_tournament(row)
                entering.check_same(stored, tournament, terms)
                return stored
            for version, data in versions:
                entering.insert_version(connection, version, data)
            entering.insert_tournament(connection, tournament, terms, series)
            row = reading.tournament_row(connection, tournament.name)
            assert row is not None
            return reading.as_tournament(row)._replace(is_new=True)

    def pending(self, name: str) -> dict[str, int]:
        """The to-do list in schedule order: the id of each match without a verdict, and the
        attempt that it is to be played as.
        """
        with self._read() as connection:
            rows = connection.execute(
                select(MATCH.c.match_id, MATCH.c.attempt)
                .where(
                    MATCH.c.tournament_id == self._tournament_id(connection, name),
                    MATCH.c.termination.is_(None),
                )
                .order_by(MATCH.c.number)
            )
            return {row.match_id: row.attempt for row in rows}

    def claim(self, name: str) -> AbstractContextManager[None]:
        """Hold the right to play a tournament while the block lasts; it ends with the process.

        Raises (on entering):
            StoreError: another process is playing it.
        """
        return claimed(self.path, name)

    def finish(self, name: str) -> str:
        """Close a tournament: chain its replays, write the running Elo, reveal the seed.

        Returns the head of the chain (64 hex digits). A finished one gives its head again.

        Raises:
            StoreError: matches are still to be played.
        """
        with self._write() as connection:
            row = reading.tournament_row(connection, name)
            if row is None:
                raise StoreError(f'there is no tournament "{name}" in {self.path}')
            if row.chain_head is not None:
                return str(row.chain_head)
            head = saving.finish(connection, row)
            bots = len(row.identity["bots"])
            saving.write_history(connection, reading.results(connection, row.id), bots)
            return head

    # --------------------------------------------------------------------- results

    def save(self, record: MatchRecord) -> bool:
        """Store the result of a match, once.

        Returns False when there was nothing to write: the same result is stored, the attempt is an
        older one than the match is at (a lost worker that came back), or the match was cancelled
        (it stays on the to-do list).

        An ARENA_FAULT is no result. It is kept as evidence and, in the same transaction, all
        matches of its unit lose their verdicts and are planned again with the next attempt
        number, so ask ``pending`` again; at the last of ``MAX_ATTEMPTS`` it stands as the verdict,
        which is never rated.

        Raises:
            ResultConflict: a differing result for the same attempt; an alarm is stored.
            StoreError: the match is not planned here.
        """
        with self._write() as connection:
            said = saving.save(connection, record)
        if said:
            raise ResultConflict(said)
        return said is None

    def faults_in_series(self, series_id: str) -> dict[int, tuple[Termination, ...]]:
        """The faults of each bot (by its index) in a series, in schedule order; none: no entry."""
        with self._read() as connection:
            return reading.faults_in_series(connection, series_id)

    def results(self, name: str) -> tuple[MatchResult, ...]:
        """All verdicts of a tournament, in schedule order."""
        with self._read() as connection:
            return reading.results(connection, self._tournament_id(connection, name))

    def alarms(self) -> tuple[Alarm, ...]:
        """What must not happen and did, oldest first."""
        with self._read() as connection:
            return reading.alarms(connection)

    # --------------------------------------------------------------------- matches

    def matches(self, wanted: MatchFilter = MatchFilter()) -> tuple[MatchLine, ...]:  # noqa: B008
        """Matches with a verdict, by tournament and schedule order."""
        with self._read() as connection:
            return reading.match_lines(connection, wanted)

    def count_matches(self, wanted: MatchFilter = MatchFilter()) -> int:  # noqa: B008
        """How many matches ``matches`` would give without its limit."""
        with self._read() as connection:
            return reading.count_matches(connection, wanted)

    def match(self, reference: str, tournament: str | None = None) -> StoredMatch:
        """One match by the start of its id, or by its schedule number in a tournament.

        Up to seven digits, or "#" and digits, are a number, in ``tournament`` or in the one that
        was begun last.

        Raises:
            StoreError: no such match, several, or its stored replay is damaged.
        """
        number = _as_number(reference)
        if number is not None:
            name = self.tournament(tournament).tournament.name
        with self._read() as connection:
            query = select(MATCH)
            if number is not None:
                in_tournament = MATCH.c.tournament_id == self._tournament_id(connection, name)
                query = query.where(in_tournament, MATCH.c.number == number)
            else:
                query = query.where(MATCH.c.match_id == self._match_id(connection, reference))
            row = connection.execute(query).first()
            if row is None:
                raise StoreError(
                    f'tournament "{name}" has no match #{number}; `arena matches` lists them'
                )
            return reading.stored_match(connection, row)

    def match_ids(self, name: str) -> tuple[str, ...]:
        """The ids of all planned matches of a tournament, in schedule order."""
        with self._read() as connection:
            ids = connection.execute(
                select(MATCH.c.match_id)
                .where(MATCH.c.tournament_id == self._tournament_id(connection, name))
                .order_by(MATCH.c.number)
            )
            return tuple(ids.scalars())

    def chain_head(self, name: str) -> str:
        """The head of the chain over the stored core hashes of a tournament, computed anew."""
        with self._read() as connection:
            cores = connection.execute(
                select(MATCH.c.core_sha256)
                .where(MATCH.c.tournament_id == self._tournament_id(connection, name))
                .order_by(MATCH.c.number)
            )
            return saving.chain_head(cores.scalars())

    def replay(self, match_id: str) -> str:
        """The replay of one match, by its whole id. Raises StoreError when there is none."""
        with self._read() as connection:
            data = connection.execute(
                select(REPLAY.c.data)
                .join(MATCH, MATCH.c.id == REPLAY.c.match)
                .where(MATCH.c.match_id == match_id)
            ).scalar_one_or_none()
        if data is None:
            raise StoreError(f"there is no replay of match {match_id} in {self.path}")
        return reading.unpack_replay(data, match_id)

    # --------------------------------------------------------------------- private

    def _prepare(self, create: bool) -> None:
        found = None
        with told(self.path):
            if self.path.stat().st_size:
                with self._read() as connection:
                    found = revision(connection, self.path)
            if found is None and not create:
                raise StoreError(
                    f"{self.path} is empty; play a tournament with `arena run`, "
                    "or give another --db"
                )
            if found != HEAD:
                upgrade(self._writer, self.path)

    def _tournament_id(self, connection: Connection, name: str) -> int:
        row = reading.tournament_row(connection, name)
        if row is None:
            raise StoreError(f'there is no tournament "{name}" in {self.path}')
        return int(row.id)

    def _match_id(self, connection: Connection, start: str) -> str:
        found = reading.match_ids(connection, start.lower(), limit=2)
        if not start or not found:
            raise StoreError(
                f'no match in {self.path} has an id that starts with "{start}"; '
                "`arena matches` lists them"
            )
        if len(found) > 1:
            raise StoreError(f'several matches have an id that starts with "{start}"; give more')
        return found[0]

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with told(self.path), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with told(self.path), self._writer.begin() as connection:
            yield connection


def _as_number(reference: str) -> int | None:
    digits = reference.removeprefix("#")
    if digits.isascii() and digits.isdigit() and (reference != digits or len(digits) < 8):
        return int(digits)
    return None
