"""What holds in every round, whoever plays it and how."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from dominobot.rules import ALL_TILES, Pass, RoundEnding, RoundLog, Variant, pips_of
from dominobot.rules.round import NO_END
from dominobot.rules.tiles import ALL_MASK
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.rules_games import play_match, presets, seeds, states_of, variants

drawn_out = presets("famille", "coffret", "kawu")
quick = settings(max_examples=60, deadline=None)


@quick
@given(variants(), seeds)
def test_28_tiles_and_168_pips_are_somewhere_at_every_point(variant: Variant, seed: int) -> None:
    everything = 0
    for state in states_of(variant, seed):
        held = 0
        for mask in (*state.hands, *state.boneyard):
            assert not held & mask
            held |= mask
        on_the_table = ALL_MASK & ~held
        assert everything & ~on_the_table == 0, "a tile came back from the table"
        everything = on_the_table
        assert pips_of(held) + pips_of(on_the_table) == 168
        assert (on_the_table != 0) == (state.left != NO_END)


@quick
@given(variants(), seeds)
def test_every_round_of_a_match_accounts_for_every_tile(variant: Variant, seed: int) -> None:
    for log in play_match(variant, seed).log:
        tiles = [tile for hand in log.hands_left for tile in hand] + list(log.boneyard_left)
        chain = [tuple(sorted(halves)) for halves in log.chain]
        assert sorted([*map(tuple, tiles), *chain]) == [tuple(tile) for tile in ALL_TILES]
        assert all(a[1] == b[0] for a, b in pairwise(log.chain))


def rounds_of(variant: Variant, seed: int) -> list[RoundLog]:
    return play_match(variant, seed).log


@quick
@given(drawn_out, seeds)
def test_halves_in_the_chain_are_even_but_for_two_different_ends(
    variant: Variant, seed: int
) -> None:  # F36 a
    for log in rounds_of(variant, seed):
        halves = Counter(value for tile in log.chain for value in tile)
        left, right = log.chain[0][0], log.chain[-1][1]
        odd = {value for value, count in halves.items() if count % 2}
        assert odd == ({left, right} if left != right else set())


@quick
@given(drawn_out, seeds)
def test_one_dead_end_beside_a_live_one_cannot_occur(variant: Variant, seed: int) -> None:
    for log in rounds_of(variant, seed):  # F36 a
        on_the_table: Counter[int] = Counter()
        for turn in log.turns:
            if turn.ends is not None:
                left, right = turn.ends
                is_dead = on_the_table[left] == 7 or on_the_table[right] == 7
                assert not is_dead or left == right
            if not isinstance(turn.move, Pass):
                on_the_table.update(set(turn.move.tile))


@quick
@given(drawn_out, seeds)
def test_a_blocked_round_has_equal_ends_whose_seven_tiles_are_out(
    variant: Variant, seed: int
) -> None:  # F36 b, c
    for log in rounds_of(variant, seed):
        if log.how is RoundEnding.BLOCKED:
            left, right = log.chain[0][0], log.chain[-1][1]
            assert left == right
            assert sum(left in tile for tile in log.chain) == 7
            assert sum(tile.pips for hand in log.hands_left for tile in hand) % 2 == 0
            assert not log.boneyard_left


@quick
@given(drawn_out, seeds)
def test_who_goes_out_did_not_draw_and_at_most_27_tiles_lie(variant: Variant, seed: int) -> None:
    for log in rounds_of(variant, seed):  # F36 d, e
        assert len(log.chain) <= 27
        if log.how is RoundEnding.DOMINO:
            assert log.turns[-1].drew == ()
            assert log.turns[-1].seat == log.winner


@quick
@given(presets("famille", "kawu"), seeds)
def test_a_pass_in_famille_or_kawu_proves_an_empty_boneyard(variant: Variant, seed: int) -> None:
    for log in rounds_of(variant, seed):  # F36 f
        for turn in log.turns:
            assert not isinstance(turn.move, Pass) or turn.boneyard_left == 0


@quick
@given(presets("famille", "coffret", "kawu", "block"), seeds)
def test_no_round_is_longer_than_the_bound(variant: Variant, seed: int) -> None:
    for log in rounds_of(variant, seed):
        assert len(log.turns) <= 28 * variant.seats + 14


@quick
@given(variants(), seeds, st.integers(0, 3))
def test_turns_go_clockwise_and_an_ended_round_offers_nothing(
    variant: Variant, seed: int, winner: int
) -> None:  # F12, A1
    states = list(states_of(variant, seed, winner % variant.seats))
    assert states[0].seat == winner % variant.seats
    for before, after in pairwise(states):
        is_same_turn = after.drew > 0 or after.how is not None
        expected = before.seat if is_same_turn else (before.seat + 1) % variant.seats
        assert after.seat == expected
    assert states[-1].how is not None
    assert states[-1].moves() == states[-1].placements() == ()
