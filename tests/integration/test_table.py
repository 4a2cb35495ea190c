"""A bot's line to the arena, against honest peers: real gRPC on a real socket."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from dominobot.wire.v1 import match_pb2 as pb

from arena.pulse import Pulse
from arena.table import MAX_MESSAGE_BYTES, Arrival, Link, Silence, Unreadable, token_matches

PATH = "/dominobot.wire.v1.Arena/Play"
SOON_S = 5.0
"""A wait that ends long before in every test: only a bug lets it pass."""

Call = grpc.aio.StreamStreamCall[bytes, bytes]


def soon() -> float:
    return time.perf_counter() + SOON_S


def ready(game_id: int) -> bytes:
    return pb.PlayRequest(ready=pb.Ready(game_id=game_id)).SerializeToString()


def goodbye(reason: str = "x") -> pb.PlayResponse:
    return pb.PlayResponse(goodbye=pb.Goodbye(reason=reason))


def padded(size: int) -> bytes:
    """A message that means something, of exactly so many bytes."""
    data = b""
    for envelope in range(20):
        note = "n" * (size - envelope)
        message = pb.PlayRequest(answers=pb.Answers(answers=[pb.Answer(note=note)]))
        data = message.SerializeToString()
        if len(data) == size:
            return data
    raise AssertionError(f"no message has {size} bytes")


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[Link]:
    link = Link(folder / "0.sock", Pulse())
    await link.listen()
    try:
        yield link
    finally:
        await asyncio.wait_for(link.close(), SOON_S)


@asynccontextmanager
async def dialled(link: Link, **options: Any) -> AsyncIterator[Call]:
    """A stream of an honest client."""
    async with grpc.aio.insecure_channel(f"unix:{link.path}") as channel:
        call: Call = channel.stream_stream(PATH)(**options)
        yield call


@asynccontextmanager
async def two_connections(link: Link) -> AsyncIterator[tuple[grpc.aio.Channel, grpc.aio.Channel]]:
    """Both made before any stream; the option keeps grpc from sharing one."""
    async with (
        grpc.aio.insecure_channel(f"unix:{link.path}", [("grpc.channel", 1)]) as one,
        grpc.aio.insecure_channel(f"unix:{link.path}", [("grpc.channel", 2)]) as two,
    ):
        await asyncio.gather(one.channel_ready(), two.channel_ready())
        yield one, two


async def game_ids(link: Link, count: int) -> list[int]:
    found = []
    for _ in range(count):
        received = await link.receive(soon())
        assert isinstance(received, Arrival)
        found.append(received.message.ready.game_id)
    return found


async def test_messages_arrive_in_order_both_ways(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        for number in range(100):
            await call.write(ready(number))
            assert await game_ids(link, 1) == [number]
            assert await link.send(goodbye(str(number)), soon())
            data = await call.read()
            assert isinstance(data, bytes)
            answer = pb.PlayResponse.FromString(data)
            assert answer.goodbye.reason == str(number)


async def test_a_message_may_have_64_kib_and_a_longer_one_is_named_by_its_length(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        for size in (MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + 1, MAX_MESSAGE_BYTES):
            await call.write(padded(size))
        first, second, third = [await link.receive(soon()) for _ in range(3)]
        assert isinstance(first, Arrival)
        assert isinstance(second, Unreadable)
        assert second.detail == "a message of 65537 bytes; at most 65536"
        assert isinstance(third, Arrival), "the stream goes on: what it costs is not the link's"


async def test_a_message_beyond_the_transport_ends_the_stream_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(1))
        assert await game_ids(link, 1) == [1]
        with suppress(grpc.aio.AioRpcError):  # the end may come while it is written
            await call.write(padded(8 * 1024 * 1024))
        assert await link.receive(soon()) is Silence.CLOSED
        assert not await link.send(goodbye(), soon())
        assert await call.code() is not grpc.StatusCode.OK


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 100,
        b"\x0a\xff\xff\xff\xff\x0f",  # a Hello longer than the message
        pb.PlayRequest(hello=pb.Hello(token="abcdef"))
        .SerializeToString()
        .replace(b"abc", b"\xff" * 3),
        b"\x0b" * 1000,  # groups within groups
    ],
)
async def test_bytes_that_are_no_message_are_named_and_the_line_lives_on(
    data: bytes, tmp_path: Path
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(data)
        received = await link.receive(soon())
        assert isinstance(received, Unreadable)
        assert received.detail == f"{len(data)} bytes that are no PlayRequest"
        await call.write(ready(7))
        assert await game_ids(link, 1) == [7]


async def test_an_empty_message_is_a_message_that_says_nothing(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(b"")
        received = await link.receive(soon())
        assert isinstance(received, Arrival)
        assert received.message.WhichOneof("body") is None


async def test_what_was_said_before_the_end_is_still_heard(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        async with dialled(link) as call:
            for number in range(5):
                await call.write(ready(number))
            await call.done_writing()
            assert await game_ids(link, 5) == [0, 1, 2, 3, 4]
            assert await link.receive(soon()) is Silence.CLOSED
        assert await link.receive(soon()) is Silence.CLOSED


async def test_a_peer_that_hangs_up_ends_a_wait_at_once(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        async with dialled(link) as call:
            await call.write(ready(1))
            await game_ids(link, 1)
            waiting = asyncio.create_task(link.receive(time.perf_counter() + 600))
            await asyncio.sleep(0.01)
            assert not waiting.done()
        assert await asyncio.wait_for(waiting, SOON_S) is Silence.CLOSED
        assert not await link.send(goodbye(), soon())


async def test_a_process_that_has_left_ends_a_wait_at_once(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(1))
        await game_ids(link, 1)
        waiting = asyncio.create_task(link.receive(time.perf_counter() + 600))
        await asyncio.sleep(0.01)
        link.mark_gone()
        assert await asyncio.wait_for(waiting, SOON_S) is Silence.CLOSED
        assert not await link.send(goodbye(), soon())


async def test_closing_ends_a_wait_and_the_peer_hears_of_it(tmp_path: Path) -> None:
    link = Link(tmp_path / "0.sock", Pulse())
    await link.listen()
    async with dialled(link) as call:
        await call.write(ready(1))
        await game_ids(link, 1)
        waiting = asyncio.create_task(link.receive(time.perf_counter() + 600))
        await asyncio.sleep(0.01)
        await asyncio.wait_for(link.close(), SOON_S)
        assert await asyncio.wait_for(waiting, SOON_S) is Silence.CLOSED
        assert await asyncio.wait_for(call.code(), SOON_S) is not grpc.StatusCode.OK
        assert not await link.send(goodbye(), soon())
    await link.close()


async def test_nothing_can_be_sent_before_somebody_dials(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        assert not await link.send(goodbye(), soon())


# ------------------------------------------------------------------ one stream


async def test_the_address_is_gone_once_the_stream_is_open(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        assert link.path.exists()
        await call.write(ready(1))
        await game_ids(link, 1)
        await eventually(lambda: not link.path.exists())
        async with dialled(link) as late:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await late.read()
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        await call.write(ready(2))
        assert await game_ids(link, 1) == [2], "the first stream goes on"


async def test_a_second_stream_on_a_connection_of_its_own_is_refused(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, two_connections(link) as (one, two):
        first: Call = one.stream_stream(PATH)()
        await first.write(ready(1))
        await game_ids(link, 1)
        second: Call = two.stream_stream(PATH)()
        with pytest.raises(grpc.aio.AioRpcError):
            await asyncio.wait_for(second.read(), SOON_S)
        await first.write(ready(2))
        assert await game_ids(link, 1) == [2]


async def test_two_that_dial_at_the_same_time_give_one_stream(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, two_connections(link) as (one, two):
        calls: list[Call] = [channel.stream_stream(PATH)() for channel in (one, two)]
        await asyncio.gather(
            *(call.write(ready(number)) for number, call in enumerate(calls)),
            return_exceptions=True,
        )
        (winner,) = await game_ids(link, 1)
        with pytest.raises(grpc.aio.AioRpcError):
            await asyncio.wait_for(calls[1 - winner].read(), SOON_S)
        assert await link.receive(time.perf_counter() + 0.05) is Silence.DEADLINE
        assert await link.send(goodbye(), soon())
        assert await asyncio.wait_for(calls[winner].read(), SOON_S) != grpc.aio.EOF


async def test_a_call_of_anything_else_does_not_take_the_seat(tmp_path: Path) -> None:
    async with listening(tmp_path) as link:
        async with grpc.aio.insecure_channel(f"unix:{link.path}") as channel:
            for path in ("/dominobot.wire.v1.Arena/Watch", "/grpc.health.v1.Health/Check", "/"):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await channel.stream_stream(path)().read()
                assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        async with dialled(link) as call:
            await call.write(ready(1))
            assert await game_ids(link, 1) == [1]


async def test_small_metadata_is_taken(tmp_path: Path) -> None:
    metadata = (("greeting", "x" * 2_000),)
    async with listening(tmp_path) as link, dialled(link, metadata=metadata) as call:
        await call.write(ready(1))
        assert await game_ids(link, 1) == [1]


async def test_large_metadata_is_not_taken_and_costs_the_peer_its_line(tmp_path: Path) -> None:
    metadata = (("greeting", "x" * 200_000),)
    async with listening(tmp_path) as link, dialled(link, metadata=metadata) as call:
        with pytest.raises(grpc.aio.AioRpcError):
            await call.write(ready(1))
            await call.read()
        received = await link.receive(time.perf_counter() + 0.2)
        assert received in (Silence.CLOSED, Silence.DEADLINE)


# ------------------------------------------------------------------ deadlines


async def test_a_wait_never_ends_before_its_deadline_whatever_was_waited_for_before(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(0))
        await game_ids(link, 1)
        for wait_s in (0.1, 0.02, 0.05, 0.001, 0.0, -1.0, 0.03):
            deadline = time.perf_counter() + wait_s
            received = await asyncio.wait_for(link.receive(deadline), SOON_S)
            assert received is Silence.DEADLINE
            assert time.perf_counter() >= deadline


async def test_a_short_deadline_after_a_long_one_is_kept(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        for number in range(20):
            await call.write(ready(number))
            received = await link.receive(time.perf_counter() + 600)
            assert isinstance(received, Arrival)
            assert await link.send(goodbye(), time.perf_counter() + 900)
        short = link.receive(time.perf_counter() + 0.02)
        assert await asyncio.wait_for(short, SOON_S) is Silence.DEADLINE


async def test_a_timer_of_an_earlier_wait_cuts_no_later_one_short(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(1))
        assert isinstance(await link.receive(time.perf_counter() + 0.1), Arrival)
        waiting = asyncio.create_task(link.receive(soon()))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await call.write(ready(2))
        assert isinstance(await waiting, Arrival)


async def test_a_message_that_is_there_wins_over_a_deadline_that_has_passed(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(1))
        await eventually(lambda: bool(link._inbox))
        assert isinstance(await link.receive(time.perf_counter() - 1), Arrival)


async def test_arrivals_are_stamped_when_they_come_not_when_they_are_asked_for(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        before = time.perf_counter()
        await call.write(ready(1))
        await eventually(lambda: bool(link._inbox))
        came = time.perf_counter()
        await asyncio.sleep(0.05)
        received = await link.receive(soon())
        assert isinstance(received, Arrival)
        assert before <= received.at <= came


async def test_a_wait_can_be_cancelled_and_the_line_lives_on(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, dialled(link) as call:
        await call.write(ready(1))
        await game_ids(link, 1)
        waiting = asyncio.create_task(link.receive(soon()))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await call.write(ready(2))
        assert await game_ids(link, 1) == [2]


# ------------------------------------------------------------------ leaks


async def test_closed_lines_leave_no_task_no_descriptor_and_no_file(tmp_path: Path) -> None:
    async def live(number: int) -> None:
        link = Link(tmp_path / f"{number}.sock", Pulse())
        await link.listen()
        if number % 3:
            async with dialled(link) as call:
                await call.write(ready(number))
                await game_ids(link, 1)
                if number % 3 == 1:
                    await link.close()
        await link.close()

    for number in range(6):
        await live(number)
    tasks = len(asyncio.all_tasks())
    descriptors = await settled(count_descriptors)
    for number in range(6, 36):
        await live(number)
    assert await settled(count_descriptors) <= descriptors
    assert len(asyncio.all_tasks()) <= tasks
    assert not os.listdir(tmp_path)  # noqa: PTH208 - names are enough


def count_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough


async def settled(count: Callable[[], int]) -> int:
    """A number once it has stopped falling: grpc closes what it has in threads of its own."""
    lowest = count()
    for _ in range(10):
        await asyncio.sleep(0.02)
        lowest = min(lowest, count())
    return lowest


async def eventually(check: Callable[[], bool]) -> None:
    give_up = soon()
    while not check():
        assert time.perf_counter() < give_up
        await asyncio.sleep(0.005)


def test_tokens_are_equal_or_not() -> None:
    assert token_matches("abc", "abc")
    for given in ("", "abd", "abcd", "ab", "ABC", "é", "abc\0"):
        assert not token_matches(given, "abc")
