"""The decisions on what the rule pages leave open (A1 to A24), each at its corner."""

from __future__ import annotations

import pytest
from dominobot.rules import (
    IllegalPlay,
    Match,
    MissingDeck,
    Play,
    Round,
    RoundEnding,
    RoundLog,
    Tile,
    Variant,
    mask_of,
    play_decks,
    random_chooser,
    round_deck,
    tiles_of,
)
from dominobot.rules.notation import parse_tiles
from dominobot.rules.round import find_opener

from tests.unit.rules.decks import deck_with, state_after, words


def hands(*texts: str) -> list[int]:
    return [mask_of(parse_tiles(text)) for text in texts]


def logs_of(variant: Variant, *decks: tuple[Tile, ...]) -> list[RoundLog]:
    items = play_decks(variant, decks, random_chooser(3))
    return [item for item in items if isinstance(item, RoundLog)]


def test_the_deck_alone_decides_hands_and_draws() -> None:  # A2
    deck = round_deck(b"a2", 1)
    state = Round.deal(Variant.preset("coffret", seats=4), deck)
    assert [tiles_of(hand) for hand in state.hands] == [
        tuple(sorted(deck[6 * seat : 6 * seat + 6])) for seat in range(4)
    ]
    assert [tiles_of(mask)[0] for mask in state.boneyard] == list(deck[24:])


@pytest.mark.parametrize(
    ("held", "seat", "opening", "tile"),
    [
        (["16 56", "46 55", "06 36"], 1, "double", "55"),
        (["56 46", "26 36", "00 01"], 2, "double", "00"),
        (["26 35", "45 01", "34 25"], 1, "highest", "45"),  # 9 before 8: A6, A8
        (["26 01", "02 35", "03 04"], 0, "highest", "26"),  # 8 and 8: the larger half
        (["36 01", "45 02", "03 04"], 0, "highest", "36"),  # 9 and 9: the larger half
    ],
)
def test_who_opens_and_with_which_tile(held: list[str], seat: int, opening: str, tile: str) -> None:
    opener = find_opener(hands(*held))
    assert opener == (seat, opening, Tile.parse(tile).mask)


def test_the_forced_opener_is_not_asked() -> None:  # A4
    match = Match(Variant.preset("famille"), [round_deck(b"a4", 1)])
    decision = match.next_decision()
    assert decision is not None
    assert match.current_turns[0].distinct == 1
    assert len(match.plays) == 0


def test_a_free_opener_may_lay_any_tile_whoever_holds_the_double_six() -> None:  # A5
    variant = Variant.preset("famille", deal=3)
    state = Round.deal(variant, deck_with(["01 02 33", "66 55 44"]), winner=0)
    assert words(state) == "01S 02S 33S"
    for word in words(state).split():
        assert state.after(Play.parse(word)).seat == 1


def test_coffret_opens_by_the_double_in_every_round() -> None:  # A7
    variant = Variant.preset("coffret", deal=2)
    decks = [deck_with(["66 16", "11 26"]), deck_with(["01 12", "55 25"])]
    first, second = logs_of(variant, *decks)
    assert first.winner == 0
    assert (second.opener, second.opening) == (1, "double")
    assert logs_of(variant.with_options(reopen="winner"), *decks)[1].opening == "winner"


@pytest.mark.parametrize("name", ["famille", "kawu"])
def test_after_a_tie_famille_and_kawu_open_by_the_double(name: str) -> None:  # F14, A9
    variant = Variant.preset(name, deal=2, draw="none")
    tied, next_deck = deck_with(["66 04", "00 13"]), deck_with(["01 12", "55 25"])
    first, second = logs_of(variant, tied, next_deck)
    assert first.winner is None
    assert (second.opener, second.opening) == (1, "double")


def test_equal_ends_are_one_choice_and_both_are_accepted() -> None:  # F18, A11
    variant = Variant.preset("famille", deal=3)
    deck = deck_with(["66 12 16", "26 36 45"])
    match = Match(variant, [deck])
    decision = match.next_decision()
    assert decision is not None
    assert [str(play) for play in decision.legal] == ["26L", "36L"]
    match.play(Play.parse("26R"))
    assert match.ends == (6, 2)
    assert [str(play) for play in match.plays] == ["26R"]
    turn = match.current_turns[1]
    assert [str(play) for play in turn.legal] == ["26L", "36L", "26R", "36R"]
    assert turn.distinct == 2


def test_a_tile_that_fits_two_different_ends_is_two_choices() -> None:  # F17
    variant = Variant.preset("famille", deal=3)
    state = state_after(variant, deck_with(["66 12 16", "26 36 45"]), "66S 26R 12R")
    assert state.ends == (6, 1)
    state = Round.deal(variant, deck_with(["66 12 16", "26 36 45"]))._replace(left=6, right=1)
    assert words(state) == "16L 66L 12R 16R"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_is_blocked_when_every_seat_has_passed_the_last_placer_too(seats: int) -> None:  # A12
    variant = Variant.preset("block", seats=seats, deal=2, target=None)
    dealt = ["66 01", "11 22", "33 44", "55 02"][:seats]
    log = logs_of(variant, deck_with(dealt))[0]
    assert log.how is RoundEnding.BLOCKED
    assert [str(turn.move) for turn in log.turns] == ["66S", *["pass"] * seats]
    assert [turn.seat for turn in log.turns] == [0, *range(1, seats), 0]


