"""Ratings: a joint Bradley-Terry fit on the Elo scale, with bars that know about deals.

A match counts as one result for every pair of its seats: 1 for the better final rank, a half for
equal ranks. Ratings ``R`` solve, for every bot, sum of results = sum of expectations with
``E(d) = 1 / (1 + 10 ** (-d / 400))``, all matches at once, so that their order means nothing.

Bots of whom one never took half a point from the other, not even by way of third bots, cannot be
put on one scale: the maximum of the likelihood is at infinity. They are rated in groups of their
own; what can be said between groups is who is above and by how much at least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from arena.core.rating_bars import Bars, Basis, sandwich
from arena.core.rating_bounds import least_gap
from arena.core.rating_fit import SCALE, fit_group
from arena.core.rating_groups import find_groups
from arena.core.rating_pairs import Array, Game, Pairs, expand

__all__ = ["MEAN", "SURE", "Anchor", "Game", "Gap", "Group", "Rating", "Ratings", "Why", "fit"]

MEAN = 1500.0
Z95 = 1.959963984540054
SURE = 0.975
"""Likelihood of superiority from which on two ranks are told apart: two-sided 95 %."""

_NO_SPREAD = 1e-9


class Anchor(NamedTuple):
    """A bot whose rating is fixed; the others of its group are given relative to it."""

    bot: int
    rating: float = MEAN


class Why(Enum):
    """Why a bot has no bar."""

    ALONE = "alone in its group"
    TOO_FEW_DEALS = "too few deals for a bar"
    NO_SPREAD = "every deal gave the same result, so there is no spread to measure"
    ANCHOR = "the anchor's rating is fixed"


class Rating(NamedTuple):
    """One bot's rating. ``bar`` is the half-width of its 95 % interval, None with a reason."""

    bot: int
    rating: float
    bar: float | None
    why_no_bar: Why | None


class Gap(NamedTuple):
    """Group ``above`` took every point from group ``below``.

    With 95 % confidence the scale of ``above`` lies at least ``least`` points above the scale of
    ``below``: a rating R there is R + ``least`` or more here.
    """

    above: int
    below: int
    least: float


@dataclass(frozen=True)
class Group:
    """Bots on one scale, best first. A bot alone has the rating MEAN on a scale of its own.

    ``basis`` says what the bars were clustered by, ``clusters`` how many of those there were.
    """

    ratings: tuple[Rating, ...]
    basis: Basis | None
    clusters: int
    covariance: tuple[tuple[float, ...], ...] | None

    @property
    def bots(self) -> tuple[int, ...]:
        """The bots, best first."""
        return tuple(rating.bot for rating in self.ratings)

    def los(self, place: int, other: int) -> float | None:
        """Likelihood that the bot at one place of the group is better than that at another.

        None where the spread is not known.
        """
        if self.covariance is None:
            return None
        cov = self.covariance
        variance = cov[place][place] + cov[other][other] - 2 * cov[place][other]
        if variance <= _NO_SPREAD:
            return None
        difference = self.ratings[place].rating - self.ratings[other].rating
        return normal_cdf(difference / math.sqrt(variance))


@dataclass(frozen=True)
class Ratings:
    """The outcome of a fit.

    ``groups`` are ordered so that no group stands below one that is certainly weaker.
    ``is_above[g][h]`` says that every bot of group g is above every bot of group h; where neither
    is above the other, nothing is known about their order.
    """

    groups: tuple[Group, ...]
    is_above: tuple[tuple[bool, ...], ...]
    gaps: tuple[Gap, ...]


def fit(n_bots: int, games: Sequence[Game], anchor: Anchor | None = None) -> Ratings:
    """Rate ``n_bots`` bots by their games. Bots without a game are groups of their own."""
    pairs = expand(games)
    wins = pairs.wins(n_bots)
    members, is_above = find_groups(wins)
    fitted = [_rate(pairs, wins, bots, anchor) for bots in members]
    at = {rating.bot: (g, rating.rating) for g, one in enumerate(fitted) for rating in one.ratings}
    gaps = (
        _gap(pairs, at, above, below)
        for above in range(len(fitted))
        for below in range(len(fitted))
        if is_above[above][below]
    )
    return Ratings(tuple(fitted), is_above, tuple(gap for gap in gaps if gap is not None))


def normal_cdf(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def _rate(pairs: Pairs, wins: Array, bots: tuple[int, ...], anchor: Anchor | None) -> Group:
    """Fit one group; ``bots`` are ascending."""
    if len(bots) == 1:
        return Group((Rating(bots[0], _alone(bots[0], anchor), None, Why.ALONE),), None, 0, None)
    members = np.array(bots)
    theta, hessian = fit_group(wins[np.ix_(members, members)])
    inner = pairs.within(members)
    bars = sandwich(inner, theta, hessian)
    ratings = MEAN + SCALE * theta
    fixed = None
    if anchor is not None and anchor.bot in bots:
        fixed = bots.index(anchor.bot)
        ratings += anchor.rating - ratings[fixed]
        bars = bars.relative_to(fixed)
    order = sorted(range(len(bots)), key=lambda i: (-round(float(ratings[i]), 6), bots[i]))
    covariance = None
    if bars.covariance is not None:
        covariance = tuple(
            tuple(float(value) for value in row) for row in bars.covariance[np.ix_(order, order)]
        )
    rows = tuple(_rating(bots[i], float(ratings[i]), i, bars, fixed) for i in order)
    return Group(rows, bars.basis, bars.clusters, covariance)


def _alone(bot: int, anchor: Anchor | None) -> float:
    return anchor.rating if anchor is not None and anchor.bot == bot else MEAN


def _rating(bot: int, rating: float, place: int, bars: Bars, fixed: int | None) -> Rating:
    rating = round(rating, 9)
    if place == fixed:
        return Rating(bot, rating, None, Why.ANCHOR)
    if bars.covariance is None:
        return Rating(bot, rating, None, Why.TOO_FEW_DEALS)
    variance = float(bars.covariance[place, place])
    if variance <= _NO_SPREAD:
        return Rating(bot, rating, None, Why.NO_SPREAD)
    return Rating(bot, rating, Z95 * math.sqrt(variance), None)


def _gap(pairs: Pairs, at: dict[int, tuple[int, float]], above: int, below: int) -> Gap | None:
    """The bound between two groups, None when they never met."""
    leads: dict[int, float] = {}
    for i, j, deal in zip(pairs.first, pairs.second, pairs.deal, strict=True):
        (group, rating), (other, other_rating) = at[int(i)], at[int(j)]
        if (group, other) == (below, above):
            rating, other_rating = other_rating, rating
        elif (group, other) != (above, below):
            continue
        leads[int(deal)] = min(leads.get(int(deal), math.inf), rating - other_rating)
    return Gap(above, below, least_gap(list(leads.values()))) if leads else None
