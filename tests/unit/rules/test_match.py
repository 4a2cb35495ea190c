from __future__ import annotations

import pytest
from dominobot.rules import (
    DealError,
    IllegalPlay,
    Match,
    MatchResult,
    Play,
    RoundEnd,
    RoundLog,
    RoundStart,
    Tile,
    Turn,
    Variant,
    View,
    play_decks,
    random_chooser,
    round_deck,
    tiles_of,
)

from tests.unit.rules.decks import deck_with

FAMILLE = Variant.preset("famille")
DECKS = [round_deck(b"match", round_no) for round_no in range(1, 60)]


def test_before_the_first_deal_nothing_is_on_the_table() -> None:
    match = Match(FAMILLE, DECKS)
    assert (match.round_no, match.ends, match.counts) == (0, None, (0, 0))
    assert (match.boneyard_count, match.hand(0), match.totals) == (28, 0, (0, 0))
    assert (match.events, match.log, match.plays, match.is_over) == ([], [], [], False)
    assert match.result() == ((1, 1), (0, 0), False)


def test_asking_again_gives_the_same_decision_and_changes_nothing() -> None:
    match = Match(FAMILLE, DECKS)
    first = match.next_decision()
    events = list(match.events)
    assert match.next_decision() is first
    assert match.events == events


def test_a_refused_play_changes_nothing() -> None:  # F13
    match = Match(FAMILLE, DECKS)
    decision = match.next_decision()
    assert decision is not None
    before = (list(match.events), match.hand(0), match.hand(1), match.ends, list(match.plays))
    not_held = next(t for t in DECKS[0] if not match.hand(decision.seat) & t.mask)
    for text in (f"{not_held}L", f"{decision.legal[0].tile}S"):
        with pytest.raises(IllegalPlay):
            match.play(Play.parse(text))
    assert (list(match.events), match.hand(0), match.hand(1), match.ends, match.plays) == before
    match.play(decision.legal[0])


def test_a_play_without_a_pending_decision_is_refused() -> None:
    match = Match(FAMILLE, DECKS)
    with pytest.raises(IllegalPlay, match="no decision is pending"):
        match.play(Play.parse("66S"))
    decision = match.next_decision()
    assert decision is not None
    match.play(decision.legal[0])
    with pytest.raises(IllegalPlay, match="no decision is pending"):
        match.play(decision.legal[0])


def test_a_bad_deck_leaves_the_match_where_it_was() -> None:
    match = Match(FAMILLE, lambda round_no: [Tile(0, 0)] * 28)
    for _ in range(2):
        with pytest.raises(DealError):
            match.next_decision()
        assert (match.round_no, match.events) == (0, [])


def test_events_and_log_tell_the_same_match() -> None:
    match = Match(FAMILLE, DECKS)
    choose = random_chooser(5)
    while decision := match.next_decision():
        match.play(choose(match.view(decision.seat)))
    starts = [event for event in match.events if isinstance(event, RoundStart)]
    ends = [event for event in match.events if isinstance(event, RoundEnd)]
    assert [e.round_no for e in starts] == [log.round_no for log in match.log]
    assert [(e.how, e.winner, e.points, e.hands, e.totals) for e in ends] == [
        (log.how, log.winner, log.points, log.hands_left, log.totals) for log in match.log
    ]
    answered = sum(turn.distinct > 1 for log in match.log for turn in log.turns)
    assert len(match.plays) == answered
    assert max(match.totals) >= 100
    assert match.is_over


def test_notes_stay_with_the_plays() -> None:
    match = Match(FAMILLE, DECKS)
    decision = match.next_decision()
    assert decision is not None
    choice = decision.legal[0]
    match.play(Play(choice.tile, choice.end, note="why not"))
    assert match.plays[0].note == "why not"


def test_play_decks_tells_each_turn_each_round_and_the_result() -> None:
    items = list(play_decks(FAMILLE, DECKS[:2], random_chooser(2)))
    logs = [item for item in items if isinstance(item, RoundLog)]
    assert len(logs) == 2
    told = iter(items)
    for log in logs:
        for turn in log.turns:
            assert next(told) is turn
        assert next(told) is log
    result = next(told)
    assert isinstance(result, MatchResult)
    assert result.scores == logs[-1].totals
    assert next(told, None) is None


def test_play_decks_tells_turns_as_they_happen() -> None:
    asked: list[int] = []

    def choose(view: View) -> Play:
        asked.append(len(seen))
        return random_chooser(1)(view)

    seen: list[Turn] = []
    for item in play_decks(FAMILLE, DECKS[:1], choose):
        if isinstance(item, Turn):
            seen.append(item)
    assert asked == [index for index, turn in enumerate(seen) if turn.distinct > 1]


def test_play_decks_plays_endless_decks_to_the_end_of_the_match() -> None:
    items = list(play_decks(FAMILLE, lambda n: round_deck(b"endless", n), random_chooser(9)))
    result = items[-1]
    assert isinstance(result, MatchResult)
    assert max(result.scores) >= 100
    assert sorted(result.ranks) == [1, 2]


def test_play_decks_refuses_what_the_rules_refuse() -> None:
    with pytest.raises(IllegalPlay):
        list(play_decks(FAMILLE, DECKS, lambda view: Play.parse("00S")))
    with pytest.raises(DealError):
        list(play_decks(FAMILLE, [DECKS[0][:27]], random_chooser(1)))


def test_a_single_placement_is_asked_for_only_when_wanted() -> None:
    deck = deck_with(["66 16", "11 26"])
    variant = Variant.preset("famille", deal=2, target=None)
    asked: list[str] = []

    def choose(view: View) -> Play:
        play = random_chooser(1)(view)
        asked.append(str(play))
        return play

    list(play_decks(variant, [deck], choose))
    assert asked == []
    list(play_decks(variant, [deck], choose, asks_single=True))
    assert asked == ["66S", "26L", "16R"]


def test_hands_are_masks_of_the_tiles_held() -> None:
    match = Match(FAMILLE, DECKS)
    match.next_decision()
    assert len(tiles_of(match.hand(0))) == match.counts[0]
    assert sum(match.counts) + match.boneyard_count + len(match.current_turns) == 28
