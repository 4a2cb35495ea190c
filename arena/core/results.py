"""Results of matches as ratings and standings read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from arena.core.verdict import Termination, faulty_seats


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match.

    ``index`` is its place in schedule order. ``seating``, ``ranks`` and ``scores`` have one entry
    a seat; ``seating`` holds indexes into the tournament's bots. ``level`` is the sandbox level.
    """

    match_id: str
    index: int
    unit: str
    cycle: int
    deal: int
    table: int
    seating: tuple[int, ...]
    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faulty_seat: int | None
    level: str

    @property
    def faulty_bots(self) -> tuple[int, ...]:
        """The bots that lost by their own fault, as indexes into the tournament's bots."""
        return tuple(self.seating[seat] for seat in faulty_seats(self.faulty_seat, self.ranks))


def pair_score(rank: int, other: int) -> float:
    """What a seat of one rank takes of a seat of another: 1 if it is before it, ties half."""
    return 0.5 * (1 + (rank < other) - (rank > other))


def rated(results: Iterable[MatchResult]) -> list[MatchResult]:
    """The matches that count, in schedule order: those of whole units only.

    A unit is whole when every rotation has a rated verdict. Counting a part of it would give
    somebody the better hand of a deal without giving the others their turn with it.
    """
    counted = [result for result in results if result.termination.is_rated]
    rotations = Counter(result.unit for result in counted)
    whole = [result for result in counted if rotations[result.unit] == len(result.seating)]
    return sorted(whole, key=lambda result: result.index)
