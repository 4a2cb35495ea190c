"""Sends bytes that are no message of the protocol."""

import os
import time

import grpc

channel = grpc.insecure_channel(os.environ["DOMINOBOT_ADDRESS"])
call = channel.stream_stream("/dominobot.wire.v1.Arena/Play")(
    iter([b"\xff" * 100]), wait_for_ready=True
)
try:
    for _ in call:
        pass
except grpc.RpcError:
    pass
time.sleep(600)
