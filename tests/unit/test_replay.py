from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from dominobot.replay import (
    CHAIN_START,
    Player,
    ReplayError,
    ReplayHeader,
    build_replay,
    chain,
    core_sha256,
    parse_replay,
    replay_match,
    verify,
)
from dominobot.rules import Chance, Match, Variant, round_deck

DEAL_SEED = bytes(range(32))
HEADER = ReplayHeader(
    match_id="0f8fad5b",
    tournament="spring cup",
    players=(Player("heavy", "a" * 64), Player("réseau", "b" * 64)),
    bot_seeds=(1, 2**64 - 1),
    deal_seed=DEAL_SEED,
    level="full",
)


def played(variant: Variant | None = None, decisions: int | None = None) -> Match:
    match = Match(variant or Variant.preset("famille"), lambda n: round_deck(DEAL_SEED, n))
    chance = Chance(7)
    while (decision := match.next_decision()) and len(match.plays) != decisions:
        match.play(chance.pick(decision.legal))
    return match


def verdict(
    match: Match, word: str = "TARGET_REACHED", faulty: int | None = None
) -> dict[str, Any]:
    result = match.result()
    return {
        "termination": word,
        "ranks": list(result.ranks),
        "scores": list(result.scores),
        "faulty_seat": faulty,
    }


MATCH = played()
TEXT = build_replay(MATCH, HEADER, verdict(MATCH), [12.5] * len(MATCH.plays), {0: "open high"})


def changed(change: Callable[[dict[str, Any]], object], text: str = TEXT) -> str:
    """The replay with a change to its JSON value and the hash made anew."""
    whole = json.loads(text)
    change(whole)
    core = json.dumps(whole["core"], sort_keys=True, separators=(",", ":"))
    whole["core_sha256"] = hashlib.sha256(core.encode()).hexdigest()
    return json.dumps(whole, sort_keys=True, separators=(",", ":"))


def test_a_replay_verifies_and_reads_back() -> None:
    assert verify(TEXT) == []
    replay = parse_replay(TEXT)
    assert replay.header == HEADER
    assert replay.plays == tuple(MATCH.plays)
    assert replay.plays[0].note == "open high"
    assert replay.timings_ms[:2] == (12.5, 12.5)
    assert replay.variant == MATCH.variant
    assert replay_match(replay).log == MATCH.log


def test_the_text_is_canonical_ascii() -> None:
    assert TEXT.isascii()
    assert json.dumps(json.loads(TEXT), sort_keys=True, separators=(",", ":")) == TEXT
    with pytest.raises(ReplayError, match="canonical form"):
        parse_replay(json.dumps(json.loads(TEXT)))


def test_the_core_has_no_times_and_the_hash_is_of_the_core_alone() -> None:
    slow = build_replay(MATCH, HEADER, verdict(MATCH), [99.0] * len(MATCH.plays))
    assert slow != TEXT
    assert core_sha256(slow) == core_sha256(TEXT) == core_sha256(parse_replay(TEXT))
    core = TEXT[len('{"core":') : TEXT.index(',"core_sha256"')]
    assert core_sha256(TEXT) == hashlib.sha256(core.encode()).hexdigest()


def test_matches_are_chained_by_hash() -> None:
    link = chain(CHAIN_START, core_sha256(TEXT))
    assert link == hashlib.sha256(bytes(32) + bytes.fromhex(core_sha256(TEXT))).hexdigest()
    assert chain(link, core_sha256(TEXT)) != link


def test_a_match_broken_off_keeps_what_was_played() -> None:
    match = played(decisions=9)
    text = build_replay(match, HEADER, verdict(match, "CRASH", faulty=1))
    assert verify(text) == []
    rounds = parse_replay(text).rounds
    assert len(rounds) == match.round_no
    assert rounds[-1]["how"] is None
    assert len(rounds[-1]["turns"]) == len(match.current_turns)


def test_a_match_that_never_began_is_a_replay_too() -> None:
    match = Match(Variant.preset("famille"), lambda n: round_deck(DEAL_SEED, n))
    text = build_replay(match, HEADER, verdict(match, "NO_SHOW", faulty=0))
    assert verify(text) == []
    assert parse_replay(text).plays == ()


def test_a_replay_may_carry_its_decks() -> None:
    decks = [round_deck(b"given", n) for n in range(1, 40)]
    match = Match(Variant.preset("famille"), decks)
    chance = Chance(3)
    while decision := match.next_decision():
        match.play(chance.pick(decision.legal))
    header = ReplayHeader("m", "t", HEADER.players, (0, 0))
    text = build_replay(match, header, verdict(match))
    assert verify(text) == []
    assert parse_replay(text).decks == tuple(decks[: len(match.log)])


def test_verify_names_the_turn_that_differs() -> None:
    turn = json.loads(TEXT)["core"]["rounds"][2]["turns"][3]
    forged = changed(lambda whole: whole["core"]["rounds"][2]["turns"].__setitem__(3, "0 00L"))
    assert verify(forged) == [f"round 3, turn 4: recorded 0 00L, the rules give {turn}"]


