"""What a bot's behaviour costs it."""

import pytest

from arena.core.referee import (
    Departure,
    Phase,
    fault_of_departure,
    fault_verdict,
    final_verdict,
    no_contest,
)
from arena.core.verdict import Termination, Verdict


@pytest.mark.parametrize(
    ("departure", "phase", "expected"),
    [
        (Departure(exit_code=0), Phase.CONNECT, Termination.NO_SHOW),
        (Departure(exit_code=1), Phase.CONNECT, Termination.NO_SHOW),
        (Departure(is_alive=True), Phase.CONNECT, Termination.NO_SHOW),
        (Departure(exit_code=0), Phase.MOVE, Termination.DISCONNECT),
        (Departure(is_alive=True), Phase.MOVE, Termination.DISCONNECT),
        (Departure(exit_code=1), Phase.MOVE, Termination.CRASH),
        (Departure(signal=11), Phase.MOVE, Termination.CRASH),
        (Departure(exit_code=139), Phase.START, Termination.CRASH),
        (Departure(signal=24), Phase.MOVE, Termination.CRASH),
        (Departure(is_over_cpu=True), Phase.MOVE, Termination.CPU_LIMIT),
    ],
)
def test_how_a_process_left_decides_the_termination(
    departure: Departure, phase: Phase, expected: Termination
) -> None:
    assert fault_of_departure(departure, phase).termination is expected


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("exit_code", [0, 1, 137])
def test_a_kernel_kill_for_memory_outweighs_whatever_the_bot_says(
    phase: Phase, exit_code: int
) -> None:
    departure = Departure(exit_code=exit_code, oom_kills=1)
    assert fault_of_departure(departure, phase).termination is Termination.OUT_OF_MEMORY


def test_the_faulty_seat_is_last_whatever_its_score_and_the_others_rank_by_score() -> None:
    verdict = fault_verdict(Termination.CRASH, [0], [99, 10, 50, 10])
    assert verdict == Verdict(Termination.CRASH, (4, 2, 1, 2), (99, 10, 50, 10), 0)


def test_seats_that_fail_together_share_the_last_rank() -> None:
    verdict = fault_verdict(Termination.NO_SHOW, [1, 2], [0, 0, 0, 0])
    assert verdict.ranks == (1, 3, 3, 1)
    assert verdict.faulty_seat == 1
    assert verdict.faulty_seats == (1, 2)
    assert fault_verdict(Termination.CRASH, [2], [5, 5, 5, 9]).faulty_seats == (2,)
    assert final_verdict((1, 2), (100, 0), is_capped=False).faulty_seats == ()


def test_a_match_at_the_round_cap_is_shared_by_all_seats() -> None:
    assert final_verdict((1, 2), (40, 20), is_capped=True).ranks == (1, 1)
    assert final_verdict((2, 1), (20, 100), is_capped=False).ranks == (2, 1)


def test_a_no_contest_is_nobodys_fault_and_is_not_rated() -> None:
    verdict = no_contest((10, 0, 4))
    assert verdict.ranks == (1, 1, 1)
    assert verdict.faulty_seat is None
    assert not verdict.termination.is_rated
    assert not verdict.termination.is_fault


@pytest.mark.parametrize("termination", list(Termination))
def test_a_verdict_survives_its_json_form(termination: Termination) -> None:
    faulty = 1 if termination.is_fault else None
    verdict = Verdict(termination, (1, 2), (10, 0), faulty)
    assert Verdict.from_dict(verdict.to_dict()) == verdict
