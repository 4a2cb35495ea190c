"""What the referee makes of messages: asked for or not, early, late or garbled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from dominobot.replay import parse_replay, verify
from dominobot.rules import Match

from arena import participant
from arena.core.clock import TimeControl
from arena.core.record import MatchRecord
from arena.supervisor.series import MOST_ATTEMPTS
from tests.support import SAMPLES, Tables, by_hand, tables

HONEST = "serve()"
BRISK = TimeControl(move_s=0.5, bank_s=0.2, connect_s=10.0, match_s=60.0)


@pytest.fixture(scope="module")
def table() -> Iterator[Tables]:
    with tables() as found:
        yield found


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    return by_hand(tmp_path / "honest", HONEST)


def core(record: MatchRecord) -> dict[str, Any]:
    found = json.loads(record.replay)["core"]
    assert isinstance(found, dict)
    return found


def plays(records: tuple[MatchRecord, ...]) -> list[list[str]]:
    return [core(record)["plays"] for record in records]


# ------------------------------------------------------------------ answers nobody asked for


NOISE = """
def noisy(message):
    question = message.questions.questions[0]
    wrong = pb.Answer(decision_id=question.decision_id, tile=99, end=9)
    other = lambda step: answers(answer(question, -1, decision_id=question.decision_id + step))
    return [
        answers(answer(question, -1, decision_id=1)),  # stale, save in the very first question
        pb.PlayRequest(ready=pb.Ready(game_id=7)),
        other(1000),
        answers(answer(question)),
        answers(wrong),  # the same decision again
    ]
"""


def test_stale_repeated_and_unasked_answers_are_counted_and_never_applied(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    quiet = by_hand(tmp_path / "quiet", "serve()")
    noisy = by_hand(tmp_path / "noisy", NOISE + "serve(on_question=noisy)")
    expected = table.play([quiet, honest], table.job([quiet, honest], matches=2))
    found = table.play([noisy, honest], table.job([noisy, honest], matches=2))
    assert found.faults() == []
    assert plays(found.records) == plays(expected.records)
    first = found.records[0]
    noise, silence = found.seat_of(0, 0), found.seat_of(0, 1)
    decisions = first.usage[noise].decisions
    assert decisions > 2
    # In the first question of all, the "stale" answer may name that very decision.
    assert first.usage[noise].unasked in (4 * decisions - 1, 4 * decisions)
    assert first.usage[silence].unasked == 0


STRAYS = """
count = {count}
def stray(message):
    global count
    strays = [pb.PlayRequest(ready=pb.Ready(game_id=99))] * count
    count = 0
    return [*strays, *answer_first(message)]
