from __future__ import annotations

import pytest
from dominobot.rules import Draw, End, Pass, Play, RulesError, Tile
from dominobot.rules.moves import PLAYS, parse_move, play_of


def test_a_play_is_written_as_tile_and_end() -> None:
    assert str(Play(Tile(2, 5), End.LEFT)) == "25L"
    assert Play.parse("25L") == Play.parse("52L") == Play(Tile(2, 5), End.LEFT)
    assert [str(parse_move(word)) for word in ("66S", "draw", "pass")] == ["66S", "draw", "pass"]
    assert parse_move("draw") == Draw()
    assert parse_move("pass") == Pass()


def test_a_note_does_not_make_another_play() -> None:
    noted = Play(Tile(2, 5), End.LEFT, note="a hunch")
    assert noted == Play.parse("25L")
    assert hash(noted) == hash(Play.parse("25L"))
    assert noted != Play.parse("25R")


def test_a_number_names_a_play_in_every_position() -> None:  # mistake 6
    assert [play.number for play in PLAYS] == list(range(84))
    assert len({str(play) for play in PLAYS}) == 84
    assert play_of(Tile(0, 1), End.RIGHT).number == 5


def test_halves_of_a_play_may_come_in_any_order() -> None:
    assert Play(Tile(5, 2), End.LEFT) == Play.parse("25L")
    assert Play(Tile(5, 2), End.LEFT).tile == Tile(2, 5)


def test_a_tile_outside_the_set_makes_no_play() -> None:
    with pytest.raises(RulesError, match="no tile 7-9"):
        Play(Tile(7, 9), End.LEFT)


@pytest.mark.parametrize("text", ["", "25", "25X", "L", "255L", "77L", "Draw", "25l"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(RulesError, match="is no"):
        parse_move(text)
