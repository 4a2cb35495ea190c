"""Text of strangers made safe to show."""

from __future__ import annotations

import pytest

from arena.core.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, café, 麻雀, 🁫", "plain, café, 麻雀, 🁫"),
        ("\x1b[2Jgone\r\n", "\\x1b[2Jgone\\r\\n"),
        ("\x9b6n", "\\x9b6n"),
        ("left\u202eright", "left\\u202eright"),
        ("\ud800", "\\ud800"),
        ("\ue000\u2028", "\\ue000\\u2028"),
    ],
)
def test_what_could_act_on_a_screen_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown
