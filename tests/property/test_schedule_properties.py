"""What holds for the plan of any tournament."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from math import comb

import pytest
from dominobot.rules import Variant, bot_seed, deal_seed
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.core.schedule import (
    BotRef,
    Tournament,
    in_schedule_order,
    n_matches,
    plan,
    remaining,
)
from arena.core.tables import ALL_UP_TO, default_limit, draw_tables
from arena.errors import ConfigError

quick = settings(max_examples=40, deadline=None)


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    seats = draw(st.integers(2, 4))
    n_bots = draw(st.integers(seats, 7))
    return Tournament(
        name=draw(st.text(min_size=1, max_size=8)),
        variant=Variant.preset("famille", seats=seats),
        bots=tuple(BotRef(f"bot{number}", f"{number:064x}") for number in range(n_bots)),
        deals=draw(st.integers(1, 4)),
        tables=draw(st.none() | st.integers(1, 12)),
        master=draw(st.binary(min_size=1, max_size=32)),
        cycles=draw(st.integers(1, 2)),
    )


@quick
@given(tournaments())
def test_every_table_plays_the_same_deals(tournament: Tournament) -> None:
    by_table = defaultdict(set)
    for match in in_schedule_order(plan(tournament)):
        by_table[match.table].add((match.cycle, match.deal, match.deal_seed))
    (deals,) = {frozenset(found) for found in by_table.values()}
    assert deals == {
        (cycle, deal, deal_seed(tournament.master, tournament.name, cycle, deal))
        for cycle in range(tournament.cycles)
        for deal in range(tournament.deals)
    }


@quick
@given(tournaments())
def test_each_bot_of_a_unit_sits_once_on_every_seat(tournament: Tournament) -> None:
    units = defaultdict(list)
    for match in in_schedule_order(plan(tournament)):
        units[match.unit].append(match)
    for matches in units.values():
        assert [match.rotation for match in matches] == list(range(tournament.variant.seats))
        assert len({(match.cycle, match.deal, match.table) for match in matches}) == 1
        for seat in range(tournament.variant.seats):
            assert sorted(match.seating[seat] for match in matches) == sorted(matches[0].seating)


@quick
@given(tournaments())
def test_a_series_has_each_deal_once_and_the_same_bots(tournament: Tournament) -> None:
    series = plan(tournament)
    assert len({one.series_id for one in series}) == len(series)
    for one in series:
        assert [match.deal for match in one.matches] == list(range(tournament.deals))
        for match in one.matches:
            assert (match.table, match.rotation) == (one.table, one.rotation)
            assert tuple(sorted(match.seating)) == one.bots


@quick
@given(tournaments())
def test_schedule_order_counts_through_and_leaves_whole_units_behind(
    tournament: Tournament,
) -> None:
    matches = in_schedule_order(plan(tournament))
    assert [match.index for match in matches] == list(range(n_matches(tournament)))
    keys = [(match.cycle, match.deal, match.table, match.rotation) for match in matches]
    assert keys == sorted(keys)


@quick
@given(tournaments())
def test_match_ids_and_bot_seeds_are_never_shared(tournament: Tournament) -> None:
    matches = in_schedule_order(plan(tournament))
    assert len({match.match_id for match in matches}) == len(matches)
    seeds = [seed for match in matches for seed in match.bot_seeds]
    assert len(set(seeds)) == len(seeds)
    first = matches[0]
    assert first.bot_seeds[0] == bot_seed(tournament.master, first.match_id, 0)


@quick
@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_in_which_bots_are_entered_means_nothing(
    tournament: Tournament, rng: random.Random
) -> None:
    bots = rng.sample(tournament.bots, len(tournament.bots))
    other = Tournament(
        tournament.name,
        tournament.variant,
        tuple(bots),
        tournament.deals,
        tournament.tables,
        tournament.master,
        tournament.cycles,
    )
    assert other.identity() == tournament.identity()
    assert plan(other) == plan(tournament)


@quick
@given(tournaments())
def test_more_deals_make_another_tournament_on_the_same_first_deals(
    tournament: Tournament,
) -> None:
    longer = Tournament(
        tournament.name,
        tournament.variant,
        tournament.bots,
        tournament.deals + 1,
        tournament.tables,
        tournament.master,
        tournament.cycles,
    )
    short, long = in_schedule_order(plan(tournament)), in_schedule_order(plan(longer))
    assert not {match.match_id for match in short} & {match.match_id for match in long}
    assert {match.deal_seed for match in short} < {match.deal_seed for match in long}


@quick
@given(tournaments(), st.data())
def test_what_remains_is_what_is_pending(tournament: Tournament, data: st.DataObject) -> None:
    series = plan(tournament)
    ids = [match.match_id for match in in_schedule_order(series)]
    pending = data.draw(st.sets(st.sampled_from(ids)))
    left = list(remaining(series, pending))
    assert all(one.matches for one in left)
    assert {match.match_id for match in in_schedule_order(left)} == pending


@quick
@given(st.integers(2, 4), st.integers(0, 8), st.integers(1, 60), st.binary(min_size=1, max_size=8))
@example(3, 5, 40, b"\0")  # where taking one table after the other runs into a dead end
def test_a_limited_draw_of_tables_is_balanced(
    seats: int, more: int, limit: int, master: bytes
) -> None:
    n_bots = seats + more
    drawn = draw_tables(n_bots, seats, limit, master)
    assert drawn == draw_tables(n_bots, seats, limit, master)
    assert len(drawn) == len(set(drawn)) == min(limit, comb(n_bots, seats))
    assert list(drawn) == sorted(drawn)
    assert all(len(set(table)) == seats and list(table) == sorted(table) for table in drawn)
    played = Counter(bot for table in drawn for bot in table)
    counts = [played[bot] for bot in range(n_bots)]
    assert max(counts) - min(counts) <= 1


def test_another_seed_draws_other_tables() -> None:
    assert draw_tables(12, 4, 20, b"one") != draw_tables(12, 4, 20, b"two")


def test_a_draw_lets_most_pairs_meet() -> None:
    met = Counter(
        pair for table in draw_tables(12, 4, 33, b"seed") for pair in combinations(table, 2)
    )
    assert len(met) == comb(12, 2)
    assert max(met.values()) <= 2 * 33 * 6 / comb(12, 2)


def test_all_tables_play_by_default_up_to_the_limit() -> None:
    assert default_limit(6, 4) is None
    assert default_limit(1_000, 2) is None, "a pairing is never left out"
    assert default_limit(20, 4) == ALL_UP_TO


def test_seating_order_changes_between_deals() -> None:
    bots = tuple(BotRef(f"bot{number}", f"{number:064x}") for number in range(4))
    tournament = Tournament("x", Variant.preset("famille", seats=4), bots, 40, None, b"m")
    first = [match.seating for match in plan(tournament)[0].matches]
    assert len(set(first)) > 10


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deals": 0}, "deals is 0; give at least 1"),
        ({"cycles": 0}, "cycles is 0; give at least 1"),
        ({"tables": 0}, "tables is 0; give at least 1, or all"),
        ({"bots": (BotRef("a", "1"), BotRef("a", "2"))}, 'two bots are named "a"'),
        ({"bots": (BotRef("a", "1"),)}, "2 seats need at least 2 bots, got 1"),
    ],
)
def test_an_impossible_tournament_is_refused_in_one_line(
    change: dict[str, object], said: str
) -> None:
    fields: dict[str, object] = {
        "name": "x",
        "variant": Variant.preset("famille"),
        "bots": (BotRef("a", "1"), BotRef("b", "2")),
        "deals": 1,
        "tables": None,
        "master": b"m",
    }
    with pytest.raises(ConfigError, match=r"^[^\n]+$") as refused:
        Tournament(**{**fields, **change})  # type: ignore[arg-type]
    assert said in str(refused.value)
