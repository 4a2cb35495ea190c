"""The rule vectors, replayed through the public functions."""

from __future__ import annotations

from typing import Any

import pytest
from dominobot.rules import (
    ALL_TILES,
    IllegalPlay,
    MatchResult,
    Play,
    Round,
    RoundEnding,
    RoundLog,
    Turn,
    Variant,
    View,
    pips_of,
    play_decks,
    reduce_box,
    tiles_of,
)
from dominobot.rules.moves import DRAW, parse_move
from dominobot.rules.notation import chain_text, tiles_text
from dominobot.rules.round import NO_END
from dominobot.rules.scoring import score

from tests.golden.rules import vectors

MATCHES = vectors.named("match")
every_match = pytest.mark.parametrize("name", MATCHES)


def told(turn: Turn) -> dict[str, Any]:
    """A turn in the words of the vectors."""
    return {
        "seat": turn.seat,
        "ends": None if turn.ends is None else list(turn.ends),
        "drew": list(map(str, turn.drew)),
        "legal": sorted(map(str, turn.legal)),
        "distinct": turn.distinct,
        "move": str(turn.move),
        "left": [turn.hand_left, turn.boneyard_left],
    }


def told_round(log: RoundLog) -> dict[str, Any]:
    """A round in the words of the vectors."""
    return {
        "deck": list(map(str, log.deck)),
        "turns": [told(turn) for turn in log.turns],
        "opener": log.opener,
        "opening": log.opening,
        "how": log.how.value,
        "winner": log.winner,
        "points": log.points,
        "hand_pips": [sum(tile.pips for tile in hand) for hand in log.hands_left],
        "hands_left": [list(map(str, hand)) for hand in log.hands_left],
        "boneyard_left": list(map(str, log.boneyard_left)),
        "chain": [f"{left}{right}" for left, right in log.chain],
        "scores": list(log.totals),
    }


def expected_round(entry: dict[str, Any]) -> dict[str, Any]:
    turns = [{key: turn[key] for key in turn if key != "reject"} for turn in entry["turns"]]
    return {**entry, "turns": turns}


@every_match
def test_a_written_match_is_replayed_to_the_letter(name: str) -> None:
    vector = MATCHES[name]
    plays = iter(vectors.plays_of(vector))
    told_items = list(
        play_decks(
            vectors.variant_of(vector),
            vectors.decks_of(vector),
            lambda view: next(plays),
            asks_single=True,
        )
    )
    logs = [item for item in told_items if isinstance(item, RoundLog)]
    turns = [item for item in told_items if isinstance(item, Turn)]
    assert [told_round(log) for log in logs] == [expected_round(r) for r in vector["rounds"]]
    assert turns == [turn for log in logs for turn in log.turns]
    assert next(plays, None) is None
    result = told_items[-1]
    assert isinstance(result, MatchResult)
    assert list(result.scores) == vector["scores"]
    if vector["complete"]:
        first = [seat for seat, rank in enumerate(result.ranks) if rank == 1]
        expected = vector["winner"]
        assert first == ([expected] if expected is not None else list(range(vector["seats"])))


class Follower:
    """Chooses the play of a written match wherever it is asked, whichever way round it lies."""

    def __init__(self, vector: dict[str, Any]) -> None:
        self.rounds = vector["rounds"]
        self.asked: list[tuple[int, int]] = []

    def __call__(self, view: View) -> Play:
        turn_no = sum(hasattr(e, "tile") or type(e).__name__ == "Passed" for e in view.events)
        self.asked.append((view.round_no - 1, turn_no))
        turn = self.rounds[view.round_no - 1]["turns"][turn_no]
        wanted = Play.parse(turn["move"])
        if view.ends is None or list(view.ends) == turn["ends"]:
            same = [play for play in view.legal if play == wanted]
        else:  # with equal ends the one placement was laid at the other side before
            same = [p for p in view.legal if p.tile == wanted.tile and p.end != wanted.end]
        return same[0] if same else next(p for p in view.legal if p.tile == wanted.tile)


