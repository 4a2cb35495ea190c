"""Real questions and answers, so that the bare echo carries messages of the real sizes."""

from __future__ import annotations

import hashlib
from functools import partial
from statistics import fmean
from typing import NamedTuple

from dominobot.rules import Match, Play, Variant, round_deck
from dominobot.rules.chance import Chance
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb

GAMES = 10


class Exchange(NamedTuple):
    """Ready-made messages of ``GAMES`` matches of two random bots, famille to 100."""

    questions: list[pb.PlayResponse]
    answer: pb.PlayRequest

    @property
    def question_bytes(self) -> float:
        """Mean size of a question on the wire."""
        return fmean(message.ByteSize() for message in self.questions)


def record() -> Exchange:
    """Play the matches in this process and keep what the arena would have written."""
    questions: list[pb.PlayResponse] = []
    play = None
    for number in range(GAMES):
        match = Match(Variant.preset("famille"), partial(round_deck, _seed(number)))
        chance = Chance(number)
        told = [0, 0]
        while (decision := match.next_decision()) is not None:
            since, told[decision.seat] = told[decision.seat], len(match.events)
            asked = codec.question(1, len(questions), match, decision, since, 1000, 5000)
            questions.append(pb.PlayResponse(questions=pb.Questions(questions=(asked,))))
            play = chance.pick(decision.legal)
            match.play(play)
    assert isinstance(play, Play)
    answer = codec.answer(1000, play)
    return Exchange(questions, pb.PlayRequest(answers=pb.Answers(answers=(answer,))))


def _seed(number: int) -> bytes:
    return hashlib.sha256(b"bench %d" % number).digest()
