"""The helpers that authors use in their own tests."""

from __future__ import annotations

import pytest
from dominobot import Bot, Drew, End, Passed, Play, Played, RoundStart, Tile, View
from dominobot.errors import DominobotError
from dominobot.rules import RulesError, VariantError
from dominobot.tactics import ends_after, hand_after
from dominobot.testing import ask, play_against_random, view_from


def legal(text: str) -> list[str]:
    return [str(play) for play in view_from(text).legal]


def test_hand_and_ends_make_a_view() -> None:
    view = view_from("hand 65 12 | ends 2 6")
    assert view.hand == (Tile(1, 2), Tile(5, 6))
    assert view.ends == (2, 6)
    assert view.counts == (2, 7)
    assert (view.seat, view.round_no, view.totals, view.chain) == (0, 1, (0, 0), ())
    assert view.variant.name == "famille"
    assert [str(play) for play in view.legal] == ["12L", "56R"]


def test_legal_plays_follow_from_hand_and_ends() -> None:
    assert legal("hand 26 11 | ends 2 6") == ["26L", "26R"]
    assert legal("hand 26 22 01 | ends 2 2") == ["22L", "26L"]
    assert legal("hand 26 11") == ["11S", "26S"]
    assert legal("hand 34 | ends 0 0") == []


def test_turns_make_chain_ends_counts_and_events() -> None:
    view = view_from("hand 05 11 | turns 1:66S 0:26L 1:draw2 1:pass 0:16R | variant coffret")
    assert view.chain == ((2, 6), (6, 6), (6, 1))
    assert view.ends == (2, 1)
    assert view.counts == (2, 8)
    assert view.boneyard == 28 - 2 - 8 - 3
    assert view.opener == 1
    assert view.events == (
        RoundStart(1, 1, "double"),
        Played(1, Tile(6, 6), End.START),
        Played(0, Tile(2, 6), End.LEFT),
        Drew(1, 2),
        Passed(1),
        Played(0, Tile(1, 6), End.RIGHT),
    )
    assert view.variant.draw == "one"


def test_every_other_part_can_be_said() -> None:
    view = view_from(
        "hand 05 | ends 0 1 | counts 3 1 4 | boneyard 9 | totals 0 50 99 | seat 1 | round 4 "
        "| variant kawu | seats 3 | target 150"
    )
    assert (view.counts, view.boneyard, view.totals) == ((3, 1, 4), 9, (0, 50, 99))
    assert (view.seat, view.round_no) == (1, 4)
    assert (view.variant.name, view.variant.seats, view.variant.target) == ("kawu", 3, 150)
    assert view.opponents == (2, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no key ''; the keys are hand,"),
        ("ends 2 3", "the hand is missing; write for example"),
        ("hand", "the hand is missing"),
        ("hand 12 | hand 12", "the key 'hand' is there twice"),
        ("hand 17", "'17' is no tile"),
        ("hand 12 | ends 2", "ends needs 2 values, not 1"),
        ("hand 12 | ends a b", "ends needs numbers, not 'a b'"),
        ("hand 12 | turns 66S", "'66S' is no turn; write for example 1:66S"),
        ("hand 12 | turns 1:66S 0:12L", "12"),
        ("hand 12 | turns 1:66S | ends 6 6", "turns and ends are both there"),
        ("hand 12 | seats 9", "option seats cannot be 9"),
        ("hand 12 | variant muggins", "there is no variant 'muggins'"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(DominobotError) as caught:
        view_from(text)
    assert str(caught.value).startswith("view_from: ")
    assert said in str(caught.value)


class Heaviest(Bot):
    def choose(self, view: View) -> Play:
        return self.best_of(view.legal, lambda play: play.tile.pips)


class Broken(Bot):
    def choose(self, view: View) -> Play:
        raise LookupError("lost")


def test_ask_puts_a_view_to_a_fresh_bot() -> None:
    assert str(ask(Heaviest, view_from("hand 12 25 56 | ends 2 6"))) == "56R"


def test_ask_lets_the_bots_own_exception_through() -> None:
    with pytest.raises(LookupError, match="lost"):
        ask(Broken, view_from("hand 12 25 56 | ends 2 6"))


def test_games_against_random_are_counted_and_repeat() -> None:
    result = play_against_random(Heaviest, games=30)
    assert result.games == result.won + result.lost + result.drawn == 30
    assert result.faults == []
    assert (result.won, result.points) == (
        play_against_random(Heaviest, games=30).won,
        play_against_random(Heaviest, games=30).points,
    )


def test_games_take_variant_and_options() -> None:
    result = play_against_random(Heaviest, games=4, variant="block", seats=4, target=None)
    assert result.games == 4


def test_a_fault_is_counted_against_the_bot() -> None:
    result = play_against_random(Broken, games=2)
    assert [fault.reason for fault in result.faults] == ["LookupError: lost"] * 2


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(VariantError):
        play_against_random(Heaviest, variant="famille", jokers=2)


@pytest.mark.parametrize(
    ("text", "play", "ends"),
    [
        ("hand 26", "26S", (2, 6)),
        ("hand 26 | ends 2 5", "26L", (6, 5)),
        ("hand 26 | ends 5 2", "26R", (5, 6)),
        ("hand 26 | ends 6 2", "26R", (6, 6)),
        ("hand 22 | ends 2 5", "22L", (2, 5)),
    ],
)
def test_the_ends_after_a_play(text: str, play: str, ends: tuple[int, int]) -> None:
    assert ends_after(view_from(text), Play.parse(play)) == ends


def test_the_ends_after_a_play_that_does_not_fit_are_an_error() -> None:
    with pytest.raises(RulesError):
        ends_after(view_from("hand 26 | ends 1 5"), Play.parse("26L"))


def test_the_hand_after_a_play() -> None:
    view = view_from("hand 12 26 | ends 1 5")
    assert hand_after(view, Play.parse("12L")) == (Tile(2, 6),)
