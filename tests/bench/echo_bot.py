"""The bot's side of the bare echo: ``python echo_bot.py TARGET ANSWER_IN_HEX``.

The SDK's client without the SDK's work: read a message, write the answer. It runs in the bots'
environment, so it imports nothing of the arena's.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from dominobot.wire.v1 import match_pb2 as pb
from dominobot.wire.v1.match_pb2_grpc import ArenaStub
from grpc import aio


async def main(target: str, answer: bytes) -> None:
    async with aio.insecure_channel(target) as channel:
        call = ArenaStub(channel).Play(wait_for_ready=True)
        message = pb.PlayRequest.FromString(answer)
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            while await call.read() is not aio.EOF:
                await call.write(message)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], bytes.fromhex(sys.argv[2])))
