"""Sends far more messages than anybody asked for, with every answer that it gives."""

import os
import queue

import grpc
from dominobot.wire.v1 import match_pb2 as pb

requests: "queue.SimpleQueue[pb.PlayRequest | None]" = queue.SimpleQueue()
hello = pb.Hello(token=os.environ["DOMINOBOT_TOKEN"], protocol=1, sdk="by-hand", language="python")
requests.put(pb.PlayRequest(hello=hello))
channel = grpc.insecure_channel(os.environ["DOMINOBOT_ADDRESS"])
call = channel.stream_stream(
    "/dominobot.wire.v1.Arena/Play",
    request_serializer=pb.PlayRequest.SerializeToString,
    response_deserializer=pb.PlayResponse.FromString,
)(iter(requests.get, None), wait_for_ready=True)
for message in call:
    if message.WhichOneof("body") == "game_start":
        ready = pb.Ready(game_id=message.game_start.game_id)
        requests.put(pb.PlayRequest(ready=ready))
    for question in message.questions.questions:
        play = question.legal[0]
        for _ in range(500):
            said = pb.Answer(decision_id=question.decision_id - 1, tile=play.tile, end=play.end)
            requests.put(pb.PlayRequest(answers=pb.Answers(answers=[said])))
    if message.WhichOneof("body") == "goodbye":
        break
os._exit(0)
