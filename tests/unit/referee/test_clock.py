"""The clock of one seat: what a decision costs, and when it is late."""

import pytest

from arena.core.clock import TRACE_LENGTH, GameClock, TimeControl
from arena.errors import ConfigError


def test_a_decision_within_the_limit_costs_no_bank() -> None:
    clock = GameClock(TimeControl(move_s=1.0, bank_s=5.0))
    assert clock.charge(1.0)
    assert clock.bank_s == 5.0


def test_what_goes_beyond_the_limit_comes_from_the_bank() -> None:
    clock = GameClock(TimeControl(move_s=1.0, bank_s=5.0))
    assert clock.charge(3.5)
    assert clock.bank_s == 2.5
    assert clock.allowance_s == 3.5


@pytest.mark.parametrize(("elapsed", "in_time"), [(5.999, True), (6.0, True), (6.001, False)])
def test_exactly_the_allowance_is_in_time_and_a_millisecond_more_is_late(
    elapsed: float, in_time: bool
) -> None:
    assert GameClock(TimeControl(move_s=1.0, bank_s=5.0)).charge(elapsed) is in_time


def test_the_bank_is_one_off_and_never_negative() -> None:
    clock = GameClock(TimeControl(move_s=1.0, bank_s=1.0))
    assert clock.charge(2.0)
    assert not clock.charge(1.5)
    assert clock.bank_s == 0.0


def test_the_trace_keeps_the_last_decisions_with_their_numbers() -> None:
    clock = GameClock(TimeControl())
    for _ in range(TRACE_LENGTH + 5):
        clock.charge(0.25)
    assert len(clock.trace) == TRACE_LENGTH
    assert clock.trace[-1] == (TRACE_LENGTH + 5, 0.25, 5.0)
    assert clock.total_s == pytest.approx(0.25 * (TRACE_LENGTH + 5))
    assert clock.slowest_s == 0.25


@pytest.mark.parametrize("field", ["move_s", "connect_s", "match_s"])
@pytest.mark.parametrize("value", [0.0, -1.0, 3601.0, float("nan")])
def test_a_time_that_cannot_be_is_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=field):
        TimeControl(**{field: value})


def test_a_bank_of_nothing_is_allowed() -> None:
    assert TimeControl(bank_s=0.0).bank_s == 0.0
