"""The one place that turns messages of the wire into values of the rules, and back.

The arena writes questions and reads answers; the bot's side reads questions and writes answers.
The arena's way is the hot one (a question for every decision of every match), so messages that
repeat are made once and copied: protobuf copies what it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from dominobot.errors import Garbled, WireError
from dominobot.rules import (
    Decision,
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
    RulesError,
    Tile,
    Variant,
)
from dominobot.rules.events import Opening
from dominobot.rules.moves import PLAYS, play_of
from dominobot.rules.tiles import ALL_TILES
from dominobot.seat import Moment
from dominobot.wire.v1 import match_pb2 as pb

PROTOCOL = 1
"""The major version of the protocol, said in Hello."""

MOST_NOTE_BYTES = 200
"""A longer note is cut."""

_NUMBERS = {tile: 10 * tile.low + tile.high for tile in ALL_TILES}
_TILES = {number: tile for tile, number in _NUMBERS.items()}
_BITS = tuple((1 << index, number) for index, number in enumerate(_NUMBERS.values()))
_END_CODES = {End.START: pb.END_START, End.LEFT: pb.END_LEFT, End.RIGHT: pb.END_RIGHT}
_ENDS = {code: end for end, code in _END_CODES.items()}
_HOW_CODES = {
    RoundEnding.DOMINO: pb.ROUND_ENDING_DOMINO,
    RoundEnding.BLOCKED: pb.ROUND_ENDING_BLOCKED,
}
_HOWS = {code: how for how, code in _HOW_CODES.items()}
_OPENINGS: dict[str, Opening] = {opening: opening for opening in get_args(Opening)}
_PLACEMENTS = tuple(
    pb.Placement(tile=_NUMBERS[play.tile], end=_END_CODES[play.end]) for play in PLAYS
)
_KEPT: dict[tuple[type[Event], Event], pb.Event] = {}


def tile_number(tile: Tile) -> int:
    """The wire's number of a tile: its halves as decimal digits, the smaller first."""
    return _NUMBERS[tile]


# ------------------------------------------------------------------ the arena's side


def game_start(game_id: int, variant: Variant, seat: int, bot_seed: int) -> pb.GameStart:
    """The message that opens a game."""
    return pb.GameStart(
        game_id=game_id, variant=_write_variant(variant), seat=seat, bot_seed=bot_seed
    )


def question(
    game_id: int,
    decision_id: int,
    match: Match,
    decision: Decision,
    since: int,
    limit_ms: int,
    bank_ms: int,
) -> pb.Question:
    """The question for a pending decision, with ``match.events[since:]``."""
    hand = match.hand(decision.seat)
    return pb.Question(
        game_id=game_id,
        decision_id=decision_id,
        events=write_events(match.events[since:]),
        hand=[number for bit, number in _BITS if hand & bit],
        ends=match.ends or (),
        counts=match.counts,
        boneyard=match.boneyard_count,
        totals=match.totals,
        legal=[_PLACEMENTS[play.number] for play in decision.legal],
        limit_ms=limit_ms,
        bank_ms=bank_ms,
    )


def game_end(
    game_id: int,
    match: Match,
    since: int,
    termination: str,
    ranks: Sequence[int],
    totals: Sequence[int],
    faulty_seat: int | None,
) -> pb.GameEnd:
    """The message that closes a game, with ``match.events[since:]``."""
    return pb.GameEnd(
        game_id=game_id,
        events=write_events(match.events[since:]),
        termination=termination,
        ranks=ranks,
        totals=totals,
        faulty_seat=faulty_seat,
    )


def read_answer(answer: pb.Answer) -> tuple[int, Play]:
    """The decision that is answered and the play, its note cut to what is allowed.

    Whether the play is legal is not looked at. Raises Garbled if it names no tile or no end.
    """
    tile = _TILES.get(answer.tile)
    if tile is None:
        raise Garbled(f"decision {answer.decision_id}: {answer.tile} is no tile")
    end = _ENDS.get(answer.end)
    if end is None:
        raise Garbled(f"decision {answer.decision_id}: {answer.end} is no end of the chain")
    if answer.note:
        return answer.decision_id, Play(tile, end, cut_note(answer.note))
    return answer.decision_id, play_of(tile, end)


# ------------------------------------------------------------------ the bot's side


class Asked(NamedTuple):
    """One question as the bot's side understands it."""

    game_id: int
    decision_id: int
    events: tuple[Event, ...]
    moment: Moment


