"""From a tournament to its planned matches: pure, and the same on every machine.

A *table* is a set of ``seats`` different bots. A *unit* is one deal at one table, played once in
each rotation of the seats, so that every bot of the table plays every hand of the deal; it counts
whole or not at all. All tables of a cycle get the same deals. A *series* is all deals of one table
in one rotation: what one worker plays with one set of fresh processes, so that no process meets a
deal twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

from dominobot.rules import Variant, bot_seed, deal_seed

from arena.core import ids
from arena.core.tables import draw_tables
from arena.errors import ConfigError


class BotRef(NamedTuple):
    """One entered version of a bot: its name and the digest of its bundle (64 hex digits)."""

    name: str
    digest: str


@dataclass(frozen=True)
class Tournament:
    """What decides a tournament; nothing that does not (limits, level, workers) is in here.

    ``bots`` are kept sorted by name. ``tables`` is how many tables play, None for all; ``master``
    is the master seed; ``deals`` is the number of deals in each of ``cycles`` cycles.

    Raises:
        ConfigError: two bots of one name, fewer bots than seats, or a number below 1.
    """

    name: str
    variant: Variant
    bots: tuple[BotRef, ...]
    deals: int
    tables: int | None
    master: bytes
    cycles: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "bots", tuple(sorted(self.bots)))
        names = [bot.name for bot in self.bots]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f'two bots are named "{name}"; change the name in one bot.toml')
        if len(names) < self.variant.seats:
            raise ConfigError(
                f"{self.variant.seats} seats need at least {self.variant.seats} bots, "
                f"got {len(names)}; enter more bots or choose fewer --seats"
            )
        for word, number in (("deals", self.deals), ("cycles", self.cycles)):
            if number < 1:
                raise ConfigError(f"{word} is {number}; give at least 1")
        if self.tables is not None and self.tables < 1:
            raise ConfigError(f"tables is {self.tables}; give at least 1, or all")

    def identity(self) -> dict[str, Any]:
        """What makes it the same tournament, in JSON form; the seed only as a hash."""
        return {
            "name": self.name,
            "variant": self.variant.to_dict(),
            "bots": [[bot.name, bot.digest] for bot in self.bots],
            "deals": self.deals,
            "tables": self.tables,
            "cycles": self.cycles,
            "seed_hash": ids.fields_hash("master seed", self.master).hex(),
        }


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match to be played.

    ``index`` is its place in schedule order, from 0; ``cycle``, ``deal``, ``table`` and
    ``rotation`` count from 0. ``seating[seat]`` is an index into the tournament's bots.
    ``bot_seeds[seat]`` is what the seat's bot should use for its own chance (64 bits).
    """

    match_id: str
    index: int
    unit: str
    cycle: int
    deal: int
    table: int
    rotation: int
    seating: tuple[int, ...]
    deal_seed: bytes
    bot_seeds: tuple[int, ...]


class SeriesPlan(NamedTuple):
    """All deals of one table in one rotation. ``bots`` are the table's, as indexes, ascending."""

    series_id: str
    table: int
    rotation: int
    bots: tuple[int, ...]
    matches: tuple[PlannedMatch, ...]


def plan(tournament: Tournament) -> tuple[SeriesPlan, ...]:
    """All series of a tournament, by cycle, table and rotation.

    Schedule order, which ``PlannedMatch.index`` counts, is by cycle, deal, table and rotation: a
    stop in the middle then leaves whole units behind.
    """
    drawn = draw_tables(
        len(tournament.bots), tournament.variant.seats, tournament.tables, tournament.master
    )
    identity = ids.identity_id(tournament.identity())
    return tuple(
        _series(_Place(tournament, identity, len(drawn), cycle, number, table), rotation)
        for cycle in range(tournament.cycles)
        for number, table in enumerate(drawn)
        for rotation in range(tournament.variant.seats)
    )


def n_tables(tournament: Tournament) -> int:
    """How many tables play, without drawing them."""
    every = comb(len(tournament.bots), tournament.variant.seats)
    return every if tournament.tables is None else min(every, tournament.tables)


def n_matches(tournament: Tournament) -> int:
    """How many matches ``plan`` will hold, without making it."""
    seats = tournament.variant.seats
    return tournament.cycles * tournament.deals * n_tables(tournament) * seats


def in_schedule_order(series: Collection[SeriesPlan]) -> list[PlannedMatch]:
    """The matches of all series, by index."""
    return sorted((match for one in series for match in one.matches), key=lambda match: match.index)


def remaining(series: Collection[SeriesPlan], pending: Collection[str]) -> Iterator[SeriesPlan]:
    """The series with only those matches whose id is in ``pending``; empty series are left out."""
    for one in series:
        matches = tuple(match for match in one.matches if match.match_id in pending)
        if matches:
            yield one._replace(matches=matches)


class _Place(NamedTuple):
    """One table in one cycle of a tournament."""

    tournament: Tournament
    identity: str
    n_tables: int
    cycle: int
    number: int
    table: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.tournament.bots[bot].name for bot in self.table)


def _series(place: _Place, rotation: int) -> SeriesPlan:
    return SeriesPlan(
        ids.series_id(place.identity, place.cycle, place.names, rotation),
        place.number,
        rotation,
        place.table,
        tuple(_match(place, deal, rotation) for deal in range(place.tournament.deals)),
    )


def _match(place: _Place, deal: int, rotation: int) -> PlannedMatch:
    tournament, seats = place.tournament, place.tournament.variant.seats
    where = (place.identity, place.cycle, deal, place.names)
    match_id = ids.match_id(*where, rotation)
    base = _base_seating(place, deal)
    return PlannedMatch(
        match_id=match_id,
        index=((place.cycle * tournament.deals + deal) * place.n_tables + place.number) * seats
        + rotation,
        unit=ids.unit_id(*where),
        cycle=place.cycle,
        deal=deal,
        table=place.number,
        rotation=rotation,
        seating=tuple(base[(seat + rotation) % seats] for seat in range(seats)),
        deal_seed=deal_seed(tournament.master, tournament.name, place.cycle, deal),
        bot_seeds=tuple(bot_seed(tournament.master, match_id, seat) for seat in range(seats)),
    )


def _base_seating(place: _Place, deal: int) -> list[int]:
    """The table's bots in this deal's order: by hash, so that neighbours change between deals."""

    def lot(bot: int) -> bytes:
        tournament = place.tournament
        return ids.fields_hash(
            "seating",
            tournament.master,
            place.identity,
            place.cycle,
            deal,
            *place.names,
            tournament.bots[bot].name,
        )

    return sorted(place.table, key=lot)
