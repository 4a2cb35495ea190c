"""What the referee makes of time, of leaving and of remarks: real bots, one misbehaviour each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dominobot.replay import parse_replay, verify

from arena.core.clock import TimeControl
from arena.core.record import MatchRecord
from tests.support import Tables, by_hand, tables

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


# ------------------------------------------------------------------ time


def test_a_late_answer_is_a_timeout_not_an_illegal_move(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def late(message):
        question = message.questions.questions[0]
        time.sleep(0.8)
        return [answers(pb.Answer(decision_id=question.decision_id, tile=99, end=9))]
    serve(on_question=late)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], control=BRISK))
    assert found.faults() == [("TIMEOUT", 0, "move")]
    evidence = found.records[0].evidence
    assert evidence is not None
    assert "plus what is left of a bank of 0.2 s" in evidence.detail
    number, seconds, bank_s = evidence.clock[-1]
    assert (number, bank_s) == (1, 0.0)
    assert seconds > BRISK.move_s + BRISK.bank_s


def test_the_bank_is_spent_by_slow_decisions_and_full_again_in_the_next_game(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    control = TimeControl(move_s=0.3, bank_s=0.6, connect_s=10.0, match_s=60.0)
    code = """
    game = slow = 0
    def start(message):
        global game, slow
        game, slow = message.game_start.game_id, (2, 3)[message.game_start.game_id > 1]
        return ready(message)
    def slowly(message):
        global slow
        if slow:
            slow -= 1
            time.sleep(0.5)
        return answer_first(message)
    serve(on_start=start, on_question=slowly)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=2, control=control))
    assert found.faults() == [("TIMEOUT", 0, "move")]
    assert found.terminations() == ["TARGET_REACHED", "TIMEOUT"]
    evidence = found.records[1].evidence
    assert evidence is not None
    (_, _, after_one), (_, _, after_two), (number, _, after_three) = evidence.clock
    assert number == 3
    assert 0.6 > after_one > after_two > after_three == 0.0


def test_a_match_that_takes_too_long_is_lost_by_who_thought_the_longest(
    table: Tables, tmp_path: Path
) -> None:
    control = TimeControl(move_s=5.0, bank_s=5.0, connect_s=10.0, match_s=1.0)
    slow = """
    def slowly(message):
        time.sleep({pause})
        return answer_first(message)
    serve(on_question=slowly)
    """
    slower = by_hand(tmp_path / "slower", slow.format(pause=0.01))
    slowest = by_hand(tmp_path / "slowest", slow.format(pause=0.4))
    folders = [slower, slowest]
    found = table.play(folders, table.job(folders, control=control, target=100))
    assert found.faults() == [("TIMEOUT", 1, "move")]
    evidence = found.records[0].evidence
    assert evidence is not None
    assert "longer than 1 s" in evidence.detail


# ------------------------------------------------------------------ plays that are none


