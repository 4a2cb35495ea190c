"""What other programs got wrong: one test for each kind of mistake that this game allows.

Two double blanks, play numbers that depend on the position, and a set too small for the seats are
held by test_tiles.py, test_moves.py and test_variant.py.
"""

from __future__ import annotations

import pytest
from dominobot.rules import (
    ALL_TILES,
    DealError,
    IllegalPlay,
    Match,
    Passed,
    Play,
    Round,
    RoundEnding,
    RoundLog,
    Tile,
    Variant,
    play_decks,
    random_chooser,
    round_deck,
    tiles_of,
)

from tests.unit.rules.decks import deck_with, state_after, words

TWO_EACH = Variant.preset("famille", deal=2, target=None)
BLOCK_TWO_EACH = Variant.preset("block", deal=2, target=None)


def test_a_deck_with_two_double_blanks_is_refused() -> None:
    deck = [Tile(0, 0), *ALL_TILES[:27]]
    with pytest.raises(DealError, match="each of the 28 tiles once"):
        Round.deal(TWO_EACH, deck)
    with pytest.raises(DealError, match="each of the 28 tiles once"):
        Round.deal(TWO_EACH, ALL_TILES[:27])
    with pytest.raises(DealError, match="no tile"):
        Round.deal(TWO_EACH, [Tile(6, 7), *ALL_TILES[:27]])


def test_laying_the_last_tile_ends_the_round_with_an_empty_hand() -> None:
    state = state_after(TWO_EACH, deck_with(["66 16", "11 26"]), "66S 26L 16R")
    assert state.how is RoundEnding.DOMINO
    assert (state.seat, state.hands[0], state.moves()) == (0, 0, ())
    with pytest.raises(IllegalPlay, match="the round is over"):
        state.after(Play.parse("11L"))


def test_the_first_tile_goes_to_no_end() -> None:
    state = Round.deal(TWO_EACH, deck_with(["66 16", "11 26"]))
    assert words(state) == "66S"
    for word in ("66L", "66R"):
        with pytest.raises(IllegalPlay, match="the first tile of a round goes to no end"):
            state.after(Play.parse(word))


def test_a_pass_right_after_the_first_tile_counts() -> None:
    state = state_after(BLOCK_TWO_EACH, deck_with(["66 55", "11 22"]), "66S pass")
    assert (state.idle, state.how) == (1, None)
    assert words(state) == "pass"
    blocked = state_after(BLOCK_TWO_EACH, deck_with(["66 55", "11 22"]), "66S pass pass")
    assert blocked.how is RoundEnding.BLOCKED


@pytest.mark.parametrize(
    ("moves", "chain"),
    [
        ("66S 26L", "26-66"),
        ("66S 26R", "66-62"),
        ("66S 26L 12L", "12-26-66"),
        ("66S 26R 12R", "66-62-21"),
        ("66S 26L 16R", "26-66-61"),
    ],
)
def test_a_tile_is_turned_so_that_equal_halves_touch(moves: str, chain: str) -> None:
    variant = Variant.preset("famille", deal=3, target=None)
    plays = iter([Play.parse(word) for word in moves.split()])
    match = Match(variant, [deck_with(["66 12 16", "26 44 45"])], asks_single=True)
    for play in plays:
        match.next_decision()
        match.play(play)
    assert "-".join(f"{a}{b}" for a, b in match.view(0).chain) == chain
    assert match.ends == (int(chain[0]), int(chain[-1]))


@pytest.mark.parametrize(("seats", "points"), [(2, 0), (4, 20)])
def test_going_out_while_another_holds_only_the_double_blank_is_a_win(
    seats: int, points: int
) -> None:
    variant = Variant.preset("block", seats=seats, deal=2, target=None)
    hands = ["66 56", "00 06", "11 22", "33 44"][:seats]
    match = Match(variant, [deck_with(hands)])
    assert match.next_decision() is None
    log = match.log[0]
    assert (log.how, log.winner, log.points) == (RoundEnding.DOMINO, 0, points)
    assert [len(hand) for hand in log.hands_left] == [0, 1, 2, 2][:seats]
    assert match.result().ranks == (1, *[2] * (seats - 1))


