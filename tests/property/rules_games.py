"""Variants, decks and whole games for the property tests of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dominobot.rules import Chance, Match, Round, Tile, Variant, shuffled_deck
from dominobot.rules.match import Decks
from hypothesis import strategies as st

seeds = st.integers(min_value=0, max_value=2**32 - 1)


def deck_of(seed: int) -> tuple[Tile, ...]:
    """A deck for a seed."""
    return shuffled_deck(seed.to_bytes(8, "big"))


def decks_of(seed: int) -> Decks:
    """An endless row of decks for a seed."""
    return lambda round_no: deck_of(1000 * seed + round_no)


def presets(*names: str) -> st.SearchStrategy[Variant]:
    """The rule pages as they are, at 2 to 4 seats."""
    return st.builds(
        lambda name, seats: Variant.preset(name, seats=seats),
        st.sampled_from(names),
        st.sampled_from([2, 3, 4]),
    )


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """Any options that make a game."""
    seats = draw(st.sampled_from([2, 3, 4]))
    deal = draw(st.integers(1, 28 // seats))
    options: dict[str, Any] = {
        "reopen": draw(st.sampled_from(["winner", "double"])),
        "draw": draw(st.sampled_from(["until", "one", "none"])),
        "reserve": draw(st.integers(0, 28 - seats * deal)),
        "target": draw(st.none() | st.integers(1, 120)),
        "count": draw(st.sampled_from(["others", "difference"])),
        "tie": draw(st.sampled_from(["nobody", "carried"])),
        "round_cap": draw(st.integers(1, 12)),
    }
    return Variant("custom", seats, deal, **options)


def play_match(variant: Variant, seed: int, most_decisions: int | None = None) -> Match:
    """A match at random, to its end or for a number of decisions."""
    match = Match(variant, decks_of(seed))
    chance = Chance(seed)
    while decision := match.next_decision():
        if len(match.plays) == most_decisions:
            break
        match.play(chance.pick(decision.legal))
    return match


def states_of(variant: Variant, seed: int, winner: int | None = None) -> Iterator[Round]:
    """Every state of a round at random, from the deal to the end."""
    chance = Chance(seed)
    state = Round.deal(variant, deck_of(seed), winner)
    yield state
    while moves := state.moves():
        state = state.after(chance.pick(moves))
        yield state
