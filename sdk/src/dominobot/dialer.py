"""The life of a bot process: dial, play the games of a series, leave.

Exit codes:

    0   the arena said goodbye
    1   the bot's own code raised; the traceback is on stderr
    2   bot.toml cannot be used
    3   the arena went away, refused the bot or said something meaningless

It leaves by ``os._exit``: a gRPC client now and then hangs in the interpreter's ordinary exit. One
event loop, asyncio client: it costs a fifth less CPU and delay a decision than the threaded one
(measured). The bot's code runs in the loop's thread and stops everything else, which is right: a
bot has nothing to do but to answer.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, TypeAlias

from grpc import aio

from dominobot.bot import Bot
from dominobot.errors import ManifestError, WireError
from dominobot.manifest import FILE_NAME, read_manifest
from dominobot.series import Series
from dominobot.version import __version__
from dominobot.wire.codec import PROTOCOL
from dominobot.wire.v1 import match_pb2 as pb
from dominobot.wire.v1.match_pb2_grpc import ArenaStub

EXIT_GOODBYE = 0
EXIT_RAISED = 1
EXIT_UNUSABLE = 2
EXIT_LOST_ARENA = 3

Call: TypeAlias = aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]

# A socket that is not there yet is tried again soon: gRPC's own first pause is a second.
_CHANNEL_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
)
_CLOSE_LIMIT_S = 0.05


def dial(bot_class: type[Bot], address: str, token: str) -> NoReturn:
    """Play at the arena of ``address`` until one side has had enough. Leaves the process."""
    try:
        # The entry runs in its folder. A bot without a manifest plays one game at a time.
        games = read_manifest(Path()).games_at_once if Path(FILE_NAME).exists() else 1
    except ManifestError as error:
        _leave(EXIT_UNUSABLE, f"error: {error}")
    hello = pb.Hello(
        token=token,
        protocol=PROTOCOL,
        sdk=f"dominobot/{__version__}",
        language="python",
        games_at_once=games,
    )
    asyncio.run(_play(bot_class, address, pb.PlayRequest(hello=hello)))
    raise AssertionError("unreachable: _play leaves the process")


async def _play(bot_class: type[Bot], address: str, hello: pb.PlayRequest) -> NoReturn:
    channel = aio.insecure_channel(address, options=_CHANNEL_OPTIONS)
    call = ArenaStub(channel).Play(wait_for_ready=True)
    try:
        code, last_words = await _talk(call, Series(bot_class), hello)
    except aio.AioRpcError as error:
        code, last_words = EXIT_LOST_ARENA, f"{error.code().name}: {error.details()}"
    except asyncio.InvalidStateError:
        # A write on a stream that has already ended.
        code, last_words = EXIT_LOST_ARENA, "the arena ended the stream"
    call.cancel()
    with suppress(asyncio.TimeoutError):
        # The arena may be stopped or gone: leaving politely has a limit.
        await asyncio.wait_for(channel.close(), _CLOSE_LIMIT_S)
    _leave(code, last_words)


async def _talk(call: Call, series: Series, request: pb.PlayRequest | None) -> tuple[int, str]:
    """Answer message by message. The exit code, and what to say on stderr."""
    while series.goodbye is None:
        if request is not None:
            await call.write(request)
        message = await call.read()
        if not isinstance(message, pb.PlayResponse):
            return EXIT_LOST_ARENA, "the arena ended the stream without a goodbye"
        try:
            request = series.reply(message)
        except WireError as error:
            return EXIT_LOST_ARENA, str(error)
        except BaseException:
            # SystemExit too: whatever ends the bot's code ends the process, and says so.
            return EXIT_RAISED, traceback.format_exc()
    return EXIT_GOODBYE, f"goodbye: {series.goodbye}" if series.goodbye else ""


def _leave(code: int, last_words: str) -> NoReturn:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        if last_words:
            sys.stderr.write(last_words.rstrip("\n") + "\n")
        sys.stderr.flush()
    os._exit(code)
