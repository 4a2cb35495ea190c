"""What a fault costs: in a match of two, three and four, and in the rest of a series."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from dominobot.replay import parse_replay, verify

from arena.core.clock import TimeControl
from arena.core.record import MatchRecord
from arena.sandbox.base import Level
from tests.integration.sandbox_kit import is_alive
from tests.support import HOSTILE, Sat, Tables, by_hand, leftovers, need, tables, traces, write_bot

HONEST = "serve()"
PATIENT = TimeControl(move_s=1.0, bank_s=1.0, connect_s=10.0, match_s=60.0)
CRASH_AT_ONCE = "serve(on_question=lambda message: os._exit(3))"
CRASH_LATER = """
def crash(message):
    scored = sum(message.questions.questions[0].totals)
    return answer_first(message) if scored < {points} else os._exit(3)
serve(on_question=crash)
"""


@pytest.fixture(scope="module")
def table() -> Iterator[Tables]:
    with tables() as found:
        yield found


def bots(folder: Path, *codes: str) -> list[Path]:
    return [by_hand(folder / f"bot{number}", code) for number, code in enumerate(codes)]


def check_ranks(record: MatchRecord, faulty: Sequence[int]) -> None:
    """The faulty seats share the last rank, the others rank by score."""
    verdict = record.verdict
    others = [seat for seat in range(len(verdict.ranks)) if seat not in faulty]
    for seat in others:
        better = sum(verdict.scores[other] > verdict.scores[seat] for other in others)
        assert verdict.ranks[seat] == 1 + better
    for seat in faulty:
        assert verdict.ranks[seat] == 1 + len(others)
    assert verify(record.replay) == []


# ------------------------------------------------------------------ three and four seats


@pytest.mark.parametrize("seats", [3, 4])
def test_the_faulty_one_is_last_and_the_others_rank_by_score(
    seats: int, table: Tables, tmp_path: Path
) -> None:
    folders = bots(tmp_path, CRASH_LATER.format(points=60), *[HONEST] * (seats - 1))
    found = table.play(folders, table.job(folders, matches=3, target=100))
    assert found.faults() == [("CRASH", 0, "move")] * 3
    for number, record in enumerate(found.records):
        check_ranks(record, [found.seat_of(number, 0)])
    assert any(len(set(record.verdict.ranks)) == seats for record in found.records)
    assert any(record.verdict.scores[found.seat_of(n, 0)] for n, record in enumerate(found.records))
    assert [len(ends) for ends in found.by_bot] == [3, *[1] * (seats - 1)]


def test_several_who_do_not_come_share_the_last_rank(table: Tables, tmp_path: Path) -> None:
    folders = bots(tmp_path, "sys.exit(1)", HONEST, "sys.exit(2)", HONEST)
    found = table.play(folders, table.job(folders))
    record = found.records[0]
    check_ranks(record, [found.seat_of(0, 0), found.seat_of(0, 2)])
    assert record.verdict.termination.value == "NO_SHOW"
    assert record.verdict.scores == (0, 0, 0, 0)


def test_where_nobody_comes_nobody_wins(table: Tables, tmp_path: Path) -> None:
    folders = bots(tmp_path, "sys.exit(1)", "sys.exit(2)")
    found = table.play(folders, table.job(folders))
    assert found.records[0].verdict.ranks == (1, 1)
    assert found.records[0].verdict.termination.value == "NO_SHOW"


def test_the_match_after_a_fault_is_played_as_if_there_had_been_none(
    table: Tables, tmp_path: Path
) -> None:
    crash_in_the_first = """
    def crash(message):
        question = message.questions.questions[0]
        return answer_first(message) if question.game_id > 1 else os._exit(3)
    serve(on_question=crash)
    """
    folders = bots(tmp_path, crash_in_the_first, HONEST, HONEST)
    quiet = bots(tmp_path / "quiet", HONEST, HONEST, HONEST)
    found = table.play(folders, table.job(folders, matches=2))
    expected = table.play(quiet, table.job(quiet, matches=2))
    assert found.terminations() == ["CRASH", "TARGET_REACHED"]
    cores = [played.records[1].replay.partition('"other"')[0] for played in (found, expected)]
    assert cores[0] == cores[1]


# ------------------------------------------------------------------ three faults


def test_after_three_faults_the_rest_of_the_series_is_lost_with_the_same_word(
    table: Tables, tmp_path: Path
) -> None:
    folders = bots(tmp_path, CRASH_AT_ONCE, HONEST)
    found = table.play(folders, table.job(folders, matches=6))
    lost = "series already lost"
    assert found.faults() == [("CRASH", 0, "move")] * 3 + [("CRASH", 0, lost)] * 3
    for number, record in enumerate(found.records):
        check_ranks(record, [found.seat_of(number, 0)])
    assert [len(ends) for ends in found.by_bot] == [3, 1]
    assert not found.is_replaced


def test_faults_of_before_count_when_a_series_is_gone_on_with(
    table: Tables, tmp_path: Path
) -> None:
    folders = bots(tmp_path, CRASH_AT_ONCE, HONEST)
    found = table.play(folders, table.job(folders, matches=4, strikes=(2, 0)))
    assert [phase for _, _, phase in found.faults()] == ["move", *["series already lost"] * 3]
    assert len(found.by_bot[0]) == 1


def test_a_series_that_is_lost_already_starts_no_process(table: Tables, tmp_path: Path) -> None:
    folders = bots(tmp_path, HONEST, HONEST)
    found = table.play(folders, table.job(folders, matches=3, strikes=(3, 0)))
    assert found.faults() == [("CRASH", 0, "series already lost")] * 3
    assert found.by_bot == ((), ())


def test_a_bot_that_crashes_whenever_it_is_behind_gains_nothing_by_it(
    table: Tables, tmp_path: Path
) -> None:
    sore_loser = """
    seat = 0
    def start(message):
        global seat
        seat = message.game_start.seat
        return ready(message)
    def sore(message):
        totals = message.questions.questions[0].totals
        return answer_first(message) if totals[seat] == max(totals) else os._exit(1)
    serve(on_start=start, on_question=sore)
    """
    sore, twins = bots(tmp_path, sore_loser, HONEST), bots(tmp_path / "twins", HONEST, HONEST)
    found = table.play(sore, table.job(sore, matches=12, target=60))
    expected = table.play(twins, table.job(twins, matches=12, target=60))
    assert len(found.records) == 12, "every planned match has a verdict"
    crashes = 0
    for number, (record, fair) in enumerate(zip(found.records, expected.records, strict=True)):
        seat = found.seat_of(number, 0)
        if record.verdict.faulty_seat is not None:
            crashes += 1
            assert record.verdict.termination.value == "CRASH"
            check_ranks(record, [seat])
        assert record.verdict.ranks[seat] >= fair.verdict.ranks[seat], "never better by crashing"
    assert crashes >= 3
    assert won(found) < won(expected)


def won(played: Sat) -> int:
    ranks = [record.verdict.ranks for record in played.records]
    return sum(rank[played.seat_of(number, 0)] == 1 for number, rank in enumerate(ranks))


# ------------------------------------------------------------------ the arena's own failures


def test_nobody_loses_when_the_arena_breaks(tmp_path: Path) -> None:
    folders = bots(tmp_path, HONEST, HONEST)
    records: list[MatchRecord] = []
    with tables() as table:
        job = table.job(folders, matches=5)

        def break_it(record: MatchRecord) -> None:
            records.append(record)
            if len(records) == 2:
                os.kill(table.handle.pid, signal.SIGKILL)
                while is_alive(table.handle.pid):
                    time.sleep(0.01)

        with pytest.raises(Exception, match="supervisor"):
            table.play(folders, job, break_it)
    assert [record.verdict.termination.value for record in records[:2]] == ["TARGET_REACHED"] * 2
    assert len(records) == 3, "what comes after is for another worker"
    failed = records[2]
    assert failed.verdict.termination.value == "ARENA_FAULT"
    assert failed.verdict.ranks == (1, 1)
    assert failed.verdict.faulty_seat is None
    assert failed.evidence is not None
    assert failed.evidence.seat is None
    assert verify(failed.replay) == []


# ------------------------------------------------------------------ where the sandbox matters


@pytest.fixture(scope="module")
def full_table() -> Iterator[Tables]:
    need(Level.FULL)
    before = traces()
    with tables(Level.FULL) as found:
        yield found
    assert leftovers(before) == {}


DEAF = """
import os, time
from dominobot.wire.v1 import match_pb2 as pb
from h2 import Connection
hello = pb.Hello(token=os.environ["DOMINOBOT_TOKEN"], protocol=1)
line = Connection(os.environ["DOMINOBOT_ADDRESS"].removeprefix("unix:"), window={window})
line.open_stream()
line.send_message(pb.PlayRequest(hello=hello).SerializeToString())
for game in range(1, 9):
    line.send_message(pb.PlayRequest(ready=pb.Ready(game_id=1)).SerializeToString())
