"""What holds for ratings of any results."""

from __future__ import annotations

import math
import random
from itertools import combinations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.rating import MEAN, Anchor, Game, Group, Ratings, Why, fit
from arena.core.rating_bars import Basis
from arena.core.rating_fit import fit_group

quick = settings(max_examples=40, deadline=None)


@st.composite
def tournaments(draw: st.DrawFn, seats: int | None = None) -> tuple[int, list[Game]]:
    """Bots and games of some deals, each played by all rotations of some tables."""
    seats = draw(st.integers(2, 4)) if seats is None else seats
    n_bots = draw(st.integers(seats, 6))
    tables = draw(st.lists(st.sampled_from(list(combinations(range(n_bots), seats))), min_size=1))
    rng = random.Random(draw(st.integers(0, 2**32)))
    games = []
    for deal in range(draw(st.integers(1, 14))):
        for table in sorted(set(tables)):
            for rotation in range(seats):
                bots = table[rotation:] + table[:rotation]
                ranks = tuple(rng.randint(1, seats) for _ in range(seats))
                games.append(Game(deal, table, bots, ranks))
    return n_bots, games


def by_bot(ratings: Ratings) -> dict[int, tuple[float, float]]:
    return {
        one.bot: (one.rating, -1.0 if one.bar is None else one.bar)
        for group in ratings.groups
        for one in group.ratings
    }


def numbers(ratings: Ratings) -> list[float]:
    values = [gap.least for gap in ratings.gaps]
    for group in ratings.groups:
        for place, one in enumerate(group.ratings):
            values += [one.rating] + ([] if one.bar is None else [one.bar])
            for other in range(len(group.ratings)):
                los = group.los(place, other) if other != place else None
                values += [] if los is None else [los]
    return values


@quick
@given(tournaments())
def test_no_number_is_ever_infinite_or_missing_or_a_bar_of_zero(
    tournament: tuple[int, list[Game]],
) -> None:
    ratings = fit(*tournament)
    for value in numbers(ratings):
        assert math.isfinite(value)
        assert (value, math.copysign(1, value)) != (0.0, -1.0)
    for group in ratings.groups:
        for one in group.ratings:
            assert (one.bar is None) == (one.why_no_bar is not None)
            assert one.bar is None or one.bar > 0


@quick
@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_of_matches_means_nothing(
    tournament: tuple[int, list[Game]], rng: random.Random
) -> None:
    n_bots, games = tournament
    shuffled = rng.sample(games, len(games))
    for bot, values in by_bot(fit(n_bots, shuffled)).items():
        assert values == pytest.approx(by_bot(fit(n_bots, games))[bot], abs=1e-6)


@quick
@given(tournaments(), st.randoms(use_true_random=False))
def test_other_numbers_for_the_bots_give_the_same_ratings(
    tournament: tuple[int, list[Game]], rng: random.Random
) -> None:
    n_bots, games = tournament
    name = rng.sample(range(n_bots), n_bots)
    renamed = [game._replace(bots=tuple(name[bot] for bot in game.bots)) for game in games]
    original, other = by_bot(fit(n_bots, games)), by_bot(fit(n_bots, renamed))
    for bot, values in original.items():
        assert other[name[bot]] == pytest.approx(values, abs=1e-6)


@quick
@given(tournaments())
def test_each_fitted_bot_took_as_many_points_as_was_expected(
    tournament: tuple[int, list[Game]],
) -> None:
    n_bots, games = tournament
    for group in fit(n_bots, games).groups:
        rating = {one.bot: one.rating for one in group.ratings}
        surplus = dict.fromkeys(rating, 0.0)
        for game in games:
            for a, b in combinations(range(len(game.bots)), 2):
                first, second = game.bots[a], game.bots[b]
                if first in rating and second in rating:
                    score = (1 + np.sign(game.ranks[b] - game.ranks[a])) / 2
                    rest = score - 1 / (1 + 10 ** ((rating[second] - rating[first]) / 400))
                    surplus[first] += rest
                    surplus[second] -= rest
        if len(rating) > 1:
            assert max(map(abs, surplus.values())) < 1e-6
        assert sum(rating.values()) / len(rating) == pytest.approx(MEAN, abs=1e-6)


@quick
@given(tournaments(seats=2))
def test_a_fit_agrees_with_choix(tournament: tuple[int, list[Game]]) -> None:
    n_bots, games = tournament
    for group in fit(n_bots, games).groups:
        if len(group.ratings) < 2:
            continue
        place = {bot: i for i, bot in enumerate(group.bots)}
        wins = np.zeros((len(place), len(place)))
        for game in games:
            if game.bots[0] in place and game.bots[1] in place:
                a, b = place[game.bots[0]], place[game.bots[1]]
                score = (1 + np.sign(game.ranks[1] - game.ranks[0])) / 2
                wins[a, b] += score
                wins[b, a] += 1 - score
        theta = choix.ilsr_pairwise_dense(wins, tol=1e-12, max_iter=100_000)
        wanted = MEAN + 400 / math.log(10) * (theta - theta.mean())
        assert [one.rating for one in group.ratings] == pytest.approx(list(wanted), abs=0.01)


