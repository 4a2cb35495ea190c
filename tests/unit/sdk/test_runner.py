"""``run`` and the Bot class, short of a real arena."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dominobot import Bot, GameInfo, GameResult, Play, Variant, View, run
from dominobot.bot import ask_bot, start_bot
from dominobot.errors import BotError
from dominobot.runner import RunCalled, catching_run
from dominobot.testing import view_from

INFO = GameInfo(Variant.preset("famille"), seat=0, bot_seed=5)
VIEW = view_from("hand 12 26 56 | ends 2 6")


class First(Bot):
    def choose(self, view: View) -> Play:
        return view.legal[0]


@pytest.fixture
def _no_arena(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("DOMINOBOT_ADDRESS", raising=False)
    monkeypatch.delenv("DOMINOBOT_TOKEN", raising=False)
    yield


@pytest.mark.usefixtures("_no_arena")
def test_run_by_hand_says_what_to_do_and_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(First)
    assert left.value.code == 2
    assert "dominobot play" in capsys.readouterr().err


def test_run_wants_a_class_with_choose() -> None:
    class Half(Bot):
        pass

    with pytest.raises(TypeError, match=r"run got an object; give it the class itself: run\(First"):
        run(First())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"run got <class 'int'>; give it a subclass of Bot"):
        run(int)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Half has no method choose"):
        run(Half)  # type: ignore[type-abstract]


def test_a_caught_run_gives_its_class_and_only_inside_the_block() -> None:
    with catching_run(), pytest.raises(RunCalled) as caught:
        run(First)
    assert caught.value.bot_class is First
    assert not isinstance(caught.value, Exception)


def test_a_bot_has_its_chance_before_on_game_start_and_the_same_for_the_same_seed() -> None:
    class Tosses(First):
        def on_game_start(self, info: GameInfo) -> None:
            self.tosses = [self.random.random() for _ in range(3)]
            self.info = info

    first, second = (start_bot(Tosses, INFO) for _ in range(2))
    other = start_bot(Tosses, INFO._replace(bot_seed=6))
    assert isinstance(first, Tosses) and isinstance(second, Tosses) and isinstance(other, Tosses)
    assert first.tosses == second.tosses != other.tosses
    assert first.info == INFO


def test_a_bot_may_have_an_init_of_its_own_without_calling_super() -> None:
    class Own(First):
        def __init__(self) -> None:
            self.count = 0

    assert ask_bot(start_bot(Own, INFO), VIEW) in VIEW.legal


@pytest.mark.parametrize("value", [None, "12L", (1, 2)])
def test_what_is_no_play_is_an_error_that_shows_it(value: object) -> None:
    class Wrong(Bot):
        def choose(self, view: View) -> Play:
            return value  # type: ignore[return-value]

    with pytest.raises(BotError, match=r"Wrong.choose returned .*; return one of view.legal"):
        ask_bot(start_bot(Wrong, INFO), VIEW)


def test_best_of_takes_the_highest_and_leaves_ties_to_the_bots_own_chance() -> None:
    bot = start_bot(First, INFO)
    assert str(bot.best_of(VIEW.legal, lambda play: play.tile.pips)) == "56R"
    ties = {str(bot.best_of(VIEW.legal, lambda play: 0)) for _ in range(100)}
    assert ties == {str(play) for play in VIEW.legal}


def test_a_result_says_whether_the_bot_won() -> None:
    won = GameResult(1, "TARGET_REACHED", (2, 1), (40, 104))
    assert (won.rank, won.is_won) == (1, True)
    assert not won._replace(ranks=(1, 1)).is_won
    assert not won._replace(seat=0).is_won