time.sleep(60)
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(("window", "phase"), [(0, "connect"), (120, "move")])
def test_a_bot_that_does_not_take_a_message_is_timed_out(
    window: int, phase: str, full_table: Tables, tmp_path: Path
) -> None:
    deaf = write_bot(tmp_path / "deaf", DEAF.format(window=window), HOSTILE / "h2.py")
    folders = [deaf, by_hand(tmp_path / "honest", HONEST)]
    found = full_table.play(folders, full_table.job(folders))
    assert found.faults() == [("TIMEOUT", 0, phase)]
    assert found.records[0].evidence is not None
    assert "did not take the arena's message" in found.records[0].evidence.detail


@pytest.mark.sandbox
def test_a_bot_that_stops_its_own_process_is_timed_out_and_removed(
    full_table: Tables, tmp_path: Path
) -> None:
    stop = "import signal\nserve(on_question=lambda message: os.kill(os.getpid(), signal.SIGSTOP))"
    folders = bots(tmp_path, stop, HONEST)
    control = TimeControl(move_s=0.3, bank_s=0.0, connect_s=10.0, match_s=60.0)
    found = full_table.play(folders, full_table.job(folders, control=control))
    assert found.faults() == [("TIMEOUT", 0, "move")]
    assert found.by_bot[0][0].was_killed