@quick
@given(tournaments(), st.data())
def test_an_anchor_moves_its_group_and_no_difference(
    tournament: tuple[int, list[Game]], data: st.DataObject
) -> None:
    n_bots, games = tournament
    anchor = data.draw(st.integers(0, n_bots - 1))
    free, fixed = fit(n_bots, games), fit(n_bots, games, Anchor(anchor, 1000.0))
    for group, moved in zip(free.groups, fixed.groups, strict=True):
        assert group.bots == moved.bots
        shifts = [b.rating - a.rating for a, b in zip(group.ratings, moved.ratings, strict=True)]
        assert max(shifts) - min(shifts) < 1e-6
        if anchor in group.bots:
            row = moved.ratings[group.bots.index(anchor)]
            assert row.rating == pytest.approx(1000.0)
            assert row.bar is None


def pool(seed: int, deals: int, spread: float = 1.0) -> list[Game]:
    """Four bots of strengths 0, 60, 120 and 180 Elo; each pair plays each deal from both sides.

    The deal's luck is on one side of the table, so that it cancels between rotations.
    """
    rng = np.random.default_rng(seed)
    strength = np.array([0.0, 60.0, 120.0, 180.0]) * math.log(10) / 400
    games = []
    for deal in range(deals):
        luck = rng.normal(0, spread)
        for a, b in combinations(range(4), 2):
            for first, second in ((a, b), (b, a)):
                chance = 1 / (1 + math.exp(-(strength[first] - strength[second] + luck)))
                wins = rng.random() < chance
                games.append(Game(deal, (a, b), (first, second), (1, 2) if wins else (2, 1)))
    return games


def true_ratings(spread: float) -> dict[int, float]:
    """What the fit of endless deals of ``pool`` would give: luck presses ratings together."""
    strength = np.array([0.0, 60.0, 120.0, 180.0]) * math.log(10) / 400
    luck, weight = np.polynomial.hermite_e.hermegauss(60)
    lead = strength[:, None, None] - strength[None, :, None] + spread * luck
    wins = (weight / weight.sum() / (1 + np.exp(-lead))).sum(axis=2)
    np.fill_diagonal(wins, 0.0)
    theta, _ = fit_group(wins)
    return {bot: MEAN + 400 / math.log(10) * float(theta[bot]) for bot in range(4)}


def only_group(games: list[Game], n_bots: int = 4) -> Group:
    (group,) = fit(n_bots, games).groups
    return group


def test_every_match_twice_in_new_deals_narrows_the_bars_by_the_square_root_of_two() -> None:
    games = pool(1, 300)
    again = [game._replace(deal=("again", game.deal)) for game in games]
    once, twice = only_group(games), only_group(games + again)
    for one, two in zip(once.ratings, twice.ratings, strict=True):
        assert one.bar is not None and two.bar is not None
        assert one.rating == pytest.approx(two.rating, abs=1e-6)
        assert one.bar / two.bar == pytest.approx(math.sqrt(2), rel=0.01)


def test_every_match_twice_in_the_same_deals_leaves_the_bars_as_they_are() -> None:
    games = pool(2, 100)
    once, twice = only_group(games), only_group(games * 2)
    for one, two in zip(once.ratings, twice.ratings, strict=True):
        assert two.bar == pytest.approx(one.bar, rel=1e-9)


def test_symmetric_results_give_equal_ratings() -> None:
    cycle = [(0, 1), (1, 2), (2, 0)]
    games = [Game((deal, pair), pair, pair, (1, 2)) for deal in range(20) for pair in cycle]
    assert {round(one.rating, 6) for one in only_group(games, 3).ratings} == {MEAN}


@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_nine_bars_of_ten_or_more_hold_the_true_rating(spread: float) -> None:
    """95 % nominal; with 40 deals and 150 tries the count below is wide enough not to flicker."""
    true = true_ratings(spread)
    held = total = 0
    for seed in range(150):
        for one in only_group(pool(seed, 40, spread)).ratings:
            assert one.bar is not None
            held += abs(one.rating - true[one.bot]) <= one.bar
            total += 1
    assert 0.92 <= held / total <= 0.975


def test_bars_go_by_deals_while_there_are_two_for_each_bot() -> None:
    assert only_group(pool(3, 8)).basis is Basis.DEAL
    assert only_group(pool(3, 7)).basis is Basis.DEAL_AND_TABLE
    assert only_group(pool(3, 7)).clusters == 42


def test_too_few_deals_have_no_bar_and_say_so() -> None:
    group = only_group([replace_deal(game) for game in pool(5, 6)])
    assert group.basis is None
    assert {one.why_no_bar for one in group.ratings} == {Why.TOO_FEW_DEALS}
    assert group.los(0, 1) is None


def replace_deal(game: Game) -> Game:
    return game._replace(deal=0)


def test_two_bots_that_split_every_deal_have_no_spread_to_measure() -> None:
    games = [Game(deal, "t", bots, (1, 2)) for deal in range(10) for bots in ((0, 1), (1, 0))]
    group = only_group(games, 2)
    assert [one.rating for one in group.ratings] == [MEAN, MEAN]
    assert {one.why_no_bar for one in group.ratings} == {Why.NO_SPREAD}


def test_a_huge_one_sided_record_still_converges() -> None:
    games = [Game(deal, "t", (0, 1), (1, 2)) for deal in range(3000)]
    games.append(Game("last", "t", (0, 1), (2, 1)))
    upper, lower = only_group(games, 2).ratings
    difference = upper.rating - lower.rating
    assert difference == pytest.approx(400 * math.log10(3000), abs=1e-6)
