"""Whole matches told in words, kept as files to be read by people.

``python -m tests.golden.rules.test_playthroughs`` writes the files anew after an intended change
of the words; the game itself must never change.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.rules import (
    MatchResult,
    RoundLog,
    Variant,
    deal_seed,
    play_decks,
    random_chooser,
    round_deck,
)
from dominobot.rules.notation import round_words

FOLDER = Path(__file__).parent / "playthroughs"

VARIANTS = {
    "famille-2": Variant.preset("famille", target=50),
    "famille-4": Variant.preset("famille", seats=4, target=60),
    "coffret-3": Variant.preset("coffret", seats=3, target=40),
    "kawu-3-single-round": Variant.preset("kawu", seats=3, target=None),
    "block-2-carried-difference": Variant.preset(
        "block", target=40, tie="carried", count="difference"
    ),
    "famille-2-reserve": Variant.preset("famille", target=40, reserve=2),
}


def playthrough(name: str) -> str:
    """The match of this name, in words."""
    seed = deal_seed(b"playthrough", name, 0, 0)
    lines: list[str] = []
    for item in play_decks(
        VARIANTS[name], lambda round_no: round_deck(seed, round_no), random_chooser(len(name))
    ):
        if isinstance(item, RoundLog):
            lines += [*round_words(item), ""]
        elif isinstance(item, MatchResult):
            lines.append(f"ranks {' '.join(map(str, item.ranks))}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", VARIANTS)
def test_a_match_is_told_in_the_same_words(name: str) -> None:
    assert playthrough(name) == (FOLDER / f"{name}.txt").read_text()


if __name__ == "__main__":
    for name in VARIANTS:
        (FOLDER / f"{name}.txt").write_text(playthrough(name))
