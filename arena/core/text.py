"""Text of strangers made safe to show."""

from __future__ import annotations

import unicodedata

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def printable(text: str) -> str:
    """The text with control, format, surrogate, private and unassigned characters as escapes.

    They could otherwise move the cursor, colour the screen, answer in the terminal's name or turn
    the direction of writing. A line break is one of them.
    """
    return "".join(
        char
        if unicodedata.category(char) not in _HIDDEN
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )
