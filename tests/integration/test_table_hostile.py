"""A bot's line to the arena, against peers that break the manners of HTTP/2 or of the protocol."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
from dominobot.wire.v1 import match_pb2 as pb

from arena.pulse import Pulse
from arena.table import INBOX_LENGTH, Arrival, Link, Silence
from tests.hostile.h2 import DATA, GOAWAY, RST_STREAM, Connection

SOON_S = 5.0
MIB = 1024 * 1024


def soon() -> float:
    return time.perf_counter() + SOON_S


def ready(game_id: int) -> bytes:
    return pb.PlayRequest(ready=pb.Ready(game_id=game_id)).SerializeToString()


def long_goodbye() -> pb.PlayResponse:
    return pb.PlayResponse(goodbye=pb.Goodbye(reason="x" * 60_000))


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[Link]:
    link = Link(folder / "0.sock", Pulse())
    await link.listen()
    try:
        yield link
    finally:
        await asyncio.wait_for(link.close(), SOON_S)


@asynccontextmanager
async def raw(link: Link, *, window: int = 65_535) -> AsyncIterator[Connection]:
    connection = await asyncio.to_thread(Connection, str(link.path), window)
    try:
        yield connection
    finally:
        connection.close()


async def next_id(link: Link) -> int:
    received = await link.receive(soon())
    assert isinstance(received, Arrival)
    return received.message.ready.game_id


async def test_a_peer_by_hand_is_a_peer_like_any_other(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        peer.open_stream()
        peer.send_message(ready(5))
        assert await next_id(link) == 5
        assert await link.send(pb.PlayResponse(goodbye=pb.Goodbye(reason="bye")), soon())
        frame = await asyncio.to_thread(peer.read_until, DATA, 1)
        assert frame is not None
        assert b"bye" in frame.payload


# ------------------------------------------------------------------ peers that do not read


async def test_a_peer_that_opens_no_window_is_given_up_at_the_deadline_not_before(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, raw(link, window=0) as peer:
        peer.open_stream()
        peer.send_message(ready(1))
        assert await next_id(link) == 1
        deadline = time.perf_counter() + 0.2
        assert not await asyncio.wait_for(link.send(long_goodbye(), deadline), SOON_S)
        assert time.perf_counter() >= deadline
        # What it says is still heard, and a further message fails by its own deadline at most.
        peer.send_message(ready(2))
        assert await next_id(link) == 2
        again = link.send(long_goodbye(), time.perf_counter() + 0.1)
        assert not await asyncio.wait_for(again, SOON_S)
        assert await link.receive(time.perf_counter() + 0.05) is Silence.DEADLINE


async def test_a_peer_that_never_reads_is_given_up_once_its_windows_are_full(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        peer.open_stream()
        peer.send_message(ready(1))
        assert await next_id(link) == 1
        sent = 0
        while await link.send(long_goodbye(), time.perf_counter() + 0.2):
            sent += 1
            assert sent < 100, "nobody reads, so this must end"
        assert not await link.send(long_goodbye(), time.perf_counter() + 0.1)


async def test_a_cancelled_task_is_cancelled_also_while_it_writes(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link, window=0) as peer:
        peer.open_stream()
        peer.send_message(ready(1))
        assert await next_id(link) == 1
        writing = asyncio.create_task(link.send(long_goodbye(), soon()))
        await asyncio.sleep(0.05)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing


async def test_a_write_that_was_given_up_does_not_cancel_what_its_task_does_next(
    tmp_path: Path,
) -> None:
    async def write_and_live_on(link: Link) -> tuple[bool, int]:
        is_sent = await link.send(long_goodbye(), time.perf_counter() + 0.05)
        await asyncio.sleep(0.1)
        task = asyncio.current_task()
        assert task is not None
        return is_sent, task.cancelling()

    async with listening(tmp_path) as link, raw(link, window=0) as peer:
        peer.open_stream()
        peer.send_message(ready(1))
        assert await next_id(link) == 1
        assert await asyncio.create_task(write_and_live_on(link)) == (False, 0)


# ------------------------------------------------------------------ floods


FLOOD = """
import sys, grpc
from dominobot.wire.v1 import match_pb2 as pb

