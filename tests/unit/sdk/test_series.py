"""The bot's side of a series, driven by messages alone."""

from __future__ import annotations

import pytest
from dominobot import Bot, GameInfo, GameResult, Play, RoundEnd, View
from dominobot.errors import WireError
from dominobot.rules import Match, Variant, deal_seed, round_deck
from dominobot.series import Series
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb

VARIANT = Variant.preset("famille", seats=3, target=40)


class Diary(Bot):
    """Plays the first legal play and writes down what it is told."""

    diaries: list[list[object]]

    def on_game_start(self, info: GameInfo) -> None:
        self.diary: list[object] = [info]
        self.diaries.append(self.diary)

    def choose(self, view: View) -> Play:
        self.diary.append(view)
        return view.legal[0]

    def on_round_end(self, event: RoundEnd) -> None:
        self.diary.append(event)

    def on_game_end(self, result: GameResult) -> None:
        self.diary.append(result)


def new_diary() -> type[Diary]:
    return type("FreshDiary", (Diary,), {"diaries": []})


def start(series: Series, game_id: int, seat: int) -> None:
    message = codec.game_start(game_id, VARIANT, seat, bot_seed=100 + game_id)
    reply = series.reply(pb.PlayResponse(game_start=message))
    assert reply == pb.PlayRequest(ready=pb.Ready(game_id=game_id))


def match(deal: int = 1) -> Match:
    seed = deal_seed(b"series", "test", 1, deal)
    return Match(VARIANT, lambda round_no: round_deck(seed, round_no))


def ask(series: Series, questions: list[pb.Question]) -> list[pb.Answer]:
    reply = series.reply(pb.PlayResponse(questions=pb.Questions(questions=questions)))
    assert reply is not None
    return list(reply.answers.answers)


def test_a_bot_hears_a_game_as_the_rules_tell_it() -> None:
    diary = new_diary()
    series, game, seat, since = Series(diary), match(), 1, 0
    start(series, 7, seat)
    views = []
    while (decision := game.next_decision()) is not None:
        if decision.seat != seat:
            game.play(decision.legal[-1])
            continue
        views.append(game.view(seat))
        question = codec.question(7, len(views), game, decision, since, 1500, 4000)
        since = len(game.events)
        [answer] = ask(series, [question])
        decision_id, play = codec.read_answer(answer)
        assert decision_id == len(views)
        game.play(play)
    result = game.result()
    end = codec.game_end(7, game, since, "TARGET_REACHED", result.ranks, result.scores, None)
    assert series.reply(pb.PlayResponse(game_end=end)) is not None

    [told] = diary.diaries
    assert told[0] == GameInfo(VARIANT, seat, 107)
    assert told[-1] == GameResult(seat, "TARGET_REACHED", result.ranks, result.scores)
    seen = [entry for entry in told if isinstance(entry, View)]
    assert [(view.limit_s, view.bank_s) for view in seen] == [(1.5, 4.0)] * len(views)
    for view, expected in zip(seen, views, strict=True):
        for field in ("hand", "legal", "ends", "chain", "counts", "boneyard", "events", "rounds"):
            assert getattr(view, field) == getattr(expected, field)
    assert [entry for entry in told if isinstance(entry, RoundEnd)] == [
        event for event in game.events if isinstance(event, RoundEnd)
    ]


def test_a_batch_is_answered_as_a_batch_with_a_bot_object_a_game() -> None:
    diary = new_diary()
    series = Series(diary)
    questions = []
    for game_id in (1, 2, 3):
        game = match(game_id)
        decision = game.next_decision()
        assert decision is not None
        start(series, game_id, decision.seat)
        questions.append(codec.question(game_id, 10 * game_id, game, decision, 0, 1000, 0))
    answers = ask(series, questions)
    assert [answer.decision_id for answer in answers] == [10, 20, 30]
    assert [len(told) for told in diary.diaries] == [2, 2, 2]


def test_a_note_travels_with_the_answer() -> None:
    class Noting(Bot):
        def choose(self, view: View) -> Play:
            return Play(view.legal[0].tile, view.legal[0].end, note="why not")

    series, game = Series(Noting), match()
    decision = game.next_decision()
    assert decision is not None
    start(series, 1, decision.seat)
    [answer] = ask(series, [codec.question(1, 1, game, decision, 0, 1000, 0)])
    assert answer.note == "why not"
    assert codec.read_answer(answer)[1].note == "why not"


def test_a_fault_of_another_seat_is_told() -> None:
    diary = new_diary()
    series = Series(diary)
    start(series, 1, 0)
    end = codec.game_end(1, match(), 0, "TIMEOUT", (1, 3, 1), (0, 0, 0), 1)
    series.reply(pb.PlayResponse(game_end=end))
    assert diary.diaries[0][-1] == GameResult(0, "TIMEOUT", (1, 3, 1), (0, 0, 0), 1)


def test_welcome_needs_no_reply_and_goodbye_ends() -> None:
    series = Series(new_diary())
    assert series.reply(pb.PlayResponse(welcome=pb.Welcome(move_limit_ms=1000))) is None
    assert series.goodbye is None
    assert series.reply(pb.PlayResponse(goodbye=pb.Goodbye(reason="enough"))) is None
    assert series.goodbye == "enough"


def test_a_message_about_an_unknown_game_is_an_error() -> None:
    series = Series(new_diary())
    with pytest.raises(WireError, match="game 9, which is not in progress"):
        ask(series, [pb.Question(game_id=9)])


def test_a_game_that_has_ended_is_forgotten() -> None:
    series = Series(new_diary())
    start(series, 1, 0)
    end = pb.PlayResponse(game_end=pb.GameEnd(game_id=1, ranks=[1, 1, 1], totals=[0, 0, 0]))
    series.reply(end)
    with pytest.raises(WireError, match="game 1, which is not in progress"):
        series.reply(end)


def test_a_message_of_the_future_is_an_error_that_says_so() -> None:
    with pytest.raises(WireError, match="unknown to this library"):
        Series(new_diary()).reply(pb.PlayResponse())
