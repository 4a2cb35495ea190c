"""The yardstick: what a bare grpc.aio stream costs, with the same message sizes as a real match.

The arena's side is a bare aio server on a Unix socket whose handler writes a ready-made question
and reads an answer, nothing else; the bot's side is the client that the SDK uses, answering with
a ready-made message. Both speak through the generated stubs. Each side is a process of its own.

Run as ``python -m tests.bench.echo PYTHON PATH COUNT [CORE]`` it is the arena's side: it starts the
bot's side with PYTHON, prints one JSON line and ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import grpc.aio
from dominobot.wire.v1 import match_pb2 as pb

from arena.table import METHOD, SERVICE
from tests.bench.exchange import Exchange, record

BOT_SIDE = Path(__file__).with_name("echo_bot.py")
WARM_UP = 300
LIMIT_S = 120


class Echo(NamedTuple):
    """Microseconds for one round trip: CPU of the arena's side, and wall."""

    cpu_us: float
    wall_us: float
    question_bytes: float


def measure(python: str, count: int, core: int | None = None) -> Echo:
    """One run with ``count`` round trips; both sides on one ``core``, or where the kernel likes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.echo", python, f"{folder}/s", str(count)]
        if core is not None:
            command.append(str(core))
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=LIMIT_S
        )
    return Echo(**json.loads(done.stdout))


async def _serve(python: str, path: str, count: int) -> None:
    exchange, over = record(), asyncio.Event()

    async def play(_requests: Any, context: Any) -> None:
        await _round_trips(context, exchange, WARM_UP)
        cpu, began = time.process_time(), time.perf_counter()
        await _round_trips(context, exchange, count)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        scale = 1e6 / count
        print(json.dumps(Echo(cpu * scale, wall * scale, exchange.question_bytes)._asdict()))
        over.set()

    handler = grpc.stream_stream_rpc_method_handler(
        play, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
    )
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    answer = exchange.answer.SerializeToString().hex()
    bot = await asyncio.create_subprocess_exec(python, "-s", BOT_SIDE, f"unix:{path}", answer)
    await over.wait()
    await server.stop(0.1)
    await asyncio.wait_for(bot.wait(), LIMIT_S)


async def _round_trips(context: Any, exchange: Exchange, count: int) -> None:
    for message in islice(cycle(exchange.questions), count):
        await context.write(message)
        await context.read()


def _main(python: str, path: str, count: str, core: str | None = None) -> None:
    if core is not None:
        os.sched_setaffinity(0, {int(core)})
    asyncio.run(_serve(python, path, int(count)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
