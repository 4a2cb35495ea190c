"""Standings from made-up results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from dominobot.rules import Variant

from arena.core.results import MatchResult
from arena.core.schedule import BotRef, PlannedMatch, Tournament, in_schedule_order, plan
from arena.core.standings import Standings, standings
from arena.core.standings_json import standings_to_dict
from arena.core.verdict import Termination

Ranks = Callable[[PlannedMatch], tuple[int, ...]]


def tournament(names: str = "ada bix cleo", deals: int = 8, seats: int = 2) -> Tournament:
    bots = tuple(BotRef(name, name * 16) for name in names.split())
    return Tournament("cup", Variant.preset("famille", seats=seats), bots, deals, None, b"m")


def results(wanted: Tournament, ranks: Ranks) -> list[MatchResult]:
    return [
        MatchResult(
            match.match_id,
            match.index,
            match.unit,
            match.cycle,
            match.deal,
            match.table,
            match.seating,
            Termination.TARGET_REACHED,
            ranks(match),
            tuple(100 // rank for rank in ranks(match)),
            None,
            "full",
        )
        for match in in_schedule_order(plan(wanted))
    ]


def by_strength(match: PlannedMatch) -> tuple[int, ...]:
    """The bot with the lower number wins; every fourth deal it is the other way round."""
    order = sorted(match.seating, reverse=match.deal % 4 == 3)
    return tuple(order.index(bot) + 1 for bot in match.seating)


def always_by_strength(match: PlannedMatch) -> tuple[int, ...]:
    return tuple(sorted(match.seating).index(bot) + 1 for bot in match.seating)


def names(board: Standings) -> list[str]:
    return [row.bot.name for row in board.rows]


def test_rows_count_what_each_bot_did() -> None:
    board = standings(tournament(), results(tournament(), by_strength))
    assert names(board) == ["ada", "bix", "cleo"]
    ada = board.rows[0].record
    assert (ada.matches, ada.deals, ada.wins, ada.draws, ada.losses) == (32, 8, 24, 0, 8)
    assert ada.points_a_match == (24 * 100 + 8 * 50) / 32
    assert (board.planned, board.played, board.counted, board.deals) == (48, 48, 48, 8)
    assert board.levels == ("full",)


def test_a_shared_first_place_is_a_draw_and_any_other_place_a_loss() -> None:
    wanted = tournament("ada bix cleo dru", deals=1, seats=4)
    board = standings(wanted, results(wanted, lambda match: (1, 1, 3, 4)))
    totals = [0, 0, 0]
    for row in board.rows:
        record = row.record
        totals = [
            a + b for a, b in zip(totals, (record.wins, record.draws, record.losses), strict=True)
        ]
    assert totals == [0, 8, 8]


def test_a_fault_is_counted_for_the_bot_that_sat_on_the_faulty_seat() -> None:
    found = results(tournament(), by_strength)
    found[0] = replace(found[0], faulty_seat=1, termination=Termination.CRASH)
    board = standings(tournament(), found)
    faulty = tournament().bots[found[0].seating[1]].name
    assert {row.bot.name: row.record.faults for row in board.rows}[faulty] == 1
    assert sum(row.record.faults for row in board.rows) == 1


def test_ranks_that_the_bars_leave_open_are_given_as_a_range() -> None:
    wanted = tournament(deals=40)
    board = standings(wanted, results(wanted, by_strength))
    assert [(row.rank, row.best_rank, row.worst_rank) for row in board.rows] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]
    few = standings(tournament(deals=1), results(tournament(deals=1), lambda match: (1, 2)))
    assert {(row.rank, row.best_rank, row.worst_rank) for row in few.rows} == {(1, 1, 3)}


def test_bots_that_won_or_lost_everything_have_a_bound_and_a_certain_rank() -> None:
    board = standings(tournament(), results(tournament(), always_by_strength))
    assert [len(group.rows) for group in board.groups] == [1, 1, 1]
    assert board.groups[0].above == (1, 2)
    first, _, last = board.rows
    assert first.bound is not None and first.bound.is_least
    assert last.bound is not None and not last.bound.is_least
    assert [(row.best_rank, row.worst_rank) for row in board.rows] == [(1, 1), (2, 2), (3, 3)]


def test_groups_that_never_met_leave_every_rank_open() -> None:
    board = standings(tournament(), [])
    assert [(row.best_rank, row.worst_rank) for row in board.rows] == [(1, 3)] * 3
    assert board.counted == 0 and board.history == ()


def test_the_crosstable_adds_up_to_one_for_each_pair() -> None:
    board = standings(tournament(), results(tournament(), by_strength))
    for i in range(3):
        assert board.cross[i][i] is None
        for j in range(i):
            one, other = board.cross[i][j], board.cross[j][i]
            assert one is not None and other is not None
            assert one.matches == other.matches == 16
            assert one.share + other.share == 1.0


def test_an_anchor_is_named_and_must_play() -> None:
    found = results(tournament(), by_strength)
    board = standings(tournament(), found, anchor="cleo")
    assert board.rows[-1].rating == 1500.0
    with pytest.raises(ValueError, match="nobody"):
        standings(tournament(), found, anchor="nobody")


def test_json_is_the_same_whatever_order_results_come_in() -> None:
    found = results(tournament(), by_strength)
    forward = standings_to_dict(standings(tournament(), found), with_history=True)
    backward = standings_to_dict(standings(tournament(), found[::-1]), with_history=True)
    assert json.dumps(forward) == json.dumps(backward)
    assert len(forward["running_elo"]) == 48
    assert "running_elo" not in standings_to_dict(standings(tournament(), found))


def test_json_has_no_number_that_json_does_not_know() -> None:
    for ranks in (by_strength, always_by_strength, lambda match: (1, 1)):
        board = standings(tournament(), results(tournament(), ranks))
        assert "-0.0" not in json.dumps(standings_to_dict(board), allow_nan=False)
