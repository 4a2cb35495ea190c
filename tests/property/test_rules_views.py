"""A view shows what a seat may know: all of it, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from dominobot.rules import (
    ALL_TILES,
    Chance,
    DealError,
    IllegalPlay,
    Match,
    Play,
    RoundEnd,
    RoundStart,
    Tile,
    Variant,
    View,
    ViewTracker,
    tiles_of,
)
from dominobot.rules.chain import Chain
from dominobot.rules.moves import PLAYS
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.rules_games import deck_of, decks_of, presets, seeds, variants


def every_view(match: Match, chance: Chance) -> Iterator[tuple[int, View]]:
    """Play a match and give the views of all seats at each decision and after the end."""
    while decision := match.next_decision():
        for seat in range(match.variant.seats):
            yield seat, match.view(seat)
        match.play(chance.pick(decision.legal))
    for seat in range(match.variant.seats):
        yield seat, match.view(seat)


def check_against_the_match(view: View, match: Match) -> None:
    """Compare a view with what the match knows, put together in another way."""
    chain = Chain()
    for turn in match.current_turns:
        if isinstance(turn.move, Play):
            chain.lay(turn.move.tile, turn.move.end)
    starts = [i for i, event in enumerate(match.events) if isinstance(event, RoundStart)]
    assert view.chain == chain.tiles()
    assert view.ends == chain.ends == match.ends
    assert view.hand == tiles_of(match.hand(view.seat))
    assert view.counts == tuple(match.hand(s).bit_count() for s in range(match.variant.seats))
    assert view.events == tuple(match.events[starts[-1] :])
    earlier = [event for event in match.events[: starts[-1]] if isinstance(event, RoundEnd)]
    assert view.rounds == tuple(earlier)
    assert (view.round_no, view.opener) == (match.round_no, match.opener)
    hidden = set(view.unseen) - {tile for s in view.opponents for tile in tiles_of(match.hand(s))}
    assert len(hidden) == view.boneyard == match.boneyard_count
    assert len(view.unseen) + len(view.hand) + len(view.played) == len(ALL_TILES)


@settings(max_examples=40, deadline=None)
@given(variants(), seeds)
def test_a_view_is_what_the_match_and_its_events_say(variant: Variant, seed: int) -> None:
    match = Match(variant, decks_of(seed))
    for seat, view in every_view(match, Chance(seed)):
        check_against_the_match(view, match)
        pending = match.next_decision()
        is_asked = pending is not None and pending.seat == seat
        assert view.legal == (pending.legal if pending is not None and is_asked else ())


@settings(max_examples=40, deadline=None)
@given(variants(), seeds, st.integers(0, 3))
def test_a_tracker_fed_with_the_events_agrees_with_the_match(
    variant: Variant, seed: int, seat: int
) -> None:
    seat %= variant.seats
    match = Match(variant, decks_of(seed))
    tracker = ViewTracker(variant, seat)
    chance = Chance(seed)
    seen = 0
    while decision := match.next_decision():
        if decision.seat == seat:  # as on the wire: events since the last question
            tracker.see(match.events[seen:])
            seen = len(match.events)
            hand = tiles_of(match.hand(seat))
            view = tracker.view(
                hand, decision.legal, match.ends, match.counts, match.boneyard_count, match.totals
            )
            assert view == match.view(seat)
        match.play(chance.pick(decision.legal))


def replayed(variant: Variant, deck: list[Tile], plays: list[Play]) -> Match | None:
    """The first round on ``deck`` after these placements, None if they cannot be made."""
    match = Match(variant, [deck], asks_single=True)
    try:
        for play in plays:
            match.next_decision()
            match.play(play)
        match.next_decision()
    except (IllegalPlay, DealError):
        return None
    return match


def refusals(match: Match) -> list[str]:
    """What is said to the seat in turn about each play that exists."""
    texts = []
    for play in PLAYS:
        probe = replayed(match.variant, list(match.deck), list(match.plays))
        assert probe is not None
        try:
            probe.play(play)
            texts.append("")
        except IllegalPlay as error:
            texts.append(str(error))
    return texts


def twins(match: Match, seat: int, chance: Chance) -> Iterator[Match]:
    """Matches with the same public past in which two tiles hidden from ``seat`` are swapped."""
    hidden = sorted(match.view(seat).unseen)
    for _ in range(6):
        a, b = chance.pick(hidden), chance.pick(hidden)
        swap = {a: b, b: a}
        deck = [swap.get(tile, tile) for tile in match.deck]
        twin = replayed(match.variant, deck, list(match.plays))
        if a != b and twin is not None and twin.events == match.events:
            yield twin


def find_twins(variant: Variant, seed: int, most_plays: int) -> Iterator[tuple[Match, Match, int]]:
    """A match in its first round, a twin of it, and the seat that cannot tell them apart."""
    match = Match(variant, [deck_of(seed)], asks_single=True)
    chance = Chance(seed)
    for _ in range(most_plays):
        try:
            decision = match.next_decision()
        except DealError:
            return
        if decision is None:
            return
        match.play(chance.pick(decision.legal))
        try:
            decision = match.next_decision()
        except DealError:
            return
        if decision is not None:
            for twin in twins(match, decision.seat, chance):
                yield match, twin, decision.seat


@settings(max_examples=30, deadline=None)
@given(presets("famille", "coffret", "block"), seeds)
def test_states_that_differ_in_hidden_tiles_only_give_equal_views(
    variant: Variant, seed: int
) -> None:
    for match, twin, seat in find_twins(variant, seed, most_plays=12):
        assert match.view(seat) == twin.view(seat)
        assert repr(match.view(seat)) == repr(twin.view(seat))


def test_refusals_say_nothing_about_hidden_tiles() -> None:
    found = 0
    for seed in range(6):
        for match, twin, _ in find_twins(Variant.preset("famille"), seed, most_plays=8):
            found += 1
            if found % 5 == 0:
                assert refusals(match) == refusals(twin)
    assert found > 20, "the twins that this test needs were not found"
