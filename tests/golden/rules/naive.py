"""A slow second engine that knows the rules in its own words: lists, pairs, every turning tried.

It shares no code with ``dominobot.rules``; the golden counts are compared with both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Pair = tuple[int, int]


class Table(NamedTuple):
    """A round in the middle: hands and boneyard as lists of pairs, the chain as it lies."""

    hands: list[list[Pair]]
    boneyard: list[Pair]
    chain: list[Pair]
    seat: int
    forced: Pair | None
    passes: int


def deal(deck: list[Pair], seats: int, each: int, winner: int | None) -> Table:
    hands = [deck[seat * each : (seat + 1) * each] for seat in range(seats)]
    boneyard = deck[seats * each :]
    if winner is not None:
        return Table(hands, boneyard, [], winner, None, 0)
    dealt = [tile for hand in hands for tile in hand]
    doubles = [tile for tile in dealt if tile[0] == tile[1]]
    first = max(doubles or dealt, key=lambda tile: (sum(tile), max(tile)))
    seat = next(seat for seat in range(seats) if first in hands[seat])
    return Table(hands, boneyard, [], seat, first, 0)


def placements(table: Table) -> list[list[Pair]]:
    """The chains that the seat in turn can make, no two of them with the same tile and ends."""
    found: dict[tuple[Pair, Pair], list[Pair]] = {}
    for tile in table.hands[table.seat]:
        for halves in (tile, tile[::-1]):
            if not table.chain:
                if table.forced in (None, tile):
                    found.setdefault((tile, tile), [tile])
                continue
            if halves[1] == table.chain[0][0]:
                longer = [halves, *table.chain]
                found.setdefault((tile, (longer[0][0], longer[-1][1])), longer)
            if halves[0] == table.chain[-1][1]:
                longer = [*table.chain, halves]
                found.setdefault((tile, (longer[0][0], longer[-1][1])), longer)
    # With equal ends, left and right give the same two ends the other way round: one choice.
    choices: dict[tuple[Pair, Pair], list[Pair]] = {}
    for (tile, ends), chain in found.items():
        is_equal = bool(table.chain) and table.chain[0][0] == table.chain[-1][1]
        key = (tile, (min(ends), max(ends))) if is_equal else (tile, ends)
        choices.setdefault(key, chain)
    return list(choices.values())


def draw(table: Table, rule: str, reserve: int) -> Table:
    """What the seat in turn draws if it cannot place."""
    hand, boneyard = list(table.hands[table.seat]), list(table.boneyard)
    hands = list(table.hands)
    drawn = 0
    while not placements(table._replace(hands=hands)):
        if rule == "none" or len(boneyard) <= reserve or (rule == "one" and drawn):
            break
        hand.append(boneyard.pop(0))
        drawn += 1
        hands[table.seat] = list(hand)
    return table._replace(hands=hands, boneyard=boneyard)


def is_over(table: Table, rule: str, reserve: int) -> bool:
    """Whether somebody went out, or every seat has passed with nothing left to draw."""
    if any(not hand for hand in table.hands):
        return True
    is_dry = rule == "none" or len(table.boneyard) <= reserve
    return is_dry and table.passes >= len(table.hands)


def turns(table: Table, rule: str, reserve: int) -> Iterator[Table]:
    """Every table that one turn can lead to."""
    drawn = draw(table, rule, reserve)
    after = (table.seat + 1) % len(table.hands)
    chains = placements(drawn)
    for chain in chains:
        before = [tuple(sorted(tile)) for tile in drawn.chain]
        laid = next(t for t in map(tuple, map(sorted, chain)) if t not in before)
        hands = list(drawn.hands)
        hands[table.seat] = [tile for tile in hands[table.seat] if tuple(sorted(tile)) != laid]
        yield Table(hands, drawn.boneyard, chain, after, None, 0)
    if not chains:
        yield drawn._replace(seat=after, passes=table.passes + 1)


def counts(table: Table, depth: int, rule: str, reserve: int = 0) -> list[int]:
    """How many ways there are to go on for 1, 2, ... ``depth`` turns; an ended round has none."""
    tables = [table]
    found = []
    for _ in range(depth):
        tables = [
            after
            for before in tables
            if not is_over(before, rule, reserve)
            for after in turns(before, rule, reserve)
        ]
        found.append(len(tables))
    return found
