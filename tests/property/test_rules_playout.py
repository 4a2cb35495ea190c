"""The in-place playout is the immutable engine, only faster."""

from __future__ import annotations

from dominobot.rules import Chance, Round, RoundEnding, Variant
from dominobot.rules.playout import Ending, playout, random_deal
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.rules_games import seeds, states_of, variants


def slow_playout(state: Round, chance: Chance) -> Ending:
    while moves := state.moves():
        state = state.after(chance.pick(moves))
    assert state.how is not None
    went_out = state.seat if state.how is RoundEnding.DOMINO else None
    return Ending(state.how, went_out, state.hands)


@settings(max_examples=120, deadline=None)
@given(variants(), seeds, seeds)
def test_a_playout_from_any_state_ends_as_the_engine_ends(
    variant: Variant, seed: int, chance_seed: int
) -> None:
    for state in states_of(variant, seed):
        fast, slow = Chance(chance_seed), Chance(chance_seed)
        assert playout(state, fast) == slow_playout(state, slow)
        assert fast.below(2**20) == slow.below(2**20)


@settings(max_examples=60, deadline=None)
@given(variants(), seeds, st.none() | st.integers(0, 1))
def test_a_random_deal_is_a_deal(variant: Variant, seed: int, winner: int | None) -> None:
    state = random_deal(variant, Chance(seed), winner)
    dealt = [mask for hand in state.hands for mask in [hand]]
    assert [hand.bit_count() for hand in dealt] == [variant.deal] * variant.seats
    assert sum(state.hands) + sum(state.boneyard) == 2**28 - 1
    assert (state.seat == winner and not state.forced) if winner is not None else state.forced
