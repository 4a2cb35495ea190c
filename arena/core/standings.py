"""From results to standings: one value, shown as a table in a terminal, as a page, JSON or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dominobot.rules import Variant

from arena.core.history import Moved, running_elo
from arena.core.rating import (
    MEAN,
    SURE,
    Anchor,
    Game,
    Group,
    Ratings,
    Why,
    fit,
)
from arena.core.rating_bars import Basis
from arena.core.results import MatchResult, pair_score, rated
from arena.core.schedule import BotRef, Tournament, n_matches


class Record(NamedTuple):
    """What one bot has done in the rated matches.

    ``wins`` are matches as the only first, ``draws`` as one of several first, ``losses`` all
    others: with more than two seats a second place is a loss here, and counts as a second place in
    the rating. ``points`` are summed over matches, ``faults`` are matches lost by its own fault.
    """

    matches: int = 0
    deals: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: int = 0
    faults: int = 0

    @property
    def points_a_match(self) -> float | None:
        """Points a match, None without a match."""
        return self.points / self.matches if self.matches else None


class Bound(NamedTuple):
    """A bound from one side on a bot that stands alone: 95 % sure on the scale of ``group``."""

    is_least: bool
    rating: float
    group: int


class Row(NamedTuple):
    """One bot in the standings.

    ``rank`` counts from 1; ``best_rank`` and ``worst_rank`` are the ranks that the bars leave
    open. ``los_to_next`` is the likelihood that it is better than the next bot of its group.
    """

    rank: int
    best_rank: int
    worst_rank: int
    bot: BotRef
    rating: float
    bar: float | None
    why_no_bar: Why | None
    bound: Bound | None
    record: Record
    los_to_next: float | None


class GroupRows(NamedTuple):
    """Bots on one scale. ``above`` are the numbers of the groups that it is certainly above.

    ``least_gaps`` says of those it met how far above them at least (Elo points, 95 %).
    """

    rows: tuple[Row, ...]
    basis: Basis | None
    clusters: int
    above: tuple[int, ...]
    least_gaps: tuple[tuple[int, float], ...]


class Meeting(NamedTuple):
    """One bot against another: matches together, and the share of points by final rank."""

    matches: int
    share: float


@dataclass(frozen=True)
class Standings:
    """The standings of a tournament.

    ``played`` of ``planned`` matches have a verdict, ``counted`` of them are rated: those of whole
    deals. ``cross[i][j]`` is how the bot in row i did against the bot in row j, rows of all groups
    counted through; None where they never met. ``history`` is the running Elo after each rated
    match, with indexes into ``bots`` (sorted by name).
    """

    tournament: str
    variant: Variant
    bots: tuple[BotRef, ...]
    planned: int
    played: int
    counted: int
    deals: int
    levels: tuple[str, ...]
    groups: tuple[GroupRows, ...]
    cross: tuple[tuple[Meeting | None, ...], ...]
    history: tuple[Moved, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all groups, from top to bottom."""
        return tuple(row for group in self.groups for row in group.rows)


def standings(
    tournament: Tournament, results: Sequence[MatchResult], anchor: str | None = None
) -> Standings:
    """Rate the whole units among ``results`` and put everything about them together.

    ``anchor`` names a bot whose rating is fixed at 1500; without it the mean of a group is.

    Raises:
        ValueError: no bot has the anchor's name.
    """
    counted = rated(results)
    bots = tournament.bots
    fixed = None
    if anchor is not None:
        fixed = Anchor([bot.name for bot in bots].index(anchor))
    ratings = fit(len(bots), [_game(result) for result in counted], fixed)
    records = _records(counted, len(bots))
    order = [bot for group in ratings.groups for bot in group.bots]
    return Standings(
        tournament=tournament.name,
        variant=tournament.variant,
        bots=bots,
        planned=n_matches(tournament),
        played=len(results),
        counted=len(counted),
        deals=len({(result.cycle, result.deal) for result in counted}),
        levels=tuple(sorted({result.level for result in counted})),
        groups=_groups(ratings, bots, records),
        cross=_cross(counted, order),
        history=running_elo(counted, len(bots)),
    )


def _game(result: MatchResult) -> Game:
    return Game((result.cycle, result.deal), result.table, result.seating, result.ranks)


