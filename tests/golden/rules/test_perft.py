"""Prove by counting: how many ways a fixed deal can go, to a depth of n turns.

``perft.txt`` has a line for each deal: the variant's name, seats, options, who opens ("-" by the
highest double), the deck, and behind the colon the counts for 1, 2, 3, ... turns. A turn is a
distinct placement with the draws before it, or a pass; a round that is over goes on in no way.
The counts were made by the slow counter in ``naive.py`` and are compared with both engines.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from dominobot.rules import Draw, Round, Tile, Variant
from dominobot.rules.notation import parse_tiles

from tests.golden.rules import naive


class Case(NamedTuple):
    variant: Variant
    winner: int | None
    deck: tuple[Tile, ...]
    counts: tuple[int, ...]


def read_case(line: str) -> Case:
    words, counts = line.split(":")
    name, seats, options, winner, *deck = words.split()
    settings = dict(option.split("=") for option in options.split(",")) if options != "-" else {}
    numbers = {key: int(value) for key, value in settings.items()}
    return Case(
        Variant.preset(name, seats=int(seats), **numbers),
        None if winner == "-" else int(winner),
        parse_tiles(" ".join(deck)),
        tuple(map(int, counts.split())),
    )


LINES = (Path(__file__).parent / "perft.txt").read_text().splitlines()
every_line = pytest.mark.parametrize("line", LINES)


def after_one_turn(state: Round) -> list[Round]:
    """Every state that one turn can lead to, through the public functions of the engine."""
    states = []
    for move in state.moves():
        after = state.after(move)
        states += after_one_turn(after) if isinstance(move, Draw) else [after]
    return states


@every_line
def test_the_engine_finds_every_continuation_once(line: str) -> None:
    case = read_case(line)
    states = [Round.deal(case.variant, case.deck, case.winner)]
    for expected in case.counts:
        states = [after for state in states for after in after_one_turn(state)]
        assert len(states) == expected


@every_line
def test_a_slow_counter_with_lists_finds_the_same_numbers(line: str) -> None:
    case = read_case(line)
    variant = case.variant
    pairs = [(tile.low, tile.high) for tile in case.deck]
    table = naive.deal(pairs, variant.seats, variant.deal, case.winner)
    counts = naive.counts(table, len(case.counts), variant.draw, variant.reserve)
    assert tuple(counts) == case.counts