def messages():
    number = 0
    while True:
        answer = pb.Answer(decision_id=number, note="x" * 60_000)
        yield pb.PlayRequest(answers=pb.Answers(answers=[answer])).SerializeToString()
        number += 1

channel = grpc.insecure_channel("unix:" + sys.argv[1])
for _ in channel.stream_stream("/dominobot.wire.v1.Arena/Play")(messages(), wait_for_ready=True):
    pass
"""


async def test_a_flood_waits_in_the_peer_not_in_the_arena(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        with peer_process(FLOOD, str(link.path)) as peer:
            await eventually(lambda: len(link._inbox) >= INBOX_LENGTH)
            await asyncio.sleep(0.5)
            assert len(link._inbox) == INBOX_LENGTH
            before = resident_bytes()
            sent_before = bytes_written_by(peer.pid)
            await asyncio.sleep(0.5)
            assert bytes_written_by(peer.pid) - sent_before < 2 * MIB, "it is held back"
            for number in range(1000):
                received = await link.receive(soon())
                assert isinstance(received, Arrival)
                assert received.message.answers.answers[0].decision_id == number
            assert len(link._inbox) <= INBOX_LENGTH
            assert resident_bytes() - before < 24 * MIB, "60 MB went through"
            await asyncio.wait_for(link.close(), SOON_S)


async def test_a_peer_that_sends_more_than_it_may_loses_its_stream_and_fills_no_memory(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        peer.open_stream()
        before = resident_bytes()
        await asyncio.to_thread(pour, peer, 200 * MIB)
        while isinstance(received := await link.receive(soon()), Arrival):
            pass
        assert received is Silence.CLOSED
        assert resident_bytes() - before < 32 * MIB


def pour(peer: Connection, most_bytes: int) -> None:
    """Send without regard to any window, as long as somebody takes it."""
    message = pb.PlayRequest(answers=pb.Answers(answers=[pb.Answer(note="x" * 60_000)]))
    data = message.SerializeToString()
    peer.sock.settimeout(2.0)
    with suppress(ConnectionError, TimeoutError):
        for _ in range(most_bytes // len(data)):
            peer.send_message(data)


async def test_a_flood_of_empty_messages_is_held_back_as_well(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        peer.open_stream()
        for _ in range(5_000):
            peer.send_message(b"")
        await eventually(lambda: len(link._inbox) >= INBOX_LENGTH)
        await asyncio.sleep(0.1)
        assert len(link._inbox) == INBOX_LENGTH
        for _ in range(5_000):
            assert isinstance(await link.receive(soon()), Arrival)
        peer.send_message(ready(9))
        assert await next_id(link) == 9


# ------------------------------------------------------------------ more than one stream


async def test_a_second_stream_on_the_same_connection_is_refused(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        peer.open_stream(1)
        peer.send_message(ready(1), 1)
        assert await next_id(link) == 1
        peer.open_stream(3)
        peer.send_message(ready(3), 3)
        assert await asyncio.to_thread(is_refused, peer, 3)
        assert await link.receive(time.perf_counter() + 0.1) is Silence.DEADLINE
        peer.send_message(ready(2), 1)
        assert await next_id(link) == 2, "the first goes on"


async def test_streams_opened_by_the_hundred_do_not_reach_the_table(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        before = resident_bytes()
        for number in range(1, 1001, 2):
            peer.open_stream(number)
        peer.send_message(ready(1), 1)
        assert await next_id(link) == 1
        assert await link.receive(time.perf_counter() + 0.2) is Silence.DEADLINE
        assert resident_bytes() - before < 32 * MIB


def is_refused(peer: Connection, stream: int) -> bool:
    """Whether a stream is reset within a while, or its connection given notice."""
    peer.sock.settimeout(1.0)
    try:
        while (frame := peer.read_frame()) is not None:
            if frame.kind == GOAWAY or (frame.kind == RST_STREAM and frame.stream == stream):
                return True
    except TimeoutError:
        pass
    return False


async def test_idle_connections_end_when_the_stream_is_there(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        descriptors = count_descriptors()
        idle = [await asyncio.to_thread(Connection, str(link.path)) for _ in range(30)]
        await eventually(lambda: count_descriptors() >= descriptors + 60)
        async with raw(link) as peer:
            peer.open_stream()
            peer.send_message(ready(1))
            assert await next_id(link) == 1
            for connection in idle:
                assert await asyncio.to_thread(connection.read_until, 255, 0) is None, "not ended"
                connection.close()
            await eventually(lambda: count_descriptors() <= descriptors + 3)
            peer.send_message(ready(2))
            assert await next_id(link) == 2


async def test_what_is_no_http2_is_hung_up_on_and_the_seat_stays_free(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 10_000, os.urandom(10_000), b"PRI"):
            stranger = socket.socket(socket.AF_UNIX)
            stranger.connect(str(link.path))
            stranger.sendall(noise)
            stranger.close()
        async with raw(link) as peer:
            peer.open_stream()
            peer.send_message(ready(1))
            assert await next_id(link) == 1


async def test_headers_that_never_end_cost_the_peer_its_line_only(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, raw(link) as peer:
        before = resident_bytes()
        peer.sock.settimeout(2.0)
        is_cut = await asyncio.to_thread(pour_headers, peer)
        assert is_cut
        assert resident_bytes() - before < 32 * MIB


def pour_headers(peer: Connection) -> bool:
    """One header block in continuations without end; whether the arena ends it."""
    continuation = 9
    try:
        peer.send_frame(1, 0, 1, b"")
        for number in range(20_000):
            peer.send_frame(continuation, 0, 1, b"\0\x06x%05d\x7f\x81\x3e" % number + b"v" * 8000)
    except (ConnectionError, TimeoutError):
        return True
    return False


async def test_closing_is_bounded_whatever_the_peer_is_at(tmp_path: Path) -> None:
    async def busy_writing(link: Link, peer: Connection) -> None:
        await link.send(long_goodbye(), time.perf_counter() + 0.05)

    async def busy_sending(link: Link, peer: Connection) -> None:
        for _ in range(200):
            peer.send_message(b"")

    async def half_a_message(link: Link, peer: Connection) -> None:
        peer.send_frame(DATA, 0, 1, b"\0\0\0\xff\xff" + b"x" * 100)

    async def half_a_frame(link: Link, peer: Connection) -> None:
        peer.sock.sendall(b"\0\xff\xff\0\0\0\0\0\x01" + b"x" * 100)

    for number, state in enumerate((busy_writing, busy_sending, half_a_message, half_a_frame)):
        link = Link(tmp_path / f"{number}.sock", Pulse())
        await link.listen()
        async with raw(link, window=0) as peer:
            peer.open_stream()
            peer.send_message(ready(1))
            assert await next_id(link) == 1
            await state(link, peer)
            await asyncio.wait_for(link.close(), SOON_S)
            assert not link.path.exists()
            await asyncio.to_thread(peer.read_until, 255, 0)


# ------------------------------------------------------------------ helpers


@contextmanager
def peer_process(code: str, *args: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", code, *args], stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


def bytes_written_by(pid: int) -> int:
    for line in Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("wchar"):
            return int(line.split()[1])
    raise AssertionError("no count")


def count_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough


async def eventually(check: Callable[[], bool]) -> None:
    give_up = soon()
    while not check():
        assert time.perf_counter() < give_up
        await asyncio.sleep(0.005)
