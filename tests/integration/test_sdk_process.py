"""A real bot process on a real socket, against a scripted arena."""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.rules import Match, Variant, deal_seed, round_deck
from dominobot.rules.play import random_chooser
from dominobot.testing.peer import TOKEN, ScriptedArena
from dominobot.version import __version__
from dominobot.wire.v1 import match_pb2 as pb

SAMPLES = Path(__file__).parents[2] / "sample_bots"
SAMPLE_BOTS = sorted(file.parent for file in SAMPLES.glob("*/bot.toml"))


def write_bot(folder: Path, body: str, toml: str = 'name = "tested"\n') -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(toml)
    (folder / "main.py").write_text(
        f"import sys, time\nfrom dominobot import Bot, Play, run\n{body}\nrun(Tested)\n"
    )
    return folder


def match(variant: str = "famille", seats: int = 2, deal: int = 1) -> Match:
    seed = deal_seed(b"process", "test", 1, deal)
    return Match(Variant.preset(variant, seats=seats), lambda round_no: round_deck(seed, round_no))


@pytest.mark.parametrize("folder", SAMPLE_BOTS, ids=lambda folder: folder.name)
async def test_a_sample_bot_plays_a_whole_match_over_the_wire(folder: Path, tmp_path: Path) -> None:
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(folder)
        await arena.hello()
        game = match()
        result = await arena.play_match(game, seat=0, choose=random_chooser(1))
        assert await arena.goodbye() == 0
    assert game.is_over
    assert max(result.scores) >= 100
    assert arena.log == ""


async def test_several_matches_of_a_series_run_in_one_process(tmp_path: Path) -> None:
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(SAMPLES / "counter")
        await arena.hello()
        for game_id in (1, 2, 3):
            game = match("coffret", seats=4, deal=game_id)
            await arena.play_match(
                game, seat=game_id, choose=random_chooser(2), game_id=game_id, bot_seed=9
            )
            assert game.is_over
        assert await arena.goodbye("that was all") == 0
    assert arena.log == "goodbye: that was all\n"


async def test_the_same_seed_gives_the_same_match(tmp_path: Path) -> None:
    plays = []
    for number in (1, 2):
        place = tmp_path / str(number)
        place.mkdir()
        async with ScriptedArena(place) as arena:
            await arena.start_bot(SAMPLES / "random")
            await arena.hello()
            game = match()
            await arena.play_match(game, seat=1, choose=random_chooser(3), bot_seed=77)
            plays.append(game.plays)
            await arena.goodbye()
    assert plays[0] == plays[1]


async def test_hello_says_who_speaks(tmp_path: Path) -> None:
    body = "class Tested(Bot):\n    def choose(self, view): return view.legal[0]"
    bot = write_bot(tmp_path / "bot", body, 'name = "many"\ngames_at_once = 16\n')
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(bot)
        hello = await arena.hello()
        await arena.goodbye()
    assert hello == pb.Hello(
        token=TOKEN,
        protocol=1,
        sdk=f"dominobot/{__version__}",
        language="python",
        games_at_once=16,
    )


async def test_questions_in_one_message_are_answered_in_one_message(tmp_path: Path) -> None:
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(SAMPLES / "heaviest")
        await arena.hello()
        games = {game_id: match(deal=game_id) for game_id in (5, 6, 7)}
        questions: list[pb.Question] = []
        for game_id, game in games.items():
            await arena.start_game(game, seat=0, game_id=game_id)
            question = arena.question(game, seat=0, game_id=game_id, choose=random_chooser(1))
            assert question is not None
            questions.append(question)
        await arena.send(questions=pb.Questions(questions=questions))
        answers = (await arena.receive()).answers.answers
        assert await arena.goodbye() == 0
    assert [answer.decision_id for answer in answers] == [
        question.decision_id for question in questions
    ]


async def test_an_exception_leaves_a_traceback_and_exit_code_1(tmp_path: Path) -> None:
    bot = write_bot(
        tmp_path / "bot",
        "class Tested(Bot):\n    def choose(self, view): return view.legal[1 // 0]",
    )
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(bot)
        await arena.hello()
        with pytest.raises(Exception, match="ended its stream"):
            await arena.play_match(match(), seat=0, choose=random_chooser(1))
        assert await arena.left() == 1
    assert "ZeroDivisionError" in arena.log
    assert 'main.py", line 4, in choose' in arena.log


@pytest.mark.parametrize("leave", ["sys.exit(0)", "raise KeyboardInterrupt"])
async def test_a_bot_that_leaves_by_itself_has_not_left_well(leave: str, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", f"class Tested(Bot):\n    def choose(self, view): {leave}")
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(bot)
        await arena.hello()
        with pytest.raises(Exception, match="ended its stream"):
            await arena.play_match(match(), seat=0, choose=random_chooser(1))
        assert await arena.left() == 1


async def test_what_is_no_play_is_named(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "class Tested(Bot):\n    def choose(self, view): pass")
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(bot)
        await arena.hello()
        with pytest.raises(Exception, match="ended its stream"):
            await arena.play_match(match(), seat=0, choose=random_chooser(1))
        assert await arena.left() == 1
    assert "Tested.choose returned None; return one of view.legal" in arena.log


async def test_a_bot_whose_arena_vanishes_leaves_and_says_so(tmp_path: Path) -> None:
    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(SAMPLES / "heaviest")
        await arena.hello()
        await arena.vanish()
        assert await arena.left() == 3
    assert "the arena" in arena.log or "UNAVAILABLE" in arena.log


async def test_a_broken_manifest_is_named_before_dialing(tmp_path: Path) -> None:
    body = "class Tested(Bot):\n    def choose(self, view): return view.legal[0]"
    bot = write_bot(tmp_path / "bot", body)
    async with ScriptedArena(tmp_path) as arena:
        (bot / "bot.toml").write_text('name = "x"\ngames_at_once = 0\n')
        await arena.start_process(bot, "main.py")
        assert await arena.left() == 2
    assert arena.log == "error: bot.toml: games_at_once: 0 is not between 1 and 64\n"
