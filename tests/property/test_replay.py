"""A replay says what happened, and any change in it is found."""

from __future__ import annotations

import json
from contextlib import suppress

from dominobot.replay import (
    Player,
    ReplayHeader,
    build_replay,
    core_sha256,
    parse_replay,
    replay_match,
    verify,
)
from dominobot.rules import Chance, Match, MissingDeck, Play, Variant, round_deck
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.rules_games import deck_of, seeds, variants


def play(variant: Variant, deal_seed: bytes, seed: int, most_decisions: int | None) -> Match:
    match = Match(variant, lambda round_no: round_deck(deal_seed, round_no))
    chance = Chance(seed)
    while (decision := match.next_decision()) and len(match.plays) != most_decisions:
        choice = chance.pick(decision.legal)
        match.play(
            Play(choice.tile, choice.end, note=f"n{seed}") if chance.below(5) == 0 else choice
        )
    return match


def verdict_of(match: Match) -> dict[str, object]:
    result = match.result()
    word = "ROUND_CAP" if result.is_capped else "TARGET_REACHED" if match.is_over else "TIMEOUT"
    return {
        "termination": word,
        "ranks": list(result.ranks),
        "scores": list(result.scores),
        "faulty_seat": None if match.is_over else 0,
    }


def header_of(variant: Variant, deal_seed: bytes | None, name: str = "x") -> ReplayHeader:
    players = tuple(Player(f"{name}{seat}", "d" * 64) for seat in range(variant.seats))
    return ReplayHeader("m", "t", players, (2**64 - 1,) * variant.seats, deal_seed, "plain")


@settings(max_examples=60, deadline=None)
@given(variants(), seeds, st.none() | st.integers(0, 12), st.text(max_size=8))
def test_a_replay_re_executes_to_the_same_verdict(
    variant: Variant, seed: int, most_decisions: int | None, name: str
) -> None:
    deal_seed = seed.to_bytes(32, "big")
    match = play(variant, deal_seed, seed, most_decisions)
    verdict = verdict_of(match)
    timings = [float(index) for index in range(len(match.plays))]
    text = build_replay(match, header_of(variant, deal_seed, name), verdict, timings)
    assert verify(text) == []
    replay = parse_replay(text)
    again = replay_match(replay)
    assert again.log == match.log
    assert again.events == match.events
    assert verdict_of(again) == verdict
    assert [(p, p.note) for p in replay.plays] == [(p, p.note) for p in match.plays]
    assert replay.header == header_of(variant, deal_seed, name)
    assert replay.timings_ms == tuple(timings)


@settings(max_examples=30, deadline=None)
@given(variants(), seeds, st.integers(1, 3))
def test_a_replay_of_given_decks_re_executes_too(variant: Variant, seed: int, decks: int) -> None:
    match = Match(variant, [deck_of(seed + index) for index in range(decks)])
    chance = Chance(seed)
    with suppress(MissingDeck):
        while decision := match.next_decision():
            match.play(chance.pick(decision.legal))
    text = build_replay(match, header_of(variant, None), verdict_of(match))
    assert verify(text) == []
    assert replay_match(parse_replay(text)).log == match.log


@st.composite
def changed_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A replay, and the same with one character of its core replaced."""
    variant = draw(variants())
    seed = draw(seeds)
    deal_seed = seed.to_bytes(32, "big")
    match = play(variant, deal_seed, seed, draw(st.none() | st.integers(0, 6)))
    text = build_replay(match, header_of(variant, deal_seed), verdict_of(match))
    end = text.index(',"core_sha256":')
    place = draw(st.integers(text.index(":") + 1, end - 1))
    character = draw(
        st.characters(min_codepoint=32, max_codepoint=382) | st.sampled_from('0123456LRS"[]{}:,')
    )
    return text, text[:place] + character + text[place + 1 :]


@settings(max_examples=150, deadline=None)
@given(changed_texts())
def test_any_changed_character_of_the_core_is_found(texts: tuple[str, str]) -> None:
    text, changed = texts
    assert (verify(changed) == []) == (changed == text)


@settings(max_examples=60, deadline=None)
@given(variants(), seeds, st.data())
def test_verify_names_a_change_even_under_a_hash_made_anew(
    variant: Variant, seed: int, data: st.DataObject
) -> None:
    deal_seed = seed.to_bytes(32, "big")
    match = play(variant, deal_seed, seed, None)
    text = build_replay(match, header_of(variant, deal_seed), verdict_of(match))
    whole = json.loads(text)
    core = whole["core"]
    key = data.draw(st.sampled_from(["deck", "opener", "turns", "points", "totals", "chain"]))
    number = data.draw(st.integers(0, len(core["rounds"]) - 1))
    entry = core["rounds"][number]
    entry[key] = entry[key][::-1] + entry[key] if isinstance(entry[key], str | list) else 99
    forged = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    whole["core_sha256"] = core_sha256(forged)
    found = verify(json.dumps(whole, sort_keys=True, separators=(",", ":")))
    assert len(found) == 1
    assert found[0].startswith(f"round {number + 1}")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.data(), seeds)
def test_verify_answers_any_well_formed_nonsense_in_sentences(
    data: st.DataObject, seed: int
) -> None:
    deal_seed = seed.to_bytes(32, "big")
    variant = Variant.preset("famille", target=None)
    match = play(variant, deal_seed, seed, None)
    text = build_replay(match, header_of(variant, deal_seed), verdict_of(match))
    whole = json.loads(text)
    place = whole[data.draw(st.sampled_from(["core", "other"]))]
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [v for v in (place.values() if isinstance(place, dict) else place) if v]
        inner = [v for v in inner if isinstance(v, dict | list)]
        if inner:
            place = data.draw(st.sampled_from(inner))
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    if keys:
        place[data.draw(st.sampled_from(keys))] = data.draw(json_values)
    sentences = verify(json.dumps(whole, sort_keys=True, separators=(",", ":")))
    assert all(isinstance(sentence, str) and sentence for sentence in sentences)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_verify_of_any_text_says_that_it_is_no_replay(text: str) -> None:
    [sentence] = verify(text)
    assert sentence.startswith("this is no replay: ")
