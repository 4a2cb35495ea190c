"""Any options that make a game give a game that is counted by the book."""

from __future__ import annotations

from dominobot.rules import (
    Match,
    Pass,
    Play,
    RoundEnding,
    RoundLog,
    Turn,
    Variant,
    mask_of,
    pips_of,
)
from hypothesis import given, settings

from tests.property.rules_games import play_match, seeds, variants


def pips_left(log: RoundLog) -> list[int]:
    return [pips_of(mask_of(hand)) for hand in log.hands_left]


def expected_outcome(variant: Variant, log: RoundLog) -> tuple[int | None, int]:
    """Winner and points without what was carried, counted in the plainest way."""
    pips = pips_left(log)
    empty = [seat for seat, hand in enumerate(log.hands_left) if not hand]
    if empty:
        winner: int | None = empty[0]
    else:
        lowest = [seat for seat, points in enumerate(pips) if points == min(pips)]
        winner = lowest[0] if len(lowest) == 1 else None
    if winner is None:
        return None, 0
    others = sum(points for seat, points in enumerate(pips) if seat != winner)
    return winner, others - (pips[winner] if variant.count == "difference" else 0)


@settings(max_examples=150, deadline=None)
@given(variants(), seeds)
def test_rounds_and_match_are_counted_by_the_book(variant: Variant, seed: int) -> None:
    match = play_match(variant, seed)
    totals = [0] * variant.seats
    carried = 0
    for log in match.log:
        winner, points = expected_outcome(variant, log)
        if winner is not None:
            points += carried
            carried = 0
            totals[winner] += points
        elif variant.tie == "carried":
            carried += sum(pips_left(log))
        assert (log.winner, log.points) == (winner, points)
        assert list(log.totals) == totals
    check_end(variant, match, totals)


def check_end(variant: Variant, match: Match, totals: list[int]) -> None:
    """Check when and how the match ended."""
    result = match.result()
    assert match.is_over
    assert list(result.scores) == totals
    if variant.target is None:
        assert len(match.log) == 1
        winner = match.log[0].winner
        first = [winner] if winner is not None else list(range(variant.seats))
        assert [seat for seat, rank in enumerate(result.ranks) if rank == 1] == first
        return
    early = [max(log.totals) for log in match.log[:-1]]
    assert all(most < variant.target for most in early)
    assert len(match.log) <= variant.round_cap
    has_won = max(totals) >= variant.target
    assert has_won or len(match.log) == variant.round_cap
    assert result.is_capped == (not has_won)
    if has_won:
        assert result.ranks == tuple(1 + sum(t > own for t in totals) for own in totals)
    else:
        assert set(result.ranks) == {1}


@settings(max_examples=100, deadline=None)
@given(variants(), seeds)
def test_openers_follow_the_option_and_the_round_before(variant: Variant, seed: int) -> None:
    before: int | None = None
    for log in play_match(variant, seed).log:
        dealt = [
            log.deck[seat * variant.deal : (seat + 1) * variant.deal]
            for seat in range(variant.seats)
        ]
        first = log.turns[0].move
        assert isinstance(first, Play)
        if before is not None and variant.reopen == "winner":
            assert (log.opener, log.opening) == (before, "winner")
            assert len(log.turns[0].legal) == variant.deal
        else:
            tiles = [tile for hand in dealt for tile in hand]
            doubles = [tile for tile in tiles if tile.is_double]
            highest = max(doubles or tiles, key=lambda tile: (tile.pips, tile.high))
            assert log.opening == ("double" if doubles else "highest")
            assert first.tile == highest
            assert highest in dealt[log.opener]
            assert log.turns[0].distinct == 1
        before = log.winner


@settings(max_examples=100, deadline=None)
@given(variants(), seeds)
def test_drawing_and_passing_follow_the_options(variant: Variant, seed: int) -> None:
    for log in play_match(variant, seed).log:
        boneyard = variant.boneyard
        idle = 0
        for turn in log.turns:
            drawable = 0 if variant.draw == "none" else max(0, boneyard - variant.reserve)
            check_draws(variant, turn, drawable)
            boneyard -= len(turn.drew)
            assert turn.boneyard_left == boneyard
            idle = idle + 1 if isinstance(turn.move, Pass) else 0
        dried_up = variant.draw == "none" or boneyard <= variant.reserve
        if log.how is RoundEnding.BLOCKED:
            assert dried_up
            assert idle >= variant.seats


def check_draws(variant: Variant, turn: Turn, drawable: int) -> None:
    """Check the draws of one turn against the option."""
    assert len(turn.drew) <= (min(1, drawable) if variant.draw == "one" else drawable)
    if turn.ends is None:
        assert not turn.drew
        return
    fitting = [tile for tile in turn.drew if tile.has(turn.ends[0]) or tile.has(turn.ends[1])]
    assert fitting in ([], list(turn.drew[-1:]))
    if isinstance(turn.move, Play) and turn.drew:
        assert turn.move.tile == turn.drew[-1]
    if isinstance(turn.move, Pass):
        assert not turn.legal
        most = min(1, drawable) if variant.draw == "one" else drawable
        assert len(turn.drew) == most
