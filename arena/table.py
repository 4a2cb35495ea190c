"""The gRPC side of a table: one Unix socket, one stream and one bot a seat.

The RPC handler only pumps messages from the stream into an inbox; whoever plays the series waits
on the inbox. Arrival is stamped by the pump, so that a busy event loop costs no bot time. Every
wait has a deadline and ends at once when the stream closes or the process leaves.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import deque
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import grpc.aio
from dominobot.wire.v1 import match_pb2 as pb
from google.protobuf.message import DecodeError

from arena.pulse import Pulse

METHOD = "Play"
SERVICE = "dominobot.wire.v1.Arena"
PROTOCOL = 1
MAX_MESSAGE_BYTES = 64 * 1024
MAX_METADATA_BYTES = 16 * 1024
INBOX_LENGTH = 8
FOREVER_S = 7 * 24 * 3600.0
_OPTIONS = [
    # The transport takes a little more than a message may have, so that one which is too long is
    # seen and named instead of looking like a lost connection.
    ("grpc.max_receive_message_length", 4 * MAX_MESSAGE_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.max_concurrent_streams", 1),
    ("grpc.so_reuseport", 0),
]


class Arrival(NamedTuple):
    """One message from the bot. ``at`` is the pump's ``time.perf_counter()``."""

    at: float
    message: pb.PlayRequest


class Silence(Enum):
    """Why no message came."""

    DEADLINE = "the deadline passed"
    CLOSED = "the stream is closed or the process has left"


class Unreadable(NamedTuple):
    """Bytes that are no message of the protocol."""

    at: float
    detail: str


Received = Arrival | Unreadable | Silence


class Link:
    """One bot's line: listens on ``path`` until the first stream opens, then carries it.

    Not thread-safe; belongs to one event loop. Deadlines are put off by the time for which the
    arena itself stood still (``pulse``).
    """

    def __init__(self, path: Path, pulse: Pulse) -> None:
        self.path = path
        self._pulse = pulse
        self._lost_s = 0.0
        self._server: grpc.aio.Server | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._context: grpc.aio.ServicerContext[Any, Any] | None = None
        self._inbox: deque[Arrival | Unreadable] = deque()
        self._room = asyncio.Event()
        self._room.set()
        self._waiter: asyncio.Future[None] | None = None
        self._writer: asyncio.Task[Any] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._is_closed = False
        self._handler: asyncio.Task[Any] | None = None

    async def listen(self) -> None:
        """Open the socket. Its folder keeps strangers out, so the file itself is open to all."""
        server = grpc.aio.server(options=_OPTIONS)
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
            self._pump
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
        )
        server.add_insecure_port(f"unix:{self.path}")
        await server.start()
        self.path.chmod(0o666)
        self._server = server

    async def _pump(self, _requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        if self._context is not None:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "this seat has its stream")
        self._context = context
        self._handler = asyncio.current_task()
        assert self._server is not None
        # Nobody else may dial: the listener closes and its path vanishes, this stream goes on.
        self._stopping = asyncio.create_task(self._server.stop(FOREVER_S))
        try:
            while (data := await context.read()) is not grpc.aio.EOF:
                self._inbox.append(_parse(data, time.perf_counter()))
                self._wake()
                if len(self._inbox) >= INBOX_LENGTH:
                    self._room.clear()
                    await self._room.wait()
        except grpc.aio.BaseError:
            pass
        finally:
            self.mark_gone()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def mark_gone(self) -> None:
        """Say that nothing more will come: the stream ended or the process left."""
        self._is_closed = True
        self._wake()

    async def receive(self, deadline: float) -> Received:
        """The next message, or why there is none by ``deadline`` (a ``time.perf_counter()``)."""
        if not self._inbox and not self._is_closed:
            self._watch(deadline)
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if self._inbox:
            received = self._inbox.popleft()
            if not self._room.is_set():
                self._room.set()
            return received
        return Silence.CLOSED if self._is_closed else Silence.DEADLINE

    async def send(self, message: pb.PlayResponse, deadline: float) -> bool:
        """Write one message; False when the bot did not take it by ``deadline`` or has left."""
        if self._context is None or self._is_closed:
            return False
        self._watch(deadline)
        self._writer = task = asyncio.current_task()
        try:
            await self._context.write(message.SerializeToString())
        except asyncio.CancelledError:
            if self._writer is not None or task is None:
                raise
            task.uncancel()
            return False
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            # grpc has several ways to say that the other end is gone, some of them undocumented.
            return False
        finally:
            self._writer = None
        return True

    def _watch(self, deadline: float) -> None:
        """Have the one timer look at ``deadline``.

        It is not armed anew for every wait (that costs more than the wait itself usually does):
        when it goes off early it is set again for what is then the deadline.
        """
        self._deadline = deadline
        self._lost_s = self._pulse.lost_s
        if self._timer is not None:
            if self._timer_at <= deadline:
                return
            self._timer.cancel()
        self._timer_at = deadline
        delay = max(0.0, deadline - time.perf_counter())
        self._timer = asyncio.get_running_loop().call_later(delay, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._waiter is None and self._writer is None:
            return
        deadline = self._deadline + self._pulse.lost_s - self._lost_s
        if time.perf_counter() < deadline:
            self._watch(deadline)
            return
        self._wake()
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.cancel()

    async def close(self) -> None:
        """End the stream and the server. Bounded, whatever the bot does."""
        self.mark_gone()
        if self._timer is not None:
            self._timer.cancel()
        if self._handler is not None:
            self._handler.cancel()
        if self._server is not None:
            await self._server.stop(0.1)
        if self._stopping is not None:
            self._stopping.cancel()
            await asyncio.gather(self._stopping, return_exceptions=True)
        self.path.unlink(missing_ok=True)


def _parse(data: bytes, at: float) -> Arrival | Unreadable:
    if len(data) > MAX_MESSAGE_BYTES:
        return Unreadable(at, f"a message of {len(data)} bytes; at most {MAX_MESSAGE_BYTES}")
    try:
        return Arrival(at, pb.PlayRequest.FromString(data))
    except DecodeError:
        return Unreadable(at, f"{len(data)} bytes that are no PlayRequest")


def token_matches(given: str, expected: str) -> bool:
    """Compare tokens in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())