@pytest.mark.parametrize(
    "wrongs",
    [
        {"tile=99": "99 is no tile", "tile=52": "52 is no tile", "end=9": "9 is no end"},
        {"end=pb.END_UNSPECIFIED": "0 is no end", "end=pb.END_START": "", "tile=2**31": "no tile"},
    ],
)
def test_a_play_that_cannot_be_is_an_illegal_move(
    wrongs: dict[str, str], table: Tables, honest: Path, tmp_path: Path
) -> None:
    changes = ", ".join(f"dict({change})" for change in wrongs)
    code = f"""
    def wrong(message):
        question = message.questions.questions[0]
        if len(question.ends) == 0:
            return answer_first(message)
        said = answer(question)
        for name, value in ({changes})[question.game_id - 1].items():
            setattr(said, name, value)
        return [answers(said)]
    serve(on_question=wrong)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=3, target=100))
    assert found.faults() == [("ILLEGAL_MOVE", 0, "move")] * 3
    for record, says in zip(found.records, wrongs.values(), strict=True):
        assert record.evidence is not None
        assert says in record.evidence.detail
        assert verify(record.replay) == []


# ------------------------------------------------------------------ leaving


def test_a_bot_that_leaves_while_the_other_thinks_has_crashed(
    table: Tables, tmp_path: Path
) -> None:
    leaver = """
    import threading
    def leave(message):
        threading.Timer(0.05, os._exit, [9]).start()
        return answer_first(message)
    serve(on_question=leave)
    """
    thinker = """
    def think(message):
        time.sleep(0.3)
        return answer_first(message)
    serve(on_question=think)
    """
    folders = [by_hand(tmp_path / "leaver", leaver), by_hand(tmp_path / "thinker", thinker)]
    found = table.play(folders, table.job(folders, target=100))
    assert found.faults() == [("CRASH", 0, "move")]
    evidence = found.records[0].evidence
    assert evidence is not None
    assert evidence.exit_code == 9
    assert "exit code 9" in evidence.detail


def test_a_bot_that_dies_between_games_loses_the_next_one_and_starts_afresh(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    import threading
    def end(message):
        threading.Timer(0.05, os._exit, [9]).start()
        return ready(message)
    def start(message):
        if message.game_start.game_id > first:
            time.sleep(10)  # it is about to be dead
        return ready(message)
    first = 99
    def first_start(message):
        global first
        first = min(first, message.game_start.game_id)
        return start(message)
    serve(on_start=first_start, on_end=end)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest], matches=4))
    played, crashed = "TARGET_REACHED", "CRASH"
    assert found.terminations() == [played, crashed, played, crashed]
    assert found.faults() == [(crashed, 0, "start of game")] * 2
    assert len(found.by_bot[0]) == 2
    assert len(found.by_bot[1]) == 1, "the other one plays on in its process"


def test_a_stream_that_ends_in_order_while_the_process_leaves_well_is_a_disconnect(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = by_hand(tmp_path / "bot", "serve(on_question=lambda message: sys.exit(0))")
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == [("DISCONNECT", 0, "move")]
    assert found.records[0].evidence is not None
    assert found.records[0].evidence.exit_code == 0


def test_its_last_words_are_kept_for_the_author(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    code = """
    def boast(message):
        print("thinking" * 2000)
        sys.stdout.buffer.write(b"\\xff\\xfe\\x1b[31m bytes\\n")
        for number in range(100):
            print("line", number)
        raise RuntimeError("out of ideas")
    serve(on_question=boast)
    """
    bot = by_hand(tmp_path / "bot", code)
    found = table.play([bot, honest], table.job([bot, honest]))
    assert found.faults() == [("CRASH", 0, "move")]
    evidence = found.records[0].evidence
    assert evidence is not None
    assert evidence.log[-1] == "RuntimeError: out of ideas"
    assert "line 99" in evidence.log
    assert "line 10" not in evidence.log
    assert max(map(len, evidence.log)) <= 4096
    assert MatchRecord.from_dict(json.loads(json.dumps(found.records[0].to_dict())))


# ------------------------------------------------------------------ notes


def note_bot(folder: Path, note: str) -> Path:
    code = f"""
    def remark(message):
        question = message.questions.questions[0]
        return [answers(answer(question, note={note}))]
    serve(on_question=remark)
    """
    return by_hand(folder, code)


def notes_of(record: MatchRecord) -> list[str]:
    return [play.note for play in parse_replay(record.replay).plays if play.note]


NOTES = (
    ("x" * 10_000, "x" * 200),
    ("é" * 5_000, "é" * 100),
    ("x" + "é" * 5_000, "x" + "é" * 99),
    ("domino 🁫" * 20, ("domino 🁫" * 20).encode()[:200].decode(errors="ignore")),
    ("\x1b[2J\x07\0\r\n", "\x1b[2J\x07\0\r\n"),
    ("</script>", "</script>"),
    ("\u202egnp\u2028", "\u202egnp\u2028"),
)


def test_a_note_is_kept_up_to_200_bytes_as_it_is_and_outside_the_chain(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    said = [note for note, _ in NOTES]
    bot = note_bot(tmp_path / "bot", f"{said!a}[message.questions.questions[0].game_id - 1]")
    quiet = by_hand(tmp_path / "quiet", "serve()")
    job = table.job([bot, honest], matches=len(NOTES))
    found, expected = table.play([bot, honest], job), table.play([quiet, honest], job)
    assert found.faults() == []
    for number, (record, (_, kept)) in enumerate(zip(found.records, NOTES, strict=True)):
        assert notes_of(record) == [kept] * record.usage[found.seat_of(number, 0)].decisions
        assert record.replay.isascii()
        assert verify(record.replay) == []
        assert core(record) == core(expected.records[number])


def test_the_notes_of_a_match_have_16_kib_together(
    table: Tables, honest: Path, tmp_path: Path
) -> None:
    bot = note_bot(tmp_path / "bot", "'x' * 10_000")
    found = table.play([bot, honest], table.job([bot, honest], target=400, matches=2))
    for number, record in enumerate(found.records):
        assert record.usage[found.seat_of(number, 0)].decisions > 82
        assert [len(note) for note in notes_of(record)] == [200] * (16 * 1024 // 200)
