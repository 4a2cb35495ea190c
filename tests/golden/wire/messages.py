"""The messages that are stored: each kind, as the codec writes it for one fixed match.

    .venv/bin/python -m tests.golden.wire.messages > tests/golden/wire/v1-0.1.0.jsonl

writes them for a new release, into a new file: what has been released is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dominobot.rules import Match, Play, Variant, deal_seed, round_deck
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb
from google.protobuf import text_format
from google.protobuf.message import Message

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))
SINGLE = Variant(
    name="custom",
    seats=4,
    deal=6,
    reopen="double",
    draw="one",
    reserve=2,
    target=None,
    count="difference",
    tie="carried",
    round_cap=7,
)


def messages() -> Iterator[tuple[str, Message]]:
    """Every stored message with its name."""
    yield (
        "hello",
        pb.PlayRequest(
            hello=pb.Hello(
                token="abc", protocol=1, sdk="dominobot/0.1.0", language="python", games_at_once=1
            )
        ),
    )
    yield "ready", pb.PlayRequest(ready=pb.Ready(game_id=1))
    yield (
        "welcome",
        pb.PlayResponse(
            welcome=pb.Welcome(move_limit_ms=1000, bank_ms=5000, strict=True, batch_limit=1)
        ),
    )
    yield "goodbye", pb.PlayResponse(goodbye=pb.Goodbye(reason="the series is over"))
    kawu = Variant.preset("kawu", seats=3, target=150)
    for name, variant in (("kawu", kawu), ("single round", SINGLE)):
        start = codec.game_start(1, variant, 2, 0xFEDCBA9876543210)
        yield f"game start, {name}", pb.PlayResponse(game_start=start)
    noted = Play.parse("25L")
    noted = Play(noted.tile, noted.end, "été")
    answers = [codec.answer(1, Play.parse("66S")), codec.answer(2, noted)]
    yield "answers", pb.PlayRequest(answers=pb.Answers(answers=answers))
    yield from _a_match()


def _a_match() -> Iterator[tuple[str, Message]]:
    """A coffret match of three seats, as told to seat 1: every kind of event, a tie too."""
    seed = deal_seed(b"golden", "wire", 1, 155)
    variant = Variant.preset("coffret", seats=3, target=30)
    match = Match(variant, lambda round_no: round_deck(seed, round_no))
    since = number = 0
    while (decision := match.next_decision()) is not None:
        if decision.seat == 1:
            number += 1
            question = codec.question(1, number, match, decision, since, 1000, 5000 - number)
            since = len(match.events)
            yield (
                f"question {number}",
                pb.PlayResponse(questions=pb.Questions(questions=[question])),
            )
        match.play(decision.legal[-1])
    result = match.result()
    end = codec.game_end(1, match, since, "TARGET_REACHED", result.ranks, result.scores, None)
    yield "game end", pb.PlayResponse(game_end=end)
    fault = codec.game_end(2, match, len(match.events), "TIMEOUT", (1, 3, 2), result.scores, 1)
    yield "game end by a fault", pb.PlayResponse(game_end=fault)


def line_of(name: str, message: Message) -> str:
    """One line of a stored file."""
    text = text_format.MessageToString(message, as_one_line=True)
    kind = message.DESCRIPTOR.name
    data = message.SerializeToString(deterministic=True).hex()
    return json.dumps({"name": name, "message": kind, "text": text, "bytes": data})


if __name__ == "__main__":
    for each in messages():
        print(line_of(*each))
