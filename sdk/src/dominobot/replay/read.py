"""Read the text of a replay, strictly: whatever the format does not say is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dominobot.replay.format import (
    FORMAT,
    Player,
    Replay,
    ReplayError,
    ReplayHeader,
    canonical,
    sha256_of,
)
from dominobot.rules import Play, RulesError, Tile, Variant
from dominobot.rules.notation import parse_tiles, tiles_text

_TOP_KEYS = ("core", "core_sha256", "other")
_CORE_KEYS = (
    "bot_seeds",
    "deal_seed",
    "decks",
    "engine",
    "format",
    "match_id",
    "plays",
    "rounds",
    "seats",
    "tournament",
    "variant",
    "verdict",
)
_OTHER_KEYS = ("level", "notes", "timings_ms")
_VERDICT_KEYS = ("faulty_seat", "ranks", "scores", "termination")


def parse_replay(text: str) -> Replay:
    """Read a replay. Whether its rounds and verdict are true is for ``verify`` to say.

    Raises:
        ReplayError: not a replay of this format; the text names what is wrong.
    """
    whole = _object(_load(text), "the replay", _TOP_KEYS)
    core = _object(whole["core"], "core", _CORE_KEYS)
    other = _object(whole["other"], "other", _OTHER_KEYS)
    if core["format"] != FORMAT:
        raise ReplayError(f"format is {core['format']!r}, this reads {FORMAT!r}")
    variant = _variant(core["variant"])
    plays = _plays(core["plays"], other["notes"])
    verdict = _object(core["verdict"], "verdict", _VERDICT_KEYS)
    _text(verdict["termination"], "termination")
    for key in ("ranks", "scores"):
        _by_seat(verdict[key], key, int, variant)
    rounds = _list(core["rounds"], "rounds", dict)
    return Replay(
        header=_header(core, other, variant),
        engine=_text(core["engine"], "engine"),
        variant=variant,
        decks=_decks(core["decks"], core["deal_seed"]),
        plays=plays,
        rounds=tuple(rounds),
        verdict=verdict,
        timings_ms=_timings(other["timings_ms"], len(plays)),
        core_sha256=sha256_of(core),
        recorded_sha256=_hexadecimal(whole["core_sha256"], "core_sha256", 64),
    )


def core_sha256(replay: str | Replay) -> str:
    """Hexadecimal SHA-256 of the core, computed anew: what the chain of matches takes.

    Raises:
        ReplayError: the text is no replay.
    """
    return (parse_replay(replay) if isinstance(replay, str) else replay).core_sha256


def _load(text: str) -> object:
    try:
        value = json.loads(text)
        is_canonical = canonical(value) == text
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"not JSON: {error}") from None
    if not is_canonical:
        raise ReplayError("not in canonical form: keys sorted, no spaces, ASCII, no duplicate keys")
    return value


def _header(core: Mapping[str, Any], other: Mapping[str, Any], variant: Variant) -> ReplayHeader:
    players = []
    for entry in _by_seat(core["seats"], "seats", dict, variant):
        seat = _object(entry, "a seat", ("digest", "name"))
        players.append(Player(_text(seat["name"], "name"), _text(seat["digest"], "digest")))
    seeds = _by_seat(core["bot_seeds"], "bot_seeds", str, variant)
    deal_seed = core["deal_seed"]
    return ReplayHeader(
        match_id=_text(core["match_id"], "match_id"),
        tournament=_text(core["tournament"], "tournament"),
        players=tuple(players),
        bot_seeds=tuple(int(_hexadecimal(seed, "bot_seeds", 16), 16) for seed in seeds),
        deal_seed=None
        if deal_seed is None
        else bytes.fromhex(_hexadecimal(deal_seed, "deal_seed", 64)),
        level=_text(other["level"], "level"),
    )


def _variant(data: object) -> Variant:
    if not isinstance(data, dict):
        raise ReplayError("variant is not an object")
    try:
        return Variant.from_dict(data)
    except RulesError as error:
        raise ReplayError(f"variant: {error}") from None


def _plays(data: object, notes: object) -> tuple[Play, ...]:
    texts = _list(data, "plays", str)
    if not isinstance(notes, dict):
        raise ReplayError("notes is not an object")
    known = {str(index) for index in range(len(texts))}
    for index, note in notes.items():
        if index not in known or not isinstance(note, str):
            raise ReplayError(f"notes: {index!r} is no index of plays with a text")
    return tuple(_play(text, notes.get(str(index), "")) for index, text in enumerate(texts))


def _play(text: str, note: str) -> Play:
    try:
        play = Play.parse(text)
    except RulesError as error:
        raise ReplayError(f"plays: {error}") from None
    if str(play) != text:
        raise ReplayError(f"plays: {text!r} is written {play}")
    return Play(play.tile, play.end, note) if note else play


def _decks(data: object, deal_seed: object) -> tuple[tuple[Tile, ...], ...] | None:
    if (data is None) == (deal_seed is None):
        raise ReplayError("exactly one of deal_seed and decks is null")
    if data is None:
        return None
    decks = []
    for text in _list(data, "decks", str):
        try:
            deck = parse_tiles(text)
        except RulesError as error:
            raise ReplayError(f"decks: {error}") from None
        if tiles_text(deck) != text:
            raise ReplayError(f"decks: {text!r} is written {tiles_text(deck)!r}")
        decks.append(deck)
    return tuple(decks)


def _timings(data: object, plays: int) -> tuple[float, ...]:
    timings = _list(data, "timings_ms", float)
    if timings and len(timings) != plays:
        raise ReplayError(f"timings_ms has {len(timings)} entries for {plays} plays")
    return tuple(timings)


def _object(value: object, what: str, keys: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ReplayError(f"{what} is not an object")
    for key in keys:
        if key not in value:
            raise ReplayError(f"{what} has no {key!r}")
    for key in value:
        if key not in keys:
            raise ReplayError(f"{what} has an unknown {key!r}")
    return value


def _list(value: object, what: str, kind: type) -> list[Any]:
    if not isinstance(value, list) or any(type(entry) is not kind for entry in value):
        raise ReplayError(f"{what} is not a list of {_KINDS[kind]}")
    return value


_KINDS = {dict: "objects", str: "texts", int: "whole numbers", float: "numbers with a fraction"}


def _by_seat(value: object, what: str, kind: type, variant: Variant) -> list[Any]:
    entries = _list(value, what, kind)
    if len(entries) != variant.seats:
        raise ReplayError(f"{what} has {len(entries)} entries for {variant.seats} seats")
    return entries


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ReplayError(f"{what} is not a text")
    return value


def _hexadecimal(value: object, what: str, digits: int) -> str:
    text = _text(value, what)
    if len(text) != digits or not set(text) <= set("0123456789abcdef"):
        raise ReplayError(f"{what} is not {digits} lower-case hexadecimal digits")
    return text
