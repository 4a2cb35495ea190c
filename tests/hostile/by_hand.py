"""For bots that misbehave on the wire: speaks the protocol without the SDK's manners.

It is copied beside a bot's ``main.py``. ``serve`` runs a whole series; each handler gets the
arena's message and gives the messages to send in reply, so that a test changes just one of them.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterable, Iterator

import grpc
from dominobot.wire.v1 import match_pb2 as pb

Handler = Callable[[pb.PlayResponse], Iterable[pb.PlayRequest]]


def hello(**changes: object) -> pb.PlayRequest:
    """A good Hello, or one that differs in some fields."""
    said = pb.Hello(token=os.environ["DOMINOBOT_TOKEN"], protocol=1, sdk="by hand", language="any")
    said.MergeFrom(pb.Hello(**changes))  # type: ignore[arg-type]
    return pb.PlayRequest(hello=said)


def ready(message: pb.PlayResponse) -> list[pb.PlayRequest]:
    """Acknowledge a GameStart or a GameEnd."""
    body = message.game_start if message.HasField("game_start") else message.game_end
    return [pb.PlayRequest(ready=pb.Ready(game_id=body.game_id))]


def answer(question: pb.Question, place: int = 0, **changes: object) -> pb.Answer:
    """Answer with the legal play at ``place``, or with one that differs in some fields."""
    play = question.legal[place]
    said = pb.Answer(decision_id=question.decision_id, tile=play.tile, end=play.end)
    said.MergeFrom(pb.Answer(**changes))  # type: ignore[arg-type]
    return said


def answers(*given: pb.Answer) -> pb.PlayRequest:
    """Answers in one message."""
    return pb.PlayRequest(answers=pb.Answers(answers=given))


def answer_first(message: pb.PlayResponse) -> list[pb.PlayRequest]:
    """Lay the first legal tile of each question."""
    return [answers(*(answer(question) for question in message.questions.questions))]


def serve(
    *,
    on_question: Handler = answer_first,
    on_start: Handler = ready,
    on_end: Handler = ready,
    greeting: Iterable[pb.PlayRequest] | None = None,
) -> None:
    """Speak with the arena until it says goodbye, then leave, or until it ends the stream."""
    handlers = {"questions": on_question, "game_start": on_start, "game_end": on_end}
    outgoing: queue.SimpleQueue[pb.PlayRequest] = queue.SimpleQueue()
    for request in [hello()] if greeting is None else greeting:
        outgoing.put(request)
    for message in dial(iter(outgoing.get, None)):
        kind = message.WhichOneof("body")
        if kind == "goodbye":
            os._exit(0)  # the orderly way can hang in grpc's threads
        for request in handlers[kind](message) if kind in handlers else ():
            outgoing.put(request)


def dial(requests: Iterator[pb.PlayRequest]) -> Iterator[pb.PlayResponse]:
    """Open the one stream."""
    channel = grpc.insecure_channel(os.environ["DOMINOBOT_ADDRESS"])
    call = channel.stream_stream(
        "/dominobot.wire.v1.Arena/Play",
        request_serializer=pb.PlayRequest.SerializeToString,
        response_deserializer=pb.PlayResponse.FromString,
    )
    return iter(call(requests, wait_for_ready=True))