def read_question(message: pb.Question) -> Asked:
    """Understand a question. Raises WireError if it names what does not exist."""
    try:
        ends = tuple(message.ends)
        moment = Moment(
            hand=tuple([_TILES[number] for number in message.hand]),
            legal=tuple([play_of(_TILES[it.tile], _ENDS[it.end]) for it in message.legal]),
            ends=(ends[0], ends[1]) if ends else None,
            counts=tuple(message.counts),
            boneyard=message.boneyard,
            totals=tuple(message.totals),
            limit_s=message.limit_ms / 1000,
            bank_s=message.bank_ms / 1000,
        )
    except (KeyError, IndexError) as error:
        raise WireError(f"question {message.decision_id} means nothing: {error}") from None
    return Asked(message.game_id, message.decision_id, read_events(message.events), moment)


def answer(decision_id: int, play: Play) -> pb.Answer:
    """The answer to a question."""
    return pb.Answer(
        decision_id=decision_id,
        tile=_NUMBERS[play.tile],
        end=_END_CODES[play.end],
        note=cut_note(play.note) if play.note else "",
    )


def read_variant(message: pb.Variant) -> Variant:
    """The rules of a game. Raises WireError if an option is unknown to this version."""
    options = {field.name: getattr(message, field.name) for field in pb.Variant.DESCRIPTOR.fields}
    options["target"] = options["target"] or None
    try:
        return Variant.from_dict(options)
    except RulesError as error:
        raise WireError(f"the arena plays a variant unknown to this library: {error}") from None


# ------------------------------------------------------------------ both sides


def cut_note(note: str) -> str:
    """The note, cut to 200 bytes of UTF-8 at a character; what has no UTF-8 becomes "?"."""
    encoded = note.encode("utf-8", "replace")
    return encoded[:MOST_NOTE_BYTES].decode("utf-8", "ignore")


def write_events(events: Iterable[Event]) -> list[pb.Event]:
    """Messages of public events. They may be shared: copy one before changing it."""
    return [_KEPT.get((type(event), event)) or _keep_event(event) for event in events]


def read_events(messages: Iterable[pb.Event]) -> tuple[Event, ...]:
    """Public events of the rules. Raises WireError for an event unknown to this version."""
    return tuple([_read_event(message) for message in messages])


def _keep_event(event: Event) -> pb.Event:
    message = _write_event(event)
    if not isinstance(event, RoundStart | RoundEnd):
        # The events of a turn are few (4 seats x 84 plays, 14 draws, 1 pass) and come for ever.
        _KEPT[type(event), event] = message
    return message


def _write_event(event: Event) -> pb.Event:
    match event:
        case Played(seat, tile, end):
            played = pb.Played(seat=seat, tile=_NUMBERS[tile], end=_END_CODES[end])
            return pb.Event(played=played)
        case Drew(seat, count):
            return pb.Event(drew=pb.Drew(seat=seat, count=count))
        case Passed(seat):
            return pb.Event(passed=pb.Passed(seat=seat))
        case RoundStart(round_no, opener, opening):
            start = pb.RoundStart(round=round_no, opener=opener, opening=opening)
            return pb.Event(round_start=start)
        case RoundEnd(how, winner, points, hands, totals):
            end_ = pb.RoundEnd(
                how=_HOW_CODES[how],
                winner=winner,
                points=points,
                hands=[pb.Hand(tiles=[_NUMBERS[tile] for tile in hand]) for hand in hands],
                totals=totals,
            )
            return pb.Event(round_end=end_)


def _read_event(message: pb.Event) -> Event:
    what = message.WhichOneof("what")
    try:
        if what == "played":
            played = message.played
            return Played(played.seat, _TILES[played.tile], _ENDS[played.end])
        if what == "drew":
            return Drew(message.drew.seat, message.drew.count)
        if what == "passed":
            return Passed(message.passed.seat)
        if what == "round_start":
            start = message.round_start
            return RoundStart(start.round, start.opener, _OPENINGS[start.opening])
        if what == "round_end":
            return _read_round_end(message.round_end)
    except KeyError as error:
        raise WireError(f"event {what} means nothing: {error}") from None
    raise WireError("an event of a kind unknown to this library: a newer dominobot may be needed")


def _read_round_end(end: pb.RoundEnd) -> RoundEnd:
    return RoundEnd(
        _HOWS[end.how],
        end.winner if end.HasField("winner") else None,
        end.points,
        tuple(tuple(_TILES[number] for number in hand.tiles) for hand in end.hands),
        tuple(end.totals),
    )


def _write_variant(variant: Variant) -> pb.Variant:
    options = variant.to_dict()
    options["target"] = options["target"] or 0
    return pb.Variant(**options)
