"""What a seat is told depends on nothing that is hidden from it.

Two matches whose decks differ only in tiles that a seat does not hold give it the same bytes, as
long as the table has seen the same events and the seat has the same hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dominobot.rules import Event, Match, Play, Round, Tile, Variant, shuffled_deck, tiles_of
from dominobot.rules.match import Decks
from dominobot.wire import codec
from hypothesis import given
from hypothesis import strategies as st

from tests.property.rules_games import presets, variants

ROUNDS = 3
Deck = tuple[Tile, ...]
DecisionId = Callable[[int, int], int]
"""From the decisions of the seat and of all seats so far to what a question is called."""


class Told(NamedTuple):
    """One message to the seat, and all that the seat may know when it is sent."""

    events: tuple[Event, ...]
    hand: int
    message: bytes


def own(of_seat: int, of_all: int) -> int:
    """How the arena calls a decision is the seat's own affair."""
    return of_seat


def told(
    variant: Variant, decks: Decks, seat: int, seed: int, called: DecisionId = own
) -> list[Told]:
    """Play a match and collect what ``seat`` is told, from its start to its end."""
    match = Match(variant, decks)
    start = codec.game_start(1, variant, seat, bot_seed=seed)
    found = [Told((), 0, start.SerializeToString())]
    since = asked = asked_all = 0
    while (decision := match.next_decision()) is not None and match.round_no <= ROUNDS:
        asked_all += 1
        if decision.seat != seat:
            match.play(min(decision.legal, key=lowest))
            continue
        asked += 1
        question = codec.question(
            1, called(asked, asked_all), match, decision, since, limit_ms=1000, bank_ms=5000
        )
        since = len(match.events)
        message = question.SerializeToString()
        found.append(Told(tuple(match.events), match.hand(seat), message))
        match.play(decision.legal[(seed + 7 * asked) % len(decision.legal)])
    result = match.result()
    end = codec.game_end(1, match, since, "TARGET_REACHED", result.ranks, result.scores, None)
    found.append(Told(tuple(match.events), match.hand(seat), end.SerializeToString()))
    return found


def lowest(play: Play) -> tuple[int, str]:
    return play.tile.index, play.end.value


def with_two_hidden_swapped(variant: Variant, deck: Deck, seat: int, at: int) -> Deck:
    """The deck with two tiles exchanged that ``seat`` does not get; ``at`` says which."""
    held = tiles_of(Round.deal(variant, deck, None).hands[seat])
    hidden = [place for place, tile in enumerate(deck) if tile not in held]
    step = 1 + at // len(hidden) % (len(hidden) - 1)
    one, other = hidden[at % len(hidden)], hidden[(at + step) % len(hidden)]
    swapped = list(deck)
    swapped[one], swapped[other] = deck[other], deck[one]
    return tuple(swapped)


def check(variant: Variant, seat: int, seed: int, at: int, called: DecisionId = own) -> int:
    """Compare what is told in two such matches; how many messages were the same."""

    def deck(round_no: int) -> Deck:
        return shuffled_deck(f"{seed} {round_no}".encode())

    def changed(round_no: int) -> Deck:
        if round_no != 1 + at % ROUNDS:
            return deck(round_no)
        return with_two_hidden_swapped(variant, deck(round_no), seat, at // ROUNDS)

    one = told(variant, deck, seat, seed, called)
    other = told(variant, changed, seat, seed, called)
    same = 0
    for this, that in zip(one, other, strict=False):
        if (this.events, this.hand) != (that.events, that.hand):
            # Then the difference has been seen: before it the table must have looked the same.
            shorter, longer = sorted((this.events, that.events), key=len)
            is_seen = longer[: len(shorter)] != shorter or this.hand != that.hand
            assert is_seen, "the seat was asked in one of two matches that look the same to it"
            break
        assert this.message == that.message, "the seat is told something that is hidden from it"
        same += 1
    return same


wheres = st.integers(0, 3 * 28 * 28)
seeds = st.integers(0, 2**32)


@given(presets("famille", "coffret", "kawu", "block"), seeds, wheres, st.integers(0, 3))
def test_a_seat_is_told_nothing_that_is_hidden_from_it(
    variant: Variant, seed: int, at: int, seat: int
) -> None:
    assert check(variant.with_options(target=None), seat % variant.seats, seed, 3 * at) >= 1
    assert check(variant, seat % variant.seats, seed, at) >= 1


@given(variants(), seeds, wheres, st.integers(0, 3))
def test_nor_is_it_in_games_of_any_options(variant: Variant, seed: int, at: int, seat: int) -> None:
    assert check(variant, seat % variant.seats, seed, at) >= 1


def test_many_of_these_pairs_look_the_same_for_long() -> None:
    """Otherwise the comparison would say nothing."""
    variant = Variant.preset("famille")
    lengths = [check(variant, seed % 2, seed, 31 * seed) for seed in range(200)]
    assert sum(length >= 4 for length in lengths) > 100


def test_the_comparison_finds_ids_that_count_the_decisions_of_all() -> None:
    def by_all(of_seat: int, of_all: int) -> int:
        return of_all

    variant = Variant.preset("famille", seats=3)
    found = 0
    for seed in range(200):
        try:
            check(variant, seed % 3, seed, 31 * seed, by_all)
        except AssertionError:
            found += 1
    assert found >= 3