def _records(results: Iterable[MatchResult], n_bots: int) -> list[Record]:
    records = [Record()] * n_bots
    deals: list[set[tuple[int, int]]] = [set() for _ in range(n_bots)]
    for result in results:
        firsts = result.ranks.count(1)
        for bot, rank, score in zip(result.seating, result.ranks, result.scores, strict=True):
            deals[bot].add((result.cycle, result.deal))
            old = records[bot]
            records[bot] = Record(
                matches=old.matches + 1,
                deals=len(deals[bot]),
                wins=old.wins + (rank == 1 and firsts == 1),
                draws=old.draws + (rank == 1 and firsts > 1),
                losses=old.losses + (rank > 1),
                points=old.points + score,
                faults=old.faults + (bot in result.faulty_bots),
            )
    return records


def _groups(
    ratings: Ratings, bots: tuple[BotRef, ...], records: list[Record]
) -> tuple[GroupRows, ...]:
    ranks = _ranks(ratings, len(bots))
    groups = []
    for number, group in enumerate(ratings.groups):
        rows = tuple(
            Row(
                *ranks[rating.bot],
                bots[rating.bot],
                rating.rating,
                rating.bar,
                rating.why_no_bar,
                _bound(ratings, number),
                records[rating.bot],
                group.los(place, place + 1) if place + 1 < len(group.ratings) else None,
            )
            for place, rating in enumerate(group.ratings)
        )
        above = tuple(h for h, is_above in enumerate(ratings.is_above[number]) if is_above)
        gaps = tuple((gap.below, gap.least) for gap in ratings.gaps if gap.above == number)
        groups.append(GroupRows(rows, group.basis, group.clusters, above, gaps))
    return tuple(groups)


def _ranks(ratings: Ratings, n_bots: int) -> dict[int, tuple[int, int, int]]:
    """Rank, best and worst rank of each bot."""
    ranks = {}
    before = 0
    for number, group in enumerate(ratings.groups):
        better = sum(
            len(other.bots) for h, other in enumerate(ratings.groups) if ratings.is_above[h][number]
        )
        worse = sum(
            len(other.bots) for h, other in enumerate(ratings.groups) if ratings.is_above[number][h]
        )
        for place, rating in enumerate(group.ratings):
            same = [abs(other.rating - rating.rating) < 1e-6 for other in group.ratings]
            ranks[rating.bot] = (
                before + 1 + same.index(True),
                better + 1 + _told_apart(group, place, is_better=False),
                n_bots - worse - _told_apart(group, place, is_better=True),
            )
        before += len(group.ratings)
    return ranks


def _told_apart(group: Group, place: int, *, is_better: bool) -> int:
    """How many bots of the group are surely worse (or better) than the one at ``place``."""
    others = (other for other in range(len(group.ratings)) if other != place)
    likelihoods = (
        group.los(place, other) if is_better else group.los(other, place) for other in others
    )
    return sum(likelihood is not None and likelihood >= SURE for likelihood in likelihoods)


def _bound(ratings: Ratings, number: int) -> Bound | None:
    """The bound on a bot alone in its group, against the largest group that it met."""
    if len(ratings.groups[number].ratings) > 1:
        return None
    met = [gap for gap in ratings.gaps if number in (gap.above, gap.below)]
    if not met:
        return None

    def other(above: int, below: int) -> int:
        return below if above == number else above

    gap = max(met, key=lambda gap: len(ratings.groups[other(gap.above, gap.below)].bots))
    is_least = gap.above == number
    return Bound(
        is_least, MEAN + (gap.least if is_least else -gap.least), other(gap.above, gap.below)
    )


def _cross(
    results: Iterable[MatchResult], order: Sequence[int]
) -> tuple[tuple[Meeting | None, ...], ...]:
    points: dict[tuple[int, int], float] = {}
    matches: dict[tuple[int, int], int] = {}
    for result in results:
        for a, b in combinations(range(len(result.seating)), 2):
            score = pair_score(result.ranks[a], result.ranks[b])
            for pair, share in (((a, b), score), ((b, a), 1 - score)):
                key = (result.seating[pair[0]], result.seating[pair[1]])
                points[key] = points.get(key, 0.0) + share
                matches[key] = matches.get(key, 0) + 1
    return tuple(
        tuple(
            Meeting(matches[i, j], points[i, j] / matches[i, j]) if (i, j) in matches else None
            for j in order
        )
        for i in order
    )
