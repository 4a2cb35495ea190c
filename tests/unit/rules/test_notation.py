from __future__ import annotations

import pytest
from dominobot.rules import (
    Pass,
    Play,
    RoundLog,
    RulesError,
    Tile,
    Variant,
    play_decks,
    random_chooser,
)
from dominobot.rules.notation import (
    TurnText,
    chain_text,
    parse_tiles,
    parse_turn,
    play_words,
    round_words,
    tiles_text,
    turn_text,
)

from tests.unit.rules.decks import deck_with


def test_tiles_and_chains_are_digits() -> None:
    assert tiles_text([Tile(2, 5), Tile(0, 0)]) == "25 00"
    assert parse_tiles("52 00") == (Tile(2, 5), Tile(0, 0))
    assert (tiles_text([]), parse_tiles("")) == ("", ())
    assert chain_text([(6, 2), (2, 5)]) == "62-25"


def test_a_turn_is_one_line_and_reads_back() -> None:
    items = play_decks(
        Variant.preset("coffret", seats=3), [tuple(sorted(deck_with([])))], random_chooser(1)
    )
    log = next(item for item in items if isinstance(item, RoundLog))
    for turn in log.turns:
        assert parse_turn(turn_text(turn)) == (turn.seat, turn.drew, turn.move)
    assert parse_turn("0 +14 +25 25L") == TurnText(0, (Tile(1, 4), Tile(2, 5)), Play.parse("25L"))
    assert parse_turn("3 pass") == (3, (), Pass())


@pytest.mark.parametrize(
    "text", ["", "0", "25L", "x 25L", "0 14 25L", "0 draw", "0 +14", "0 +77 25L"]
)
def test_what_is_no_turn_is_refused(text: str) -> None:
    with pytest.raises(RulesError):
        parse_turn(text)


def test_a_round_is_told_in_words() -> None:
    variant = Variant.preset("famille", deal=2, target=None)
    items = play_decks(variant, [deck_with(["66 26", "11 22"], "00 16")], random_chooser(1))
    log = next(item for item in items if isinstance(item, RoundLog))
    assert round_words(log) == (
        "round 1: seat 0 opens with the highest double",
        "  seat 0 lays 66 first",
        "  seat 1 draws 00 16 and lays 16 left",
        "  seat 0 lays 26 right",
        "  seat 0 goes out and scores 6",
        "  chain 16-66-62",
        "  seat 1 is left with 00 11 22 (6 points)",
        "  totals 6 0",
    )
    assert play_words(Play.parse("25R")) == "25 right"


def test_a_blocked_round_is_told_in_words() -> None:
    variant = Variant.preset("block", deal=2)
    decks = [deck_with(["66 04", "00 13"]), deck_with(["66 55", "11 22"])]
    logs = [x for x in play_decks(variant, decks, random_chooser(1)) if isinstance(x, RoundLog)]
    tied, won = map(round_words, logs)
    assert "  seat 1 passes" in tied
    assert "  blocked, and nobody has the lowest hand alone: nobody scores" in tied
    assert "  blocked, seat 1 has the lowest hand and scores 10" in won
