from __future__ import annotations

import pytest
from dominobot.rules import (
    Drew,
    IllegalPlay,
    Match,
    Play,
    Played,
    RoundStart,
    Tile,
    Variant,
    View,
    ViewTracker,
)
from dominobot.rules.moves import End

from tests.unit.rules.decks import deck_with


def view_of_the_last_seat() -> View:
    match = Match(
        Variant.preset("famille", seats=3, deal=3),
        [deck_with(["01 02 12", "66 16 00", "26 36 55"])],
    )
    assert match.next_decision() is not None
    return match.view(2)


def test_a_view_tells_the_table_as_the_seat_sees_it() -> None:
    view = view_of_the_last_seat()
    assert (view.seat, view.round_no, view.opener) == (2, 1, 1)
    assert [str(tile) for tile in view.hand] == ["26", "36", "55"]
    assert [str(play) for play in view.legal] == ["26L", "36L"]
    assert view.ends == (6, 6)
    assert view.chain == ((6, 6),)
    assert (view.counts, view.boneyard, view.totals) == ((3, 2, 3), 19, (0, 0, 0))
    assert view.events == (RoundStart(1, 1, "double"), Played(1, Tile(6, 6), End.START))
    assert view.rounds == ()
    assert (view.limit_s, view.bank_s) == (None, None)


def test_a_view_counts_what_is_played_and_what_is_unseen() -> None:
    view = view_of_the_last_seat()
    assert view.played == (Tile(6, 6),)
    assert len(view.unseen) == 28 - 3 - 1
    assert not set(view.unseen) & {*view.hand, *view.played}


def test_opponents_come_in_turn_order() -> None:
    view = view_of_the_last_seat()
    assert view.opponents == (0, 1)
    assert (view.next_seat(), view.next_seat(0), view.next_seat(steps=2)) == (0, 1, 1)


def test_who_is_not_asked_sees_no_legal_plays() -> None:
    match = Match(
        Variant.preset("famille", seats=3, deal=3),
        [deck_with(["01 02 12", "66 16 00", "26 36 55"])],
    )
    match.next_decision()
    assert match.view(0).legal == match.view(1).legal == ()


def test_a_tracker_refuses_events_that_cannot_be() -> None:
    tracker = ViewTracker(Variant.preset("famille"), 0)
    tracker.see([RoundStart(1, 0, "double"), Played(0, Tile(6, 6), End.START)])
    with pytest.raises(IllegalPlay, match="25 does not fit the left end 6"):
        tracker.see([Played(1, Tile(2, 5), End.LEFT)])
    with pytest.raises(IllegalPlay, match="already open"):
        tracker.see([Played(1, Tile(2, 5), End.START)])
    with pytest.raises(IllegalPlay, match="goes to no end"):
        tracker.see([RoundStart(2, 0, "double"), Played(1, Tile(2, 5), End.LEFT)])


def test_earlier_rounds_are_kept_and_their_events_are_not() -> None:
    blocked = deck_with(["66 55", "11 22"])
    variant = Variant.preset("block", deal=2, reopen="winner")
    match = Match(variant, [blocked, blocked])
    decision = match.next_decision()
    assert decision is not None
    assert (decision.seat, match.round_no) == (1, 2)
    view = match.view(1)
    assert [end.points for end in view.rounds] == [10]
    assert view.events == (RoundStart(2, 1, "winner"),)
    assert view.totals == (0, 10)


def test_a_draw_is_seen_by_all_and_the_tiles_by_none_but_the_drawer() -> None:
    variant = Variant.preset("famille", deal=2)
    match = Match(variant, [deck_with(["66 55", "11 22"], "00 01 16")], asks_single=True)
    match.next_decision()
    match.play(Play.parse("66S"))
    match.next_decision()
    for seat in (0, 1):
        assert match.view(seat).events[-1] == Drew(1, 3)
        assert match.view(seat).counts == (1, 5)
    assert "16" not in [str(tile) for tile in match.view(0).hand]
    assert [str(tile) for tile in match.view(1).hand] == ["00", "01", "11", "16", "22"]


def test_limits_come_from_the_table() -> None:
    tracker = ViewTracker(Variant.preset("famille"), 0)
    tracker.see([RoundStart(1, 0, "winner")])
    legal = (Play.parse("25S"),)
    view = tracker.view([Tile(2, 5)], legal, None, (1, 7), 20, (0, 0), 1.0, 4.5)
    assert (view.limit_s, view.bank_s, view.legal) == (1.0, 4.5, legal)
