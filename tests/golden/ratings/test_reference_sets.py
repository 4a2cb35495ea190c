"""The rating sets whose numbers well-known tools agree on."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from arena.core.rating import Game, Ratings, fit
from arena.core.rating_pair import PairStatistics, pentanomial

HERE = Path(__file__).parent
RATED = ["a2_closed_form", "f1_4p_rankings", "g1_pairs_luck_cancels"]


def read(name: str) -> tuple[list[str], list[Game], dict[str, Any]]:
    """Player names (sorted), games and the expected values of a set."""
    with (HERE / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    players = sorted({row["player"] for row in rows})
    games = []
    for _, group in groupby(rows, key=lambda row: row["match_id"]):
        seats = sorted(group, key=lambda row: int(row["seat"]))
        bots = tuple(players.index(row["player"]) for row in seats)
        ranks = tuple(int(row["rank"]) for row in seats)
        games.append(Game(seats[0]["deal_id"], frozenset(bots), bots, ranks))
    return players, games, json.loads((HERE / f"{name}.expected.json").read_text())


def fitted(name: str) -> tuple[list[str], Ratings, dict[str, Any]]:
    players, games, expected = read(name)
    return players, fit(len(players), games), expected


@pytest.mark.parametrize("name", RATED)
def test_ratings_match_the_reference(name: str) -> None:
    players, ratings, expected = fitted(name)
    (group,) = ratings.groups
    for rating in group.ratings:
        wanted = expected["ratings_mean1500"][players[rating.bot]]
        assert rating.rating == pytest.approx(wanted, abs=expected["tolerance_elo"])


@pytest.mark.parametrize("name", RATED)
def test_bars_match_the_deal_clustered_sandwich(name: str) -> None:
    players, ratings, expected = fitted(name)
    bars = expected["ci95_halfwidth"]
    for rating in ratings.groups[0].ratings:
        wanted = bars[bars["must_match"]][players[rating.bot]]
        assert rating.bar == pytest.approx(wanted, rel=bars["tolerance_pct_analytic"] / 100)


@pytest.mark.parametrize("name", RATED)
def test_likelihoods_of_superiority_match_the_reference(name: str) -> None:
    players, ratings, expected = fitted(name)
    (group,) = ratings.groups
    place = {players[bot]: place for place, bot in enumerate(group.bots)}
    for pair, wanted in expected["los"]["values"].items():
        better, worse = pair.split(">")
        assert group.los(place[better], place[worse]) == pytest.approx(
            wanted, abs=expected["los"]["tolerance"]
        )


def test_the_closed_form_is_met_exactly() -> None:
    players, ratings, expected = fitted("a2_closed_form")
    for rating in ratings.groups[0].ratings:
        assert rating.rating == pytest.approx(expected["exact"][players[rating.bot]], abs=1e-6)


def test_a_one_way_bridge_leaves_two_groups_with_a_one_sided_order() -> None:
    players, ratings, expected = fitted("e2_one_way_bridge")
    upper, lower = ratings.groups
    assert [players[bot] for bot in upper.bots] == ["Ada", "Bix", "Cleo"]
    assert [players[bot] for bot in lower.bots] == ["Dru", "Eno", "Fay"]
    assert ratings.is_above == ((False, True), (False, False))
    values = {
        players[rating.bot]: rating.rating for group in ratings.groups for rating in group.ratings
    }
    for pair, wanted in expected["within_group_differences"].items():
        first, second = pair.split("-")
        difference = values[first] - values[second]
        assert difference == pytest.approx(wanted, abs=expected["tolerance_elo"])
    (gap,) = ratings.gaps
    assert (gap.above, gap.below) == (0, 1)
    assert abs(gap.least) < 600
    assert all(abs(value - 1500) < 200 for value in values.values())


def head_to_head() -> tuple[PairStatistics, dict[str, Any]]:
    players, games, expected = read("g1_pairs_luck_cancels")
    points: Counter[Any] = Counter()
    for game in games:
        ada = game.bots.index(players.index("Ada"))
        mine, theirs = game.ranks[ada], game.ranks[1 - ada]
        points[game.deal] += 1 + (mine < theirs) - (mine > theirs)
    deals = Counter(points.values())
    statistics = pentanomial([deals[halves] for halves in range(5)])
    assert statistics is not None
    return statistics, expected["head_to_head_Ada_vs_Bix"]


@pytest.mark.parametrize("key", ["elo", "err", "nelo", "los"])
def test_pentanomial_statistics_match_the_reference(key: str) -> None:
    statistics, expected = head_to_head()
    values = {
        "elo": statistics.elo,
        "err": statistics.error,
        "nelo": statistics.nelo,
        "los": statistics.los,
    }
    wanted = expected[expected["must_match"]][key]
    assert values[key] == pytest.approx(wanted, abs=expected["tolerance"][key])


def test_two_bars_of_two_bots_make_the_pentanomial_error() -> None:
    statistics, _ = head_to_head()
    _, ratings, _ = fitted("g1_pairs_luck_cancels")
    bar = ratings.groups[0].ratings[0].bar
    assert bar is not None
    assert 2 * bar == pytest.approx(statistics.error, rel=0.002)
