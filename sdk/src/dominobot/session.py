"""A run of local games: who plays what, and what the games say together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from dominobot.local import Fault, GameRecord, Pace, Player, play_games, tables
from dominobot.rules import Variant

Z_95 = 1.96


@dataclass(slots=True)
class Tally:
    """The games of one player. ``won`` is alone on the first rank, ``drawn`` shares it."""

    name: str
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    faults: list[Fault] = field(default_factory=list)
    """Its own, those after the last round included."""
    lost_by_fault: int = 0
    _units: dict[tuple[int, frozenset[int]], list[float]] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Share of first places, 0 to 1; a shared one counts in part."""
        scores = [score for unit in self._units.values() for score in unit]
        return sum(scores) / len(scores) if scores else 0.0

    @property
    def margin(self) -> float | None:
        """Half width of the 95 % bar of ``share``; None with fewer than two deals.

        The games of one deal depend on one another, so a deal at a table counts as one sample. One
        win and one loss are thrown in, so that a few games won in a row are not taken for sure.
        """
        means = [sum(unit) / len(unit) for unit in self._units.values()]
        if len(means) < 2:
            return None
        means += [0.0, 1.0]
        mean = sum(means) / len(means)
        variance = sum((each - mean) ** 2 for each in means) / (len(means) - 1)
        return Z_95 * math.sqrt(variance / len(means))

    @property
    def points_per_game(self) -> float:
        """Mean points of a game."""
        return self.points / self.games if self.games else 0.0

    def fault_kinds(self) -> list[tuple[int, str, str]]:
        """Its faults as (how often, termination, reason), most frequent first."""
        kinds = Counter((fault.termination, fault.reason) for fault in self.faults)
        return [(count, *kind) for kind, count in kinds.most_common()]

    def add(self, record: GameRecord, seat: int) -> None:
        """Count a game that it played at ``seat``."""
        self.games += 1
        self.points += record.totals[seat]
        firsts = record.ranks.count(1)
        is_first = record.ranks[seat] == 1
        self.won += is_first and firsts == 1
        self.drawn += is_first and firsts > 1
        self.lost += not is_first
        unit = record.deal, frozenset(record.seating)
        self._units.setdefault(unit, []).append(1 / firsts if is_first else 0.0)
        for fault in _faults(record):
            if fault.seat == seat:
                self.faults.append(fault)
                self.lost_by_fault += fault is record.fault


def _faults(record: GameRecord) -> Iterator[Fault]:
    if record.fault is not None:
        yield record.fault
    yield from record.late_faults


class Session:
    """Players, a variant and some deals; ``play`` plays them all.

    ``names`` are the players' names, told apart where two are equal. ``records`` and ``paces`` (one
    a player) grow while it plays.
    """

    def __init__(
        self, players: Sequence[Player], variant: Variant, *, games: int, seed: str
    ) -> None:
        self.players = tuple(players)
        self.names = _distinct([player.name for player in players])
        self.variant = variant
        self.deals = -(-games // variant.seats)
        self.seed = seed
        self.records: list[GameRecord] = []
        self.paces = [Pace() for _ in players]

    @property
    def games(self) -> int:
        """Games in all: every deal from every seat at every table."""
        return self.deals * self.variant.seats * len(tables(len(self.players), self.variant.seats))

    def play(self, shown: Callable[[GameRecord], object] | None = None) -> None:
        """Play every game; ``shown`` is called after each."""
        for record in play_games(self.players, self.variant, self.deals, self.seed, self.paces):
            self.records.append(record)
            if shown is not None:
                shown(record)

    def tallies(self) -> list[Tally]:
        """One a player, in their order."""
        tallies = [Tally(name) for name in self.names]
        for record in self.records:
            for seat, player in enumerate(record.seating):
                tallies[player].add(record, seat)
        return tallies


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Number the second and later of equal names: random, random#2."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(distinct)