serve(on_question=stray)
"""


def test_a_hundred_messages_too_many_are_borne(table: Tables, honest: Path, tmp_path: Path) -> None:
    bot = by_hand(tmp_path / "bot", STRAYS.format(count=100))
    found = table.play([bot, honest], table.job([bot, honest], matches=2))
    assert found.faults() == []


def test_one_more_is_a_protocol_fault_and_the_worker_is_replaced(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", STRAYS.format(count=101))
    found = table.play([bot, honest], table.job([bot, honest], matches=2))
    assert found.faults() == [("PROTOCOL", 0, "move")]
    assert found.is_replaced
    assert len(found.records) == 1, "the rest is for the next worker"


def test_the_hundred_are_counted_over_the_games_of_a_process(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def stray(message):
        return [*[pb.PlayRequest(ready=pb.Ready(game_id=99))] * 30, *ready(message)]
    serve(on_start=stray)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=6))
    assert found.terminations() == [*["TARGET_REACHED"] * 3, "PROTOCOL"]
    assert found.faults() == [("PROTOCOL", 0, "start of game")]


def test_an_answer_sent_before_its_question_is_not_consumed(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def hasty(message):
        question = message.questions.questions[0]
        early = [pb.Answer(decision_id=question.decision_id + step, tile=99) for step in (1, 2, 3)]
        return [*map(answers, early), answers(answer(question))]
    serve(on_question=hasty)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == []
    seat = found.seat_of(0, 0)
    assert found.records[0].usage[seat].unasked == 3 * found.records[0].usage[seat].decisions


def test_answers_to_nothing_count_as_one_each_and_an_empty_message_as_one(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def odd(message):
        question = message.questions.questions[0]
        return [
            pb.PlayRequest(),
            answers(),
            answers(pb.Answer(), pb.Answer()),
            answers(pb.Answer(), answer(question), pb.Answer()),
        ]
    serve(on_question=odd)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == []
    seat = found.seat_of(0, 0)
    assert found.records[0].usage[seat].unasked == 6 * found.records[0].usage[seat].decisions


# ------------------------------------------------------------------ Hello and Ready


@pytest.mark.parametrize(
    ("greeting", "termination", "says"),
    [
        ("hello(protocol=2)", "PROTOCOL", "it speaks protocol 2, this arena speaks 1"),
        ("hello(token='x')", "SECURITY", "token"),
        ("hello(token='é' * 1000)", "SECURITY", "token"),
        ("pb.PlayRequest(ready=pb.Ready(game_id=1))", "PROTOCOL", "first message is no Hello"),
        ("pb.PlayRequest()", "PROTOCOL", "first message is no Hello"),
        ("hello(sdk='x' * 70_000)", "PROTOCOL", "at most 65536"),
    ],
)
def test_a_greeting_that_is_none_ends_with_its_own_word(
    greeting: str, termination: str, says: str, table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", f"serve(greeting=[{greeting}])")
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == [(termination, 0, "connect")]
    assert found.is_replaced
    evidence = found.records[0].evidence
    assert evidence is not None
    assert says in evidence.detail


def test_a_second_hello_is_a_message_too_many_and_no_more(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", "serve(greeting=[hello(), hello(), hello(protocol=9)])")
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == []
    assert found.records[0].usage[found.seat_of(0, 0)].unasked == 2


def test_no_ready_to_the_start_is_a_timeout_there(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", "serve(on_start=lambda message: [])")
    found = table.play([bot, honest], table.job([bot, honest], control=BRISK))
    assert found.faults() == [("TIMEOUT", 0, "start of game")]
    assert len(found.by_bot[1]) == 1


def test_a_ready_for_another_game_is_none(table: Tables, honest: Path, tmp_path: Path) -> None:
    code = """
    def other(message):
        return [pb.PlayRequest(ready=pb.Ready(game_id=message.game_start.game_id + 1))]
    serve(on_start=other)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], control=BRISK))
    assert found.faults() == [("TIMEOUT", 0, "start of game")]


@pytest.mark.parametrize("on_end", ["lambda message: []", "lambda message: os._exit(5)"])
def test_a_decided_match_keeps_its_verdict_whatever_a_bot_does_at_its_end(
    on_end: str, table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", f"serve(on_end={on_end})")
    folders = [bot, honest]
    found = table.play(folders, table.job(folders, matches=2, control=BRISK))
    assert found.terminations() == ["TARGET_REACHED"] * 2
    assert [record.verdict.faulty_seat for record in found.records] == [None, None]
    for number, record in enumerate(found.records):
        assert record.evidence is not None
        assert record.evidence.seat == found.seat_of(number, 0)
        assert record.evidence.phase == "end of game"
        assert verify(record.replay) == []
    assert len(found.by_bot[0]) == 2, "it starts afresh for the next match"
    assert len(found.by_bot[1]) == 1
    quiet = by_hand(tmp_path / "quiet", "serve()")
    expected = table.play([quiet, honest], table.job([quiet, honest], matches=2))
    assert [core(record) for record in found.records] == [core(r) for r in expected.records]


# ------------------------------------------------------------------ messages too long


@pytest.mark.parametrize(
    ("size", "terminations"),
    # Far too long is cut off by the transport; how the bot then leaves is its own affair.
    [(66_000, {"PROTOCOL"}), (600_000, {"PROTOCOL", "DISCONNECT", "CRASH"})],
)
def test_a_message_that_is_too_long_loses_the_match(
    size: int, terminations: set[str], table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = f"serve(on_question=lambda message: [answers(pb.Answer(note='x' * {size}))])"
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest]))
    ((termination, loser, phase),) = found.faults()
    assert termination in terminations
    assert (loser, phase) == (0, "move")


# ------------------------------------------------------------------ ids, and who is told what


def deciders(record: MatchRecord) -> list[int]:
    """Which seat took each decision of a match."""
    replay = parse_replay(record.replay)
    match, seats = Match(replay.variant, replay.deck_source), []
    for play in replay.plays:
        decision = match.next_decision()
        assert decision is not None
        seats.append(decision.seat)
        match.play(play)
    return seats


