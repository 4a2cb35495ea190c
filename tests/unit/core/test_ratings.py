"""Groups, bounds, ranks of likelihood and the statistics of two bots, by hand."""

from __future__ import annotations

import math

import pytest

from arena.core.history import K, running_elo
from arena.core.rating import MEAN, Game, fit
from arena.core.rating_bounds import least_gap
from arena.core.rating_pair import pentanomial
from arena.core.results import MatchResult, rated
from arena.core.verdict import Termination


def wins(winner: int, loser: int, times: int, first_deal: int = 0) -> list[Game]:
    return [
        Game(first_deal + deal, frozenset((winner, loser)), (winner, loser), (1, 2))
        for deal in range(times)
    ]


def even(first: int, second: int, times: int) -> list[Game]:
    return wins(first, second, times) + wins(second, first, times, first_deal=1000)


def test_nobody_who_never_met_is_compared() -> None:
    ratings = fit(4, even(0, 1, 10) + even(2, 3, 10))
    assert [group.bots for group in ratings.groups] == [(0, 1), (2, 3)]
    assert not any(any(row) for row in ratings.is_above)
    assert ratings.gaps == ()


def test_without_a_game_every_bot_is_a_group_of_its_own() -> None:
    ratings = fit(3, [])
    assert [group.bots for group in ratings.groups] == [(0,), (1,), (2,)]
    assert {group.ratings[0].rating for group in ratings.groups} == {MEAN}


def test_half_a_point_back_makes_one_group() -> None:
    tie = Game("tie", "t", (0, 1), (1, 1))
    assert len(fit(2, wins(0, 1, 9)).groups) == 2
    assert len(fit(2, [*wins(0, 1, 9), tie]).groups) == 1


def test_points_that_come_back_by_way_of_others_make_one_group() -> None:
    ring = wins(0, 1, 3) + wins(1, 2, 3) + wins(2, 0, 3)
    assert len(fit(3, ring).groups) == 1


def test_groups_stand_from_top_to_bottom_and_order_is_passed_on() -> None:
    ratings = fit(3, wins(2, 0, 5) + wins(0, 1, 5))
    assert [group.bots for group in ratings.groups] == [(2,), (0,), (1,)]
    assert ratings.is_above == ((False, True, True), (False, False, True), (False,) * 3)
    assert [(gap.above, gap.below) for gap in ratings.gaps] == [(0, 1), (1, 2)]


def test_the_bound_on_all_won_is_where_that_had_a_chance_of_one_in_twenty() -> None:
    for matches in (1, 5, 60):
        gap = least_gap([0.0] * matches)
        assert (1 / (1 + 10 ** (-gap / 400))) ** matches == pytest.approx(0.05, rel=1e-6)


def test_a_bound_counts_each_deal_once_at_its_hardest_result() -> None:
    games = even(0, 1, 20) + [Game(deal, "t", (2, 0, 1), (1, 2, 3)) for deal in range(2000, 2006)]
    ratings = fit(3, games)
    (gap,) = ratings.gaps
    lower = ratings.groups[1]
    best = max(one.rating for one in lower.ratings)
    assert gap.least == pytest.approx(least_gap([MEAN - best] * 6), abs=1e-5)


def test_four_seats_count_as_six_pairs_by_rank() -> None:
    games = [Game(deal, "t", (0, 1, 2, 3), ranks) for deal, ranks in enumerate(FOUR * 10)]
    (group,) = fit(4, games).groups
    assert group.bots == (0, 1, 2, 3)


FOUR = [(1, 2, 3, 4), (1, 3, 2, 4), (2, 1, 4, 3), (1, 2, 2, 4), (4, 3, 2, 1)]


def test_pentanomial_counts_give_the_mean_and_its_spread() -> None:
    statistics = pentanomial([10, 20, 40, 20, 10])
    assert statistics is not None
    assert (statistics.deals, statistics.score, statistics.elo) == (100, 0.5, 0.0)
    assert statistics.los == 0.5
    assert math.copysign(1, statistics.elo or 0.0) == 1


def test_pentanomial_says_nothing_where_nothing_can_be_said() -> None:
    assert pentanomial([0] * 5) is None
    even_split = pentanomial([0, 0, 7, 0, 0])
    assert even_split is not None
    assert (even_split.elo, even_split.error, even_split.los) == (0.0, None, None)
    all_won = pentanomial([0, 0, 0, 0, 7])
    assert all_won is not None
    assert (all_won.score, all_won.elo, all_won.error) == (1.0, None, None)
    with pytest.raises(ValueError, match="five counts"):
        pentanomial([1, 2, 3])


def result(
    index: int,
    ranks: tuple[int, ...],
    termination: Termination = Termination.TARGET_REACHED,
    seating: tuple[int, ...] = (0, 1),
) -> MatchResult:
    return MatchResult(
        match_id=f"m{index}",
        index=index,
        unit=f"u{index // len(seating)}",
        cycle=0,
        deal=index // len(seating),
        table=0,
        seating=seating,
        termination=termination,
        ranks=ranks,
        scores=tuple(0 for _ in seating),
        faulty_seat=None,
        level="full",
    )


def test_running_elo_moves_by_k_times_result_minus_expectation() -> None:
    (moved,) = running_elo([result(0, (1, 2))], 2)
    assert moved.elo == (1500 + K / 2, 1500 - K / 2)


def test_running_elo_at_four_seats_spreads_k_over_three_opponents() -> None:
    (moved,) = running_elo([result(0, (1, 2, 2, 4), seating=(3, 1, 0, 2))], 4)
    assert moved.bots == (3, 1, 0, 2)
    assert moved.elo == pytest.approx((1500 + K / 2, 1500, 1500, 1500 - K / 2))


def test_a_no_contest_takes_its_whole_unit_out_of_the_count() -> None:
    results = [
        result(3, (1, 2)),
        result(2, (1, 1), Termination.ARENA_FAULT),
        result(1, (2, 1), Termination.TIMEOUT),
        result(0, (1, 2)),
    ]
    assert [one.index for one in rated(results)] == [0, 1]


def test_a_unit_that_lacks_a_rotation_does_not_count() -> None:
    assert rated([result(0, (1, 2))]) == []
