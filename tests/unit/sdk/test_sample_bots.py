"""The sample bots: each one's strategy, in situations where it shows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from dominobot.bot import Bot
from dominobot.loading import LoadedBot, load_bot
from dominobot.rules import Variant
from dominobot.session import Session
from dominobot.testing import ask, view_from

SAMPLES = Path(__file__).parents[3] / "sample_bots"
NAMES = ("counter", "doubles", "heaviest", "random", "strong_suit", "varied")


@pytest.fixture(scope="module")
def bots() -> dict[str, LoadedBot]:
    return {name: load_bot(SAMPLES / name) for name in NAMES}


def choice(bot: type[Bot], text: str, seed: int = 0) -> str:
    return str(ask(bot, view_from(text), bot_seed=seed))


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_bot_is_short_and_tells_its_strategy(name: str) -> None:
    text = (SAMPLES / name / "main.py").read_text()
    assert len(text.splitlines()) <= 60
    assert len(ast.get_docstring(ast.parse(text)) or "") > 40


def test_there_are_six_and_each_carries_the_name_of_its_folder(
    bots: dict[str, LoadedBot],
) -> None:
    assert {folder.name for folder in SAMPLES.iterdir() if folder.is_dir()} == set(NAMES)
    assert all(bot.name == name for name, bot in bots.items())


@pytest.mark.parametrize("variant", ["famille", "coffret", "kawu", "block"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_play_every_variant_at_every_number_of_seats(
    variant: str, seats: int, bots: dict[str, LoadedBot]
) -> None:
    rules = Variant.preset(variant, seats=seats, target=None)
    session = Session(list(bots.values()), rules, games=seats, seed="all")
    session.play()
    assert all(tally.faults == [] for tally in session.tallies())


def test_random_takes_every_choice_and_the_same_for_the_same_seed(
    bots: dict[str, LoadedBot],
) -> None:
    text, bot = "hand 12 25 56 | ends 2 6", bots["random"].bot_class
    assert {choice(bot, text, seed) for seed in range(50)} == {"12L", "25L", "56R"}
    assert choice(bot, text, 3) == choice(bot, text, 3)


def test_heaviest_lays_the_heaviest_tile(bots: dict[str, LoadedBot]) -> None:
    assert choice(bots["heaviest"].bot_class, "hand 11 26 56 | ends 1 6") == "56R"


def test_doubles_lays_a_double_before_a_heavier_tile(bots: dict[str, LoadedBot]) -> None:
    bot = bots["doubles"].bot_class
    assert choice(bot, "hand 11 26 56 | ends 1 6") == "11L"
    assert choice(bot, "hand 11 66 56 | ends 1 6") == "66R"
    assert choice(bot, "hand 12 26 56 | ends 1 6") == "56R"


def test_varied_keeps_both_ends_answerable(bots: dict[str, LoadedBot]) -> None:
    # 56 would be heavier but leaves a 5 that the rest of the hand cannot answer.
    assert choice(bots["varied"].bot_class, "hand 12 26 56 | ends 1 6") == "26R"


def test_strong_suit_opens_with_its_longest_value(bots: dict[str, LoadedBot]) -> None:
    assert choice(bots["strong_suit"].bot_class, "hand 23 24 25 66") == "25S"


def test_strong_suit_leaves_its_longest_value(bots: dict[str, LoadedBot]) -> None:
    # 56 is heavier, but after 26 two more twos are in hand.
    assert choice(bots["strong_suit"].bot_class, "hand 23 24 26 56 | ends 6 0") == "26L"


def test_counter_leaves_ends_that_the_next_seat_is_known_not_to_hold(
    bots: dict[str, LoadedBot],
) -> None:
    # The pass proved that seat 1 has neither 3 nor 6: 35 blocks it, 55 is heavier and a double.
    text = "hand 05 35 55 | turns 1:66S 0:36L 1:pass 0:34L 1:45L | counts 3 5 | boneyard 0"
    assert view_from(text).ends == (5, 6)
    assert choice(bots["counter"].bot_class, text) == "35L"


@pytest.mark.parametrize(
    ("turns", "lacks"),
    [
        ("1:66S 0:26L", set()),
        ("1:66S 0:36L 1:pass", {3, 6}),
        ("1:66S 0:36L 1:pass 0:13L 1:pass", {1, 3, 6}),
        ("1:66S 0:46L 1:draw1 1:45L", {4, 6}),
        ("1:66S 0:46L 1:draw3 1:45L", {4, 6}),
        # What was drawn later did not fit 4 or 6, but may well be a 3.
        ("1:66S 0:36L 1:draw1 1:pass 0:34L 1:draw1 1:pass", {4, 6}),
        ("1:66S 0:36L 1:draw1 1:13L 0:01L 1:draw1 1:26R", {0, 3, 6}),
        ("1:66S 0:draw2 0:36L 1:13L", set()),
    ],
)
def test_counter_knows_what_a_seat_lacks(
    turns: str, lacks: set[int], bots: dict[str, LoadedBot]
) -> None:
    lacking = bots["counter"].bot_class.choose.__globals__["lacking"]
    assert lacking(view_from(f"hand 55 | turns {turns} | variant coffret"), 1) == lacks
