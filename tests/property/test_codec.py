"""The codec loses nothing: values, messages, bytes, and back."""

from __future__ import annotations

from random import Random

import pytest
from dominobot.errors import DominobotError, Garbled, WireError
from dominobot.rules import (
    ALL_TILES,
    Drew,
    End,
    Event,
    Match,
    Passed,
    Play,
    Played,
    RoundEnd,
    RoundEnding,
    RoundStart,
    Tile,
    Variant,
    deal_seed,
    round_deck,
    tiles_of,
)
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb
from hypothesis import assume, given
from hypothesis import strategies as st

tiles = st.sampled_from(ALL_TILES)
ends = st.sampled_from(End)
seats = st.integers(0, 3)
small = st.integers(0, 2**31 - 1)
points = st.integers(0, 10_000)
hands = st.sets(tiles, max_size=14).map(lambda held: tuple(sorted(held)))

plays = st.builds(Play, tiles, ends)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RoundStart, st.integers(1, 1000), seats, st.sampled_from(["double", "highest", "winner"])
    ),
    st.builds(Played, seats, tiles, ends),
    st.builds(Drew, seats, st.integers(1, 14)),
    st.builds(Passed, seats),
    st.builds(
        RoundEnd,
        st.sampled_from(RoundEnding),
        st.none() | seats,
        points,
        st.lists(hands, min_size=2, max_size=4).map(tuple),
        st.lists(points, min_size=2, max_size=4).map(tuple),
    ),
)


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    number = draw(st.integers(2, 4))
    deal = draw(st.integers(1, 28 // number))
    return Variant(
        name=draw(st.text(min_size=1, max_size=20)),
        seats=number,
        deal=deal,
        reopen=draw(st.sampled_from(["winner", "double"])),
        draw=draw(st.sampled_from(["until", "one", "none"])),
        reserve=draw(st.integers(0, 28 - number * deal)),
        target=draw(st.none() | st.integers(1, 2**31)),
        count=draw(st.sampled_from(["others", "difference"])),
        tie=draw(st.sampled_from(["nobody", "carried"])),
        round_cap=draw(st.integers(1, 2**31)),
    )


@given(st.lists(events, max_size=12))
def test_events_come_back_as_they_were(written: list[Event]) -> None:
    message = pb.Question(events=codec.write_events(written))
    read = pb.Question.FromString(message.SerializeToString())
    assert codec.read_events(read.events) == tuple(written)
    assert [type(event) for event in codec.read_events(read.events)] == list(map(type, written))


@given(variants(), seats, st.integers(0, 2**64 - 1))
def test_the_rules_of_a_game_come_back_as_they_were(
    variant: Variant, seat: int, bot_seed: int
) -> None:
    message = codec.game_start(3, variant, seat, bot_seed)
    read = pb.GameStart.FromString(message.SerializeToString())
    assert codec.read_variant(read.variant) == variant
    assert (read.game_id, read.seat, read.bot_seed) == (3, seat, bot_seed)


@given(plays, st.integers(0, 2**64 - 1), st.text(max_size=300))
def test_an_answer_comes_back_with_its_note_cut(play: Play, decision_id: int, note: str) -> None:
    message = codec.answer(decision_id, Play(play.tile, play.end, note))
    read = codec.read_answer(pb.Answer.FromString(message.SerializeToString()))
    assert read == (decision_id, play)
    assert note.startswith(read[1].note)
    assert len(read[1].note.encode()) <= codec.MOST_NOTE_BYTES
    assert len(read[1].note) == len(note) or len(note.encode()) > codec.MOST_NOTE_BYTES


@given(st.text(st.characters(categories=["Cs", "L"]), max_size=100))
def test_a_note_that_is_no_text_can_still_be_sent(note: str) -> None:
    answer = codec.answer(1, Play(ALL_TILES[0], End.LEFT, note))
    assert "\ud800" not in answer.note
    pb.Answer.FromString(answer.SerializeToString())


@given(
    st.sampled_from(["famille", "coffret", "kawu", "block"]),
    st.integers(2, 4),
    st.integers(0, 10_000),
    st.integers(0, 40),
    small,
    small,
)
def test_a_question_says_what_the_match_says(
    name: str, number: int, deal: int, skipped: int, limit_ms: int, bank_ms: int
) -> None:
    seed = deal_seed(b"codec", "property", 1, deal)
    match = Match(Variant.preset(name, seats=number), lambda round_no: round_deck(seed, round_no))
    since = 0
    while (decision := match.next_decision()) is not None and skipped:
        since = len(match.events)
        match.play(decision.legal[deal % len(decision.legal)])
        skipped -= 1
    if decision is None:
        return
    message = codec.question(5, 77, match, decision, since, limit_ms, bank_ms)
    asked = codec.read_question(pb.Question.FromString(message.SerializeToString()))
    moment = asked.moment
    assert (asked.game_id, asked.decision_id) == (5, 77)
    assert asked.events == tuple(match.events[since:])
    assert moment.hand == tiles_of(match.hand(decision.seat))
    assert moment.legal == decision.legal
    assert moment.ends == match.ends
    assert moment.counts == match.counts
    assert moment.boneyard == match.boneyard_count
    assert moment.totals == match.totals
    assert (moment.limit_s, moment.bank_s) == (limit_ms / 1000, bank_ms / 1000)


@given(st.binary(max_size=60))
def test_any_bytes_are_an_answer_or_garbled_and_nothing_else(data: bytes) -> None:
    try:
        message = pb.Answer.FromString(data)
    except Exception as error:
        assert type(error).__name__ == "DecodeError"
        return
    try:
        decision_id, play = codec.read_answer(message)
    except Garbled as error:
        assert "\n" not in str(error)
    else:
        assert decision_id == message.decision_id
        assert codec.tile_number(play.tile) == message.tile


@given(st.integers(0, 2**32 - 1), st.integers(-(2**31), 2**31 - 1))
def test_an_answer_that_names_no_tile_or_no_end_is_garbled(tile: int, end: int) -> None:
    is_tile = f"{tile:02}" in {str(each) for each in ALL_TILES}
    answer = pb.Answer(decision_id=4, tile=tile)
    answer.end = end  # type: ignore[assignment]
    if is_tile and end in (1, 2, 3):
        assert codec.read_answer(answer)[0] == 4
    else:
        with pytest.raises(Garbled, match="decision 4: "):
            codec.read_answer(answer)


@given(st.binary(max_size=80))
def test_any_bytes_are_a_question_or_an_error_of_this_library(data: bytes) -> None:
    try:
        message = pb.Question.FromString(data)
    except Exception as error:
        assert type(error).__name__ == "DecodeError"
        return
    try:
        codec.read_question(message)
    except DominobotError as error:
        assert isinstance(error, WireError)


def test_a_tile_is_its_two_digits() -> None:
    assert [codec.tile_number(tile) for tile in ALL_TILES[:8]] == [0, 1, 2, 3, 4, 5, 6, 11]
    assert codec.tile_number(Tile(2, 5)) == 25


def test_an_event_without_a_kind_is_an_error() -> None:
    with pytest.raises(WireError, match="an event of a kind unknown to this library"):
        codec.read_events([pb.Event()])


def test_an_unknown_opening_is_an_error() -> None:
    event = pb.Event(round_start=pb.RoundStart(round=1, opener=0, opening="lots"))
    with pytest.raises(WireError, match="means nothing: 'lots'"):
        codec.read_events([event])


def test_a_variant_of_the_future_is_an_error() -> None:
    message = codec.game_start(1, Variant.preset("kawu"), 0, 1).variant
    message.draw = "two"
    with pytest.raises(WireError, match="unknown to this library: option draw cannot be 'two'"):
        codec.read_variant(message)


def test_messages_that_are_kept_are_not_shared_with_what_is_sent() -> None:
    event = Played(0, ALL_TILES[3], End.LEFT)
    first = pb.Question(events=codec.write_events([event]))
    first.events[0].played.seat = 3
    second = pb.Question(events=codec.write_events([event]))
    assert codec.read_events(second.events) == (event,)


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_a_question_is_the_same_whatever_lies_hidden(deal: int, chance: Random) -> None:
    """Other hands and boneyard are mixed anew; as long as the same was seen, the same is said."""
    variant = Variant.preset("famille", seats=3)
    deck = round_deck(deal_seed(b"codec", "hidden", 1, deal), 1)
    first = Match(variant, [deck])
    decision = first.next_decision()
    assume(decision is not None)
    assert decision is not None
    seat = decision.seat
    shown = {event.tile for event in first.events if isinstance(event, Played)}
    own = range(variant.deal * seat, variant.deal * (seat + 1))
    places = [at for at, tile in enumerate(deck) if at not in own and tile not in shown]
    hidden = [deck[at] for at in places]
    chance.shuffle(hidden)
    mixed = list(deck)
    for at, tile in zip(places, hidden, strict=True):
        mixed[at] = tile
    other = Match(variant, [mixed])
    assume(other.next_decision() == decision and other.events == first.events)
    messages = [codec.question(1, 1, match, decision, 0, 1000, 0) for match in (first, other)]
    assert messages[0].SerializeToString() == messages[1].SerializeToString()
