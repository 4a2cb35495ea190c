"""Words and small drawings: what bots write cannot reach the terminal as more than text."""

from __future__ import annotations

import pytest

from arena.cli.render_plot import Scale, sparkline
from arena.cli.render_tiles import chain_text, tile_text
from arena.cli.words import FAULTS, NOBODYS, clean, ending, level_text, plural
from arena.core.verdict import Termination, Verdict


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain [red]text[/]", "plain [red]text[/]"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\ud800 lone", "\\ud800 lone"),
        ("é 🁫", "é 🁫"),
    ],
)
def test_control_characters_are_shown_and_not_sent(text: str, safe: str) -> None:
    assert clean(text) == safe


def test_long_text_is_cut() -> None:
    assert clean("abcdef", 4) == "abc…"


def test_every_termination_has_its_sentence() -> None:
    assert {*FAULTS, *NOBODYS} == set(Termination)
    assert all(("{bot}" in FAULTS[word]) == word.is_fault for word in FAULTS)


def test_endings_are_sentences() -> None:
    bots = ("ada", "bix")
    assert ending(Verdict(Termination.TARGET_REACHED, (1, 2), (103, 87)), bots) == (
        "ada won, 103-87"
    )
    assert ending(Verdict(Termination.TARGET_REACHED, (1, 1), (0, 0)), bots) == (
        "drawn between ada and bix, 0-0"
    )
    assert ending(Verdict(Termination.TIMEOUT, (1, 2), (3, 9), 1), bots) == (
        "bix did not answer within its time and lost (TIMEOUT)"
    )


def test_numbers_agree_with_their_nouns() -> None:
    assert plural(1, "match", "matches") == "1 match"
    assert plural(2000, "match", "matches") == "2,000 matches"
    assert level_text(["full", "practice"]) == (
        "sandboxed at level full, some sandboxed at level practice"
    )


def test_doubles_look_different_and_chains_lie_as_they_were_laid() -> None:
    assert tile_text(6, 6).plain == "[6‖6]"
    assert chain_text([(5, 6), (6, 6), (6, 2)]).plain == "[5|6] [6‖6] [6|2]"
    assert chain_text([]).plain == "–"


def test_an_interval_is_drawn_where_it_is_on_the_scale() -> None:
    scale = Scale(0.0, 10.0, 11)
    assert scale.draw(5.0, 2.0).plain == "   ├─●─┤   "
    assert scale.draw(0.0, None).plain == "●          "
    assert Scale.over([], 10) is None


def test_a_line_over_time_ends_with_the_last_value() -> None:
    assert sparkline([0.0, 5.0, 10.0], 0.0, 10.0, 40) == "▁▅█"
    assert sparkline([float(value) for value in range(100)], 0.0, 99.0, 10)[-1] == "█"
    assert sparkline([], 0.0, 1.0, 10) == ""
