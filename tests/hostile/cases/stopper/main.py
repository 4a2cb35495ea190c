"""Dials by hand, plays nothing, closes its stream and lives on."""

import os
import queue
import time

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
    if message.WhichOneof("body") == "questions":
        call.cancel()
        break
time.sleep(600)
