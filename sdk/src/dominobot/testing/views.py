"""Situations written down by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dominobot.errors import DominobotError
from dominobot.rules import (
    Drew,
    End,
    Event,
    Passed,
    Play,
    Played,
    RoundStart,
    RulesError,
    Tile,
    Variant,
    View,
    ViewTracker,
)
from dominobot.rules.moves import play_of
from dominobot.rules.tiles import ALL_TILES

KEYS = (
    "hand",
    "turns",
    "ends",
    "counts",
    "boneyard",
    "totals",
    "seat",
    "round",
    "variant",
    "seats",
    "target",
)
_TURN = re.compile(r"([0-3]):(?:(pass)|draw(\d+)|(\d\d[SLR]))")
_LIMIT_S = 1.0
_BANK_S = 5.0


def view_from(text: str) -> View:
    """The view that a line of words stands for; each part is a key and its values.

        hand 12 25 56 | ends 2 6
        hand 05 11 | turns 1:66S 0:26L 1:draw2 1:pass | variant coffret

    hand      the own tiles; the only part that must be there
    turns     what happened in this round, oldest first: seat, colon, and a play, pass, or draw with
              the number of tiles; chain, ends and counts follow from it
    ends      the open ends, left and right, where no turns are given (the chain then stays empty);
              with neither the bot opens the round
    counts, totals            a number for each seat
    seat, round, boneyard     a number
    variant, seats, target    the rules: famille for two to 100 if not given

    ``legal`` follows from hand and ends. Raises DominobotError, one line that says what cannot be
    read.
    """
    try:
        return _view(_parts(text))
    except (RulesError, ValueError) as error:
        raise DominobotError(f"view_from: {error}") from None


def _parts(text: str) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for part in text.split("|"):
        key, *values = part.split() or [""]
        if key not in KEYS:
            raise ValueError(f"there is no key {key!r}; the keys are {', '.join(KEYS)}")
        if key in parts:
            raise ValueError(f"the key {key!r} is there twice")
        parts[key] = values
    if not parts.get("hand"):
        raise ValueError("the hand is missing; write for example: hand 12 25 56 | ends 2 6")
    if "turns" in parts and "ends" in parts:
        raise ValueError("turns and ends are both there; the ends follow from the turns")
    return parts


def _view(parts: dict[str, list[str]]) -> View:
    variant = Variant.preset(
        parts.get("variant", ["famille"])[0],
        seats=_number(parts, "seats", 2),
        target=_number(parts, "target", 100),
    )
    seat = _number(parts, "seat", 0)
    hand = tuple(sorted(map(Tile.parse, parts["hand"])))
    events = _events(parts.get("turns", []), _number(parts, "round", 1), seat)
    tracker = ViewTracker(variant, seat)
    tracker.see(events)
    counts = _numbers(parts, "counts", _counts(variant, events, seat, len(hand)))
    chain = tracker.view((), (), None, (), 0, ()).chain
    if chain:
        ends: tuple[int, ...] = (chain[0][0], chain[-1][1])
    else:
        ends = _numbers(parts, "ends", (), length=2)
    left = len(ALL_TILES) - sum(counts) - len(chain)
    return tracker.view(
        hand,
        _legal(hand, ends),
        (ends[0], ends[1]) if ends else None,
        counts,
        _number(parts, "boneyard", max(left, 0)),
        _numbers(parts, "totals", (0,) * variant.seats, length=variant.seats),
        _LIMIT_S,
        _BANK_S,
    )


def _events(turns: Sequence[str], round_no: int, seat: int) -> list[Event]:
    events: list[Event] = []
    for word in turns:
        match = _TURN.fullmatch(word)
        if match is None:
            raise ValueError(f"{word!r} is no turn; write for example 1:66S, 0:draw2 or 0:pass")
        who = int(match[1])
        if match[2]:
            events.append(Passed(who))
        elif match[3]:
            events.append(Drew(who, int(match[3])))
        else:
            play = Play.parse(match[4])
            events.append(Played(who, play.tile, play.end))
    first = events[0] if events else None
    is_double = isinstance(first, Played) and first.tile.is_double
    opener = int(turns[0][0]) if turns else seat
    return [RoundStart(round_no, opener, "double" if is_double else "winner"), *events]


def _counts(variant: Variant, events: Sequence[Event], seat: int, held: int) -> tuple[int, ...]:
    counts = [variant.deal] * variant.seats
    for event in events:
        if isinstance(event, Played):
            counts[event.seat] -= 1
        elif isinstance(event, Drew):
            counts[event.seat] += event.count
    counts[seat] = held
    return tuple(counts)


def _legal(hand: Sequence[Tile], ends: Sequence[int]) -> tuple[Play, ...]:
    """The distinct plays: with equal ends LEFT only."""
    if not ends:
        return tuple(play_of(tile, End.START) for tile in hand)
    sides = [(End.LEFT, ends[0])] + [(End.RIGHT, ends[1])] * (ends[0] != ends[1])
    return tuple(play_of(tile, end) for tile in hand for end, value in sides if tile.has(value))


def _number(parts: dict[str, list[str]], key: str, default: int) -> int:
    return _numbers(parts, key, (default,), length=1)[0]


def _numbers(
    parts: dict[str, list[str]], key: str, default: tuple[int, ...], length: int | None = None
) -> tuple[int, ...]:
    if key not in parts:
        return default
    words = parts[key]
    if not words or not all(word.isdecimal() for word in words):
        raise ValueError(f"{key} needs numbers, not {' '.join(words)!r}")
    if length is not None and len(words) != length:
        raise ValueError(f"{key} needs {length} values, not {len(words)}")
    return tuple(map(int, words))