def test_after_a_tie_the_next_opener_is_sought_among_all_seats() -> None:
    variant = Variant.preset("block", seats=3, deal=2)
    tied = deck_with(["66 04", "00 13", "44 55"])
    deck = deck_with(["55 11", "00 13", "66 01"])
    items = list(play_decks(variant, [tied, deck], random_chooser(1)))
    first, second = [item for item in items if isinstance(item, RoundLog)]
    assert (first.how, first.winner, first.points) == (RoundEnding.BLOCKED, None, 0)
    assert (second.opener, second.opening) == (2, "double")


def test_when_everybody_passes_the_round_ends() -> None:
    variant = Variant.preset("block", seats=4, deal=2, target=None)
    match = Match(variant, [deck_with(["66 01", "11 22", "33 44", "55 02"])])
    assert match.next_decision() is None
    assert [type(event).__name__ for event in match.events] == [
        "RoundStart",
        "Played",
        *["Passed"] * 4,
        "RoundEnd",
    ]


def test_an_automatic_pass_is_one_event() -> None:
    for number in range(20):
        decks = [round_deck(b"%d" % number, n) for n in range(1, 60)]
        match = Match(Variant.preset("block"), decks)
        chooser = random_chooser(number)
        while decision := match.next_decision():
            match.play(chooser(match.view(decision.seat)))
        passes = sum(isinstance(event, Passed) for event in match.events)
        assert passes == sum(str(turn.move) == "pass" for log in match.log for turn in log.turns)


def test_the_highest_double_opens_and_not_the_heaviest_tile() -> None:
    state = Round.deal(TWO_EACH, deck_with(["56 46", "00 01"]))
    assert state.seat == 1
    assert words(state) == "00S"


def test_the_hands_shown_are_the_hands_dealt() -> None:
    deck = round_deck(b"any", 1)
    match = Match(Variant.preset("famille", seats=3), [deck])
    assert match.next_decision() is not None
    for seat in range(3):
        turns = [turn for turn in match.current_turns if turn.seat == seat]
        laid = {turn.move.tile for turn in turns if isinstance(turn.move, Play)}
        drawn = {tile for turn in turns for tile in turn.drew}
        held = set(match.view(seat).hand)
        assert held == set(tiles_of(match.hand(seat)))
        assert (held | laid) - drawn == set(deck[5 * seat : 5 * seat + 5])


def test_drawing_and_passing_with_a_playable_tile_are_refused() -> None:
    state = state_after(TWO_EACH, deck_with(["66 16", "11 26"]), "66S")
    assert words(state) == "26L"
    for word in ("draw", "pass"):
        with pytest.raises(IllegalPlay, match=f"{word} is not allowed while a playable tile"):
            state_after(TWO_EACH, deck_with(["66 16", "11 26"]), f"66S {word}")


def test_going_out_scores_the_other_hands() -> None:
    deck = deck_with(["66 16", "11 26"])
    log = next(
        x for x in play_decks(TWO_EACH, [deck], random_chooser(1)) if isinstance(x, RoundLog)
    )
    assert (log.how, log.winner, log.points) == (RoundEnding.DOMINO, 0, 2)


def test_a_blocked_round_is_counted_and_not_called_a_draw() -> None:
    deck = deck_with(["66 55", "11 22"])
    items = list(play_decks(BLOCK_TWO_EACH, [deck], random_chooser(1)))
    log = next(item for item in items if isinstance(item, RoundLog))
    assert (log.how, log.winner, log.points) == (RoundEnding.BLOCKED, 1, 10)