@pytest.mark.sandbox
def test_a_frozen_bot_does_nothing_while_the_other_thinks(
    full_table: Tables, tmp_path: Path
) -> None:
    """It would count to a thousand in that time, and it leaves only when it may run again."""
    counter = """
    import threading
    ticks = 0
    def tick():
        global ticks
        while True:
            time.sleep(0.001)
            ticks += 1
    threading.Thread(target=tick, daemon=True).start()
    def count(message):
        question, before = message.questions.questions[0], ticks
        return [answers(answer(question, note=str(before)))]
    serve(on_question=count)
    """
    thinker = """
    def think(message):
        time.sleep(0.3)
        return answer_first(message)
    serve(on_question=think)
    """
    folders = bots(tmp_path, counter, thinker)
    found = full_table.play(folders, full_table.job(folders, matches=1))
    assert found.faults() == []
    seat = found.seat_of(0, 0)
    thought_s = found.records[0].usage[1 - seat].think_ms / 1000
    assert thought_s > 0.5
    ticks = [int(play.note) for play in parse_replay(found.records[0].replay).plays if play.note]
    assert len(ticks) > 1
    assert (ticks[-1] - ticks[0]) / 1000 < thought_s / 3


@pytest.mark.sandbox
def test_children_that_outlive_a_bot_are_gone_with_it(full_table: Tables, tmp_path: Path) -> None:
    code = """
    def breed(message):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os._exit(3)
    serve(on_question=breed)
    """
    folders = bots(tmp_path, code, HONEST)
    found = full_table.play(folders, full_table.job(folders, matches=2))
    assert found.faults() == [("CRASH", 0, "move")] * 2


@pytest.mark.sandbox
def test_faults_cost_the_same_at_four_seats_in_the_sandbox(
    full_table: Tables, tmp_path: Path
) -> None:
    folders = bots(tmp_path, CRASH_LATER.format(points=30), HONEST, HONEST, HONEST)
    found = full_table.play(folders, full_table.job(folders, matches=2, target=100))
    assert found.faults() == [("CRASH", 0, "move")] * 2
    for number, record in enumerate(found.records):
        check_ranks(record, [found.seat_of(number, 0)])
        assert record.level == "full"
    assert [len(ends) for ends in found.by_bot] == [2, 1, 1, 1]