@every_match
def test_a_chooser_is_asked_exactly_where_a_turn_has_two_distinct_plays(name: str) -> None:
    vector = MATCHES[name]
    follower = Follower(vector)
    variant = vectors.variant_of(vector)
    items = list(play_decks(variant, vectors.decks_of(vector), follower))
    logs = [told_round(item) for item in items if isinstance(item, RoundLog)]
    for log, entry in zip(logs, vector["rounds"], strict=True):
        for key in ("opener", "opening", "how", "winner", "points", "hands_left", "scores"):
            assert log[key] == entry[key]
        assert [turn["drew"] for turn in log["turns"]] == [t["drew"] for t in entry["turns"]]
    assert follower.asked == [
        (round_no, turn_no)
        for round_no, entry in enumerate(vector["rounds"])
        for turn_no, turn in enumerate(entry["turns"])
        if turn["distinct"] > 1
    ]


@pytest.mark.parametrize(
    "name", [name for name, v in MATCHES.items() if "reject" in str(v["rounds"])]
)
def test_what_must_be_refused_is_refused_and_changes_nothing(name: str) -> None:
    vector = MATCHES[name]
    variant = vectors.variant_of(vector)
    winner = None
    refused = 0
    for entry in vector["rounds"]:
        free = winner if variant.reopen == "winner" else None
        state = Round.deal(variant, vectors.tiles(entry["deck"]), free)
        for turn in entry["turns"]:
            if turn["drew"]:
                state = state.after(DRAW)
            for reject in turn.get("reject", []):
                before = tuple(state)
                with pytest.raises(IllegalPlay):
                    state.after(parse_move(reject["do"]))
                assert tuple(state) == before
                refused += 1
            state = state.after(parse_move(turn["move"]))
        assert state.how is RoundEnding(entry["how"])
        winner = entry["winner"]
    assert refused > 0


@pytest.mark.parametrize("name", vectors.named("deal"))
def test_a_deck_is_dealt_seat_by_seat_and_the_boneyard_is_what_remains(name: str) -> None:
    vector = vectors.named("deal")[name]
    state = Round.deal(vectors.variant_of(vector), vectors.tiles(vector["deck"]))
    assert state.left == NO_END
    for hand, texts in zip(state.hands, vector["hands"], strict=True):
        assert tiles_text(tiles_of(hand)) == tiles_text(sorted(vectors.tiles(texts)))
    drawn_in_order = [str(tiles_of(mask)[0]) for mask in state.boneyard]
    assert drawn_in_order == vector["boneyard"]


@pytest.mark.parametrize("name", vectors.named("score"))
def test_a_round_counts_as_the_pages_count_it(name: str) -> None:
    vector = vectors.named("score")[name]
    how = RoundEnding(vector["how"])
    outcome = score(how, vector["went_out"], vector["hand_pips"])
    assert outcome == (vector["winner"], vector["points"])


@pytest.mark.parametrize("name", vectors.named("set"))
def test_the_set_is_the_28_tiles(name: str) -> None:
    vector = vectors.named("set")[name]
    assert list(map(str, ALL_TILES)) == vector["tiles"]
    assert pips_of(2**28 - 1) == vector["pips"]


def test_a_double_nine_box_is_brought_down_to_the_28_tiles() -> None:  # F2
    box = [(low, high) for low in range(10) for high in range(low, 10)]
    assert len(box) == 55
    assert reduce_box(reversed(box)) == ALL_TILES


def test_kawu_to_100_is_the_same_game_as_famille() -> None:
    vector = MATCHES["twin-kawu"]
    plays = iter(vectors.plays_of(vector))
    famille = Variant.preset("famille", seats=vector["seats"])
    items = play_decks(
        famille, vectors.decks_of(vector), lambda view: next(plays), asks_single=True
    )
    logs = [told_round(item) for item in items if isinstance(item, RoundLog)]
    assert logs == [expected_round(entry) for entry in vector["rounds"]]


def test_the_page_example_chain_reads_as_the_page_shows_it() -> None:
    vector = MATCHES["page-example-chain"]
    plays = iter(vectors.plays_of(vector))
    items = play_decks(
        vectors.variant_of(vector),
        vectors.decks_of(vector),
        lambda view: next(plays),
        asks_single=True,
    )
    log = next(item for item in items if isinstance(item, RoundLog))
    assert chain_text(log.chain) == "-".join(vector["rounds"][0]["chain"])
