"""The replay of one match: the format "dominobot-replay/1", written and read.

A replay holds all that is needed to check a match without the arena, in any language.

**Text.** One JSON value in canonical form: keys sorted, no spaces, every character outside ASCII as
a \\u escape with lower-case digits, no duplicate keys; a reader refuses anything else. It is

    {"core": {...}, "core_sha256": "...", "other": {...}}

``core_sha256`` is the hexadecimal SHA-256 of the canonical text of the core alone. The core holds
numbers without fractions, texts, null, lists and objects only; times are not in it, so that the
same match always has the same core.

**Core.**

    format        "dominobot-replay/1"
    engine        name and version of the rules, "dominobot.rules/1"
    match_id      the match, as the arena names it
    tournament    the tournament, as the arena names it
    variant       every option by name (``Variant.to_dict``)
    seats         [{"name", "digest"}], by seat: who played
    bot_seeds     the seed of each bot, by seat: 16 hexadecimal digits
    deal_seed     64 hexadecimal digits; null if the decks were given
    decks         null, or the given decks, one text of 28 tiles for each round
    plays         the answered decisions in order, for example "25L"
    rounds        what followed, one object for each round (below)
    verdict       {"termination", "ranks", "scores", "faulty_seat"}

A round is ``round_no``, ``deck``, ``opener``, ``opening`` and ``turns``, and what there is at its
end: ``how``, ``winner``, ``points``, ``hands_left``, ``boneyard_left``, ``chain`` and ``totals``. A
round that was broken off has null in these places. Tiles, chains and turns are written as in
``dominobot.rules.notation``.

**Other.**

    level         the sandbox level it was played at
    notes         {index in plays: remark of the bot}
    timings_ms    milliseconds of each answered decision, in the order of plays; may be empty

**How to check one.** The decks follow from ``deal_seed`` by the hash stream and the shuffle that
``dominobot.rules.deal`` writes out. Play each turn that leaves no choice; where a seat has two or
more placements that differ, take the next entry of ``plays`` (with equal ends a tile at the left
and at the right end is one choice). After the last entry go on to the next choice. Then ``rounds``
must be what has been played, and if the match was decided, ``verdict`` must be its result.

**Chain of matches.** ``chain(previous, core_sha256)`` is the hexadecimal SHA-256 of both, each as
its 32 bytes; the first match has 32 zero bytes before it (``CHAIN_START``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from dominobot.rules import ENGINE, Match, Play, RoundLog, Tile, Turn, Variant, round_deck
from dominobot.rules.errors import MissingDeck
from dominobot.rules.match import Decks
from dominobot.rules.notation import chain_text, tiles_text, turn_text

FORMAT = "dominobot-replay/1"
CHAIN_START = "0" * 64


class ReplayError(ValueError):
    """A text that is no replay of this format; the text says what is wrong."""


class Player(NamedTuple):
    """Who sat at a seat: the bot's name and the digest of its bundle."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class ReplayHeader:
    """What a match does not know about itself.

    match_id, tournament: names given by the arena.
    players: by seat.
    bot_seeds: 64-bit numbers by seat.
    deal_seed: the seed that the decks come from; None if decks were given, and then the replay
        takes them from the match.
    level: the sandbox level.
    """

    match_id: str
    tournament: str
    players: tuple[Player, ...]
    bot_seeds: tuple[int, ...]
    deal_seed: bytes | None = None
    level: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay that has been read. ``rounds`` and ``verdict`` are as written, not yet checked.

    decks: the given decks; None if they come from ``header.deal_seed``.
    plays: the answered decisions, each with its note.
    timings_ms: milliseconds of each answered decision; may be empty.
    core_sha256: the hash of the core as it is, ``recorded_sha256`` as the text says.
    """

    header: ReplayHeader
    engine: str
    variant: Variant
    decks: tuple[tuple[Tile, ...], ...] | None
    plays: tuple[Play, ...]
    rounds: tuple[Mapping[str, Any], ...]
    verdict: Mapping[str, Any]
    timings_ms: tuple[float, ...]
    core_sha256: str
    recorded_sha256: str

    @property
    def deck_source(self) -> Decks:
        """The decks in the form that ``Match`` and ``play_decks`` take."""
        seed = self.header.deal_seed
        if seed is None:
            return self.decks or ()
        return lambda round_no: round_deck(seed, round_no)


def build_replay(
    match: Match,
    header: ReplayHeader,
    verdict: Mapping[str, Any],
    timings_ms: Sequence[float] = (),
    notes: Mapping[int, str] | None = None,
) -> str:
    """The replay of ``match``, decided or broken off after any number of decisions.

    The match is first played on to its next decision, so that the replay depends on nothing but
    decks and plays. ``verdict`` has the keys termination, ranks, scores and faulty_seat. ``notes``
    are remarks by index in ``match.plays``; None takes the notes of the plays themselves.
    """
    with suppress(MissingDeck):
        match.next_decision()
    if notes is None:
        notes = {index: play.note for index, play in enumerate(match.plays) if play.note}
    core = _core(match, header, verdict)
    other = {
        "level": header.level,
        "notes": {str(index): note for index, note in notes.items()},
        "timings_ms": [round(float(ms), 3) for ms in timings_ms],
    }
    return canonical({"core": core, "core_sha256": sha256_of(core), "other": other})


def _core(match: Match, header: ReplayHeader, verdict: Mapping[str, Any]) -> dict[str, Any]:
    rounds = round_records(match)
    has_seed = header.deal_seed is not None
    return {
        "format": FORMAT,
        "engine": ENGINE,
        "match_id": header.match_id,
        "tournament": header.tournament,
        "variant": match.variant.to_dict(),
        "seats": [player._asdict() for player in header.players],
        "bot_seeds": [f"{seed:016x}" for seed in header.bot_seeds],
        "deal_seed": None if header.deal_seed is None else header.deal_seed.hex(),
        "decks": None if has_seed else [record["deck"] for record in rounds],
        "plays": [str(play) for play in match.plays],
        "rounds": rounds,
        "verdict": dict(verdict),
    }


def round_records(match: Match) -> list[dict[str, Any]]:
    """The rounds of a match as the core writes them, one that is not over included."""
    records = [_record(log) for log in match.log]
    if match.round_no > len(match.log):
        records.append(_unfinished_record(match))
    return records


def _record(log: RoundLog) -> dict[str, Any]:
    return {
        "round_no": log.round_no,
        "deck": tiles_text(log.deck),
        "opener": log.opener,
        "opening": log.opening,
        "turns": _turns(log.turns),
        "how": log.how.value,
        "winner": log.winner,
        "points": log.points,
        "hands_left": [tiles_text(hand) for hand in log.hands_left],
        "boneyard_left": tiles_text(log.boneyard_left),
        "chain": chain_text(log.chain),
        "totals": list(log.totals),
    }


ENDING_KEYS = ("how", "winner", "points", "hands_left", "boneyard_left", "chain", "totals")
"""What a round has only when it is over."""


def _unfinished_record(match: Match) -> dict[str, Any]:
    return {
        "round_no": match.round_no,
        "deck": tiles_text(match.deck),
        "opener": match.opener,
        "opening": match.opening,
        "turns": _turns(match.current_turns),
        **dict.fromkeys(ENDING_KEYS),
    }


def _turns(turns: Sequence[Turn]) -> list[str]:
    return [turn_text(turn) for turn in turns]


def canonical(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_of(core: object) -> str:
    """Hexadecimal SHA-256 of the canonical text."""
    return hashlib.sha256(canonical(core).encode()).hexdigest()


def chain(previous: str, core_hash: str) -> str:
    """The link that follows ``previous`` (``CHAIN_START`` first) for a core with ``core_hash``.

    Raises:
        ValueError: one of them is not hexadecimal.
    """
    return hashlib.sha256(bytes.fromhex(previous) + bytes.fromhex(core_hash)).hexdigest()