def test_the_ids_of_decisions_do_not_say_whether_the_others_were_asked(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def tell(message):
        question = message.questions.questions[0]
        return [answers(answer(question, note=str(question.decision_id)))]
    serve(on_question=tell)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], target=100))
    seat = found.seat_of(0, 0)
    plays = parse_replay(found.records[0].replay).plays
    places = [place for place, who in enumerate(deciders(found.records[0])) if who == seat]
    ids = [int(plays[place].note) for place in places]
    assert ids == sorted(set(ids)), "they grow"
    asked = [later - earlier for earlier, later in pairwise(places)]
    steps = [later - earlier for earlier, later in pairwise(ids)]
    assert len(set(asked)) > 1
    assert asked != steps, "the step tells how often the others were asked"


def test_a_hundred_too_many_in_messages_that_hold_an_answer_are_too_many_as_well(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def packed(message):
        question = message.questions.questions[0]
        return [answers(answer(question), *[pb.Answer(decision_id=7777)] * 60)]
    serve(on_question=packed)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], target=100))
    assert found.faults() == [("PROTOCOL", 0, "move")]


def test_answers_while_a_ready_is_awaited_count_one_by_one(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def packed(message):
        return [answers(*[pb.Answer(decision_id=7777)] * 101), *ready(message)]
    serve(on_start=packed)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == [("PROTOCOL", 0, "start of game")]


def test_an_answer_sent_before_its_question_is_not_consumed_behind_others_either(
    table: Tables, tmp_path: Path
) -> None:
    code = """
    is_first = True
    def hasty(message):
        global is_first
        question = message.questions.questions[0]
        said = [answers(answer(question))]
        if is_first:
            said += [pb.PlayRequest(ready=pb.Ready(game_id=99))] * 20
            early = range(question.decision_id + 1, question.decision_id + 9)
            said += [answers(pb.Answer(decision_id=number, tile=99)) for number in early]
            is_first = False
        return said
    serve(on_question=hasty)
    """
    thinker = """
    def think(message):
        time.sleep(0.1)
        return answer_first(message)
    serve(on_question=think)
    """
    folders = [by_hand(tmp_path / "bot", code), by_hand(tmp_path / "thinker", thinker)]
    found = table.play(folders, table.job(folders, matches=3))
    assert found.faults() == [], "an answer was applied that was sent before its question"


def test_a_bot_whose_opponent_does_not_come_keeps_its_process(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", "sys.exit(1)")
    folders = [bot, (SAMPLES / "random").resolve()]
    found = table.play(folders, table.job(folders, matches=3))
    assert found.faults() == [("NO_SHOW", 0, "connect")] * 3
    assert [end.exit_code for end in found.by_bot[1]] == [0]


def test_matches_that_are_lost_unplayed_replace_no_worker(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    job = table.job([honest, honest], matches=4, strikes=(3, 0))
    job = replace(job, last_faults=("PROTOCOL", ""))
    found = table.play([honest, honest], job)
    assert found.faults() == [("PROTOCOL", 0, "series already lost")] * 4
    assert not found.is_replaced


def test_messages_too_many_are_told_match_by_match(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def stray(message):
        return [pb.PlayRequest(), *ready(message)]
    serve(on_start=stray)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=3))
    told = [r.usage[found.seat_of(n, 0)].unasked for n, r in enumerate(found.records)]
    assert told == [1, 1, 1]


def test_a_protocol_fault_at_the_end_of_a_game_replaces_the_worker_too(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def stray(message):
        return [answers(pb.Answer(note="x" * 70_000))]
    serve(on_end=stray)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=2))
    assert found.terminations()[0] == "TARGET_REACHED"
    assert found.is_replaced


def test_a_bot_that_leaves_after_each_game_is_no_fault_of_the_arena(
    table: Tables, honest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor starts a seat so and so often; the series goes on elsewhere before that."""
    assert participant._MOST_STARTS <= MOST_ATTEMPTS
    monkeypatch.setattr(participant, "_MOST_STARTS", 2)
    bot = by_hand(tmp_path / "bot", "serve(on_end=lambda message: os._exit(5))")
    found = table.play([bot, honest], table.job([bot, honest], matches=4))
    assert found.terminations() == ["TARGET_REACHED"] * 2
    assert found.is_replaced