def test_the_winner_who_opens_chooses_the_tile() -> None:
    variant = Variant.preset("famille", deal=3)
    match = Match(
        variant, [deck_with(["66 16 12", "26 55 44"]), deck_with(["01 02 03", "66 65 64"])]
    )
    while (decision := match.next_decision()) and match.round_no == 1:
        match.play(decision.legal[0])
    assert decision is not None
    assert decision.seat == match.opener == match.log[0].winner
    assert len(decision.legal) == 3
    assert {play.end.value for play in decision.legal} == {"S"}


def test_a_double_opens_no_branch() -> None:
    variant = Variant.preset("famille", deal=3, target=None)
    state = state_after(variant, deck_with(["66 16 36", "26 46 56"]), "66S 26L 16R")
    assert state.ends == (2, 1)
    with pytest.raises(IllegalPlay, match="46 does not fit the left end 2"):
        state.after(Play.parse("46L"))


def test_coffret_draws_one_tile_and_no_more() -> None:
    variant = Variant.preset("coffret", deal=2)
    state = state_after(variant, deck_with(["66 55", "11 22"], "33 44 16"), "66S draw")
    assert (state.drew, state.hands[1].bit_count()) == (1, 3)
    assert words(state) == "pass"
    with pytest.raises(IllegalPlay, match="nothing can be drawn in this turn any more"):
        state_after(variant, deck_with(["66 55", "11 22"], "33 44 16"), "66S draw draw")


def test_the_whole_boneyard_is_drawn_and_play_goes_on_without_one() -> None:
    variant = Variant.preset("famille", deal=6, target=None)
    others = "01 02 03 04 05 12 13 14 15 23 24 25 34 35 45"
    deck = deck_with(["66 06 16 26 36 46", "00 11 22 33 44 55"], f"{others} 56")
    state = state_after(variant, deck, "66S draw")
    assert (state.drew, state.boneyard) == (16, ())  # the last one is the first that fits
    assert words(state) == "56L"
    state = state_after(variant, deck, "66S draw 56L")
    assert words(state) == "06R 16R 26R 36R 46R"


def test_nobody_is_asked_without_a_choice() -> None:
    for name in ("famille", "coffret", "block"):
        decks = [round_deck(b"asked", n) for n in range(1, 60)]
        match = Match(Variant.preset(name, seats=4), decks)
        while decision := match.next_decision():
            assert len(decision.legal) >= 2
            assert len(set(decision.legal)) == len(decision.legal)
            match.play(decision.legal[-1])


def test_a_drawn_match_has_no_winner() -> None:
    variant = Variant.preset("block", seats=3, deal=2, target=None)
    deck = deck_with(["66 04", "00 13", "44 55"])
    tied = Match(variant, [deck])
    assert tied.next_decision() is None
    assert tied.result().ranks == (1, 1, 1)
    capped = Match(variant.with_options(target=100, round_cap=1), [deck])
    assert capped.next_decision() is None
    assert capped.result() == ((1, 1, 1), (0, 0, 0), True)


def test_a_laid_tile_resets_the_count_of_passes() -> None:
    variant = Variant.preset("block", deal=3, target=None)
    deck = deck_with(["66 16 55", "11 22 33"])
    state = state_after(variant, deck, "66S pass")
    assert state.idle == 1
    state = state_after(variant, deck, "66S pass 16L")
    assert (state.idle, state.how) == (0, None)
    state = state_after(variant, deck, "66S pass 16L 11L pass")
    assert (state.idle, state.how) == (1, None)


def test_a_new_round_starts_with_no_passes_counted() -> None:
    variant = Variant.preset("block", deal=2)
    blocked = deck_with(["66 55", "11 22"])
    match = Match(variant, [blocked, blocked, blocked])
    while len(match.log) < 3 and not match.is_over:
        try:
            match.next_decision()
        except DealError:
            break
    assert [len(log.turns) for log in match.log] == [3, 3, 3]