def test_coffret_is_not_blocked_while_tiles_are_left_to_draw() -> None:  # A13, C17
    variant = Variant.preset("coffret", deal=2)
    deck = deck_with(["66 55", "11 22"], "00 01 02 03 04 05 16")
    state = state_after(variant, deck, "66S draw pass draw pass draw pass")
    assert (state.idle, state.how) == (3, None)
    state = state_after(variant, deck, "66S" + " draw pass" * 6 + " draw")
    assert words(state) == "16L"


def test_the_last_tile_drawn_without_a_fit_blocks_if_nobody_laid_since() -> None:  # A14
    variant = Variant.preset("coffret", deal=6, reserve=14)
    sixes = "06 16 26 36 46 56"
    deck = deck_with(["66 00 11 22 33 44", "55 01 02 03 04 05"], f"12 13 {sixes}")
    state = state_after(variant, deck, "66S draw")
    assert words(state) == "pass"
    state = state_after(variant, deck, "66S draw pass")
    assert (state.how, state.drawable) == (None, 1)
    state = state_after(variant, deck, "66S draw pass draw pass")
    assert state.how is RoundEnding.BLOCKED


def test_a_reserve_is_never_drawn_and_counts_as_empty() -> None:
    variant = Variant.preset("famille", deal=2, reserve=22)
    deck = deck_with(["66 55", "11 22"], "00 01 16")
    state = state_after(variant, deck, "66S draw")
    assert (state.drew, len(state.boneyard)) == (2, 22)
    assert words(state) == "pass"
    assert words(state_after(variant, deck, "66S draw pass")) == "pass"


@pytest.mark.parametrize(("target", "rounds"), [(10, 1), (11, 2), (20, 2)])
def test_the_target_is_reached_at_exactly_its_points(target: int, rounds: int) -> None:  # A15
    blocked = deck_with(["66 55", "11 22"])
    match = Match(Variant.preset("block", deal=2, target=target), [blocked] * 5)
    assert match.next_decision() is None
    assert len(match.log) == rounds
    assert match.result().ranks == (2, 1)


def test_a_drawn_tile_that_fits_must_be_laid() -> None:  # A18, F22
    for name in ("famille", "coffret"):
        variant = Variant.preset(name, deal=2)
        deck = deck_with(["66 55", "11 22"], "16 00")
        state = state_after(variant, deck, "66S draw")
        assert words(state) == "16L"
        for word in ("draw", "pass"):
            with pytest.raises(IllegalPlay):
                state_after(variant, deck, f"66S draw {word}")


def test_a_drawn_tile_that_fits_two_ends_is_asked_for() -> None:  # F22
    variant = Variant.preset("famille", deal=3)
    deck = deck_with(["66 12 55", "26 44 45"], "16")
    match = Match(variant, [deck], asks_single=True)
    for word in ("66S", "26R", "12R"):
        match.next_decision()
        match.play(Play.parse(word))
    decision = match.next_decision()
    assert decision is not None
    assert (decision.seat, [str(play) for play in decision.legal]) == (1, ["16L", "16R"])
    assert match.view(1).events[-1] == (1, 1)  # drew one tile
    match.play(Play.parse("16L"))
    assert match.current_turns[-1].drew == (Tile(1, 6),)


def test_the_round_cap_ends_the_match_drawn() -> None:  # A20
    blocked = deck_with(["66 55", "11 22"])
    match = Match(Variant.preset("block", deal=2, round_cap=3), [blocked] * 5)
    assert match.next_decision() is None
    assert match.result() == ((1, 1), (0, 30), True)


def test_places_go_by_total_and_equal_totals_share_one() -> None:  # A21
    variant = Variant.preset("block", seats=4, deal=2)
    first = deck_with(["66 01", "11 22", "33 44", "55 02"])
    second = deck_with(["11 22", "66 02", "01 03", "55 04"])
    match = Match(variant, [first, second])
    with pytest.raises(MissingDeck):
        match.next_decision()
    assert [log.winner for log in match.log] == [0, 1]
    assert match.result() == ((1, 2, 3, 3), (32, 24, 0, 0), False)


def test_going_out_for_no_points_gives_the_next_opening() -> None:  # A24
    variant = Variant.preset("famille", deal=2)
    first, second = logs_of(variant, deck_with(["66 56", "00 06"]), deck_with(["01 12", "55 25"]))
    assert (first.winner, first.points, first.totals) == (0, 0, (0, 0))
    assert (second.opener, second.opening) == (0, "winner")


def test_the_difference_subtracts_the_own_hand() -> None:
    deck = deck_with(["66 55", "11 22"])
    variant = Variant.preset("block", deal=2, count="difference", target=None)
    assert logs_of(variant, deck)[0].points == 10 - 6


def test_a_tie_is_carried_to_the_next_won_round_and_no_further() -> None:
    tied, won = deck_with(["66 04", "00 13"]), deck_with(["66 55", "11 22"])
    variant = Variant.preset("block", deal=2, tie="carried")
    logs = logs_of(variant, tied, tied, won, won)
    assert [log.points for log in logs] == [0, 0, 10 + 8 + 8, 10]
    assert [log.points for log in logs_of(variant.with_options(tie="nobody"), tied, won)] == [0, 10]


def test_decks_that_run_out_name_the_round() -> None:
    match = Match(Variant.preset("block", deal=2), [deck_with(["66 55", "11 22"])])
    with pytest.raises(MissingDeck, match="no deck for round 2"):
        match.next_decision()
    assert len(match.log) == 1