def test_verify_names_a_play_that_the_rules_refuse() -> None:
    first = next(turn for turn in MATCH.log[0].turns if turn.distinct > 1)
    number = MATCH.log[0].turns.index(first) + 1
    [found] = verify(changed(lambda whole: whole["core"]["plays"].__setitem__(0, "66S")))
    assert found.startswith(f"round 1, turn {number}: the rules refuse the recorded 66S: ")


def test_verify_names_the_deck_when_the_seed_is_another() -> None:
    found = verify(changed(lambda whole: whole["core"].update(deal_seed="0" * 64)))
    assert found[0].startswith("round 1: recorded ")
    assert "the rules give" in found[0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"scores": [1, 2]}, "the verdict has scores [1, 2], the rules give"),
        ({"ranks": [1, 1]}, "the verdict has ranks [1, 1], the rules give"),
        ({"termination": "TIMEOUT"}, "the verdict says TIMEOUT, the rules give TARGET_REACHED"),
        ({"faulty_seat": 1}, "the verdict blames seat 1, but no fault ended the match"),
    ],
)
def test_verify_names_what_is_wrong_with_the_verdict(change: dict[str, Any], sentence: str) -> None:
    [found] = verify(changed(lambda whole: whole["core"]["verdict"].update(change)))
    assert found.startswith(sentence)


def test_verify_says_when_the_plays_do_not_end_a_match_called_won() -> None:
    match = played(decisions=9)
    [found] = verify(build_replay(match, HEADER, verdict(match)))
    assert found == "the verdict says TARGET_REACHED, but the recorded plays do not end the match"


def test_verify_says_when_plays_follow_the_end() -> None:
    bare = build_replay(MATCH, HEADER, verdict(MATCH))
    found = verify(changed(lambda whole: whole["core"]["plays"].extend(["25L", "25R"]), bare))
    assert found == ["the match is over, but 2 more plays are recorded"]


def test_verify_names_a_hash_that_is_not_the_core() -> None:
    forged = TEXT.replace("spring cup", "spring cap")
    [found] = verify(forged)
    assert found.startswith("the core has the hash ")
    assert core_sha256(TEXT) in found


def test_verify_names_another_engine() -> None:
    found = verify(changed(lambda whole: whole["core"].update(engine="dominobot.rules/0")))
    assert found == ["the match was played by dominobot.rules/0, this is dominobot.rules/1"]


def test_a_capped_match_ends_by_its_cap() -> None:
    match = played(Variant.preset("famille", round_cap=2, target=500))
    assert match.result().is_capped
    assert verify(build_replay(match, HEADER, verdict(match, "ROUND_CAP"))) == []
    [found] = verify(build_replay(match, HEADER, verdict(match)))
    assert found == "the verdict says TARGET_REACHED, the rules give ROUND_CAP"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda whole: whole.pop("other"), "the replay has no 'other'"),
        (lambda whole: whole["core"].pop("plays"), "core has no 'plays'"),
        (lambda whole: whole["core"].update(extra=1), "core has an unknown 'extra'"),
        (lambda whole: whole["core"].update(format="dominobot-replay/2"), "format is"),
        (lambda whole: whole["core"].update(deal_seed=None), "exactly one of deal_seed and decks"),
        (lambda whole: whole["core"].update(deal_seed="xyz"), "deal_seed is not 64"),
        (lambda whole: whole["core"].update(bot_seeds=["1"] * 2), "bot_seeds is not 16"),
        (lambda whole: whole["core"].update(bot_seeds=[]), "bot_seeds has 0 entries for 2 seats"),
        (lambda whole: whole["core"].update(seats=[]), "seats has 0 entries for 2 seats"),
        (lambda whole: whole["core"]["variant"].update(seats=5), "variant: option seats"),
        (lambda whole: whole["core"].update(plays=["52L"]), "plays: '52L' is written 25L"),
        (lambda whole: whole["core"].update(plays=["99L"]), "plays: '99' is no tile"),
        (lambda whole: whole["core"].update(rounds={}), "rounds is not a list of objects"),
        (lambda whole: whole["core"]["verdict"].update(ranks=[True, 2]), "ranks is not a list"),
        (lambda whole: whole["other"].update(notes={"999": "x"}), "notes: '999'"),
        (lambda whole: whole["other"].update(timings_ms=[1.0]), "timings_ms has 1 entries"),
    ],
)
def test_what_is_no_replay_is_refused_by_name(
    change: Callable[[dict[str, Any]], object], words: str
) -> None:
    with pytest.raises(ReplayError) as caught:
        parse_replay(changed(change))
    assert words in str(caught.value)
    assert verify(changed(change))[0].startswith("this is no replay: ")


def test_a_replay_that_cannot_be_played_has_no_match() -> None:
    replay = parse_replay(changed(lambda whole: whole["core"]["plays"].__setitem__(0, "66S")))
    with pytest.raises(ReplayError, match="the rules refuse the recorded 66S"):
        replay_match(replay)
