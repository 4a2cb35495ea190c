"""What a bot prints: drained, kept in part, never trusted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from arena.output import FLOOD_BYTES, KEEP_BYTES, LINE_BYTES, Drain, Printed


class Pipe:
    """A pipe with a drain at its end; ``floods`` counts the alarms."""

    def __init__(self) -> None:
        self.read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self.floods = 0
        self.printed = Printed(self._on_flood)
        self.drain = Drain(self.read_fd, self.printed)

    def _on_flood(self) -> None:
        self.floods += 1

    async def write(self, data: bytes) -> None:
        """Write all of it and let the drain read all of it."""
        expected = self.drain.total_bytes + len(data)
        view = memoryview(data)
        for _ in range(1_000_000):
            if view:
                with suppress(BlockingIOError):
                    view = view[os.write(self._write_fd, view) :]
            elif self.drain.total_bytes == expected:
                return
            await asyncio.sleep(0)
        raise AssertionError(f"{expected - self.drain.total_bytes} bytes are not read")

    def write_now(self, data: bytes) -> None:
        assert os.write(self._write_fd, data) == len(data)

    def end(self) -> None:
        if self._write_fd >= 0:
            os.close(self._write_fd)
            self._write_fd = -1


@asynccontextmanager
async def drained() -> AsyncIterator[Pipe]:
    pipe = Pipe()
    try:
        yield pipe
    finally:
        pipe.drain.close()
        pipe.end()


def text_of(pipe: Pipe) -> str:
    return "\n".join(pipe.drain.last_lines(10**9))


async def test_little_is_kept_whole() -> None:
    async with drained() as pipe:
        await pipe.write(b"one\ntwo\r\nthree")
        assert pipe.drain.last_lines(50) == ["one", "two", "three"]
        assert pipe.drain.last_lines(2) == ["two", "three"]
        assert pipe.drain.total_bytes == 14


async def test_nothing_gives_no_lines() -> None:
    async with drained() as pipe:
        assert pipe.drain.last_lines(50) == []


@pytest.mark.parametrize("size", [KEEP_BYTES, KEEP_BYTES + 1, 2 * KEEP_BYTES])
async def test_up_to_twice_64_kib_nothing_is_left_out(size: int) -> None:
    data = b"".join(b"%06d\n" % number for number in range(size // 7 + 1))[:size]
    async with drained() as pipe:
        await pipe.write(data)
        assert text_of(pipe) == data.decode().rstrip("\n")


async def test_of_much_the_first_and_the_last_64_kib_are_kept() -> None:
    lines = [b"%06d\n" % number for number in range(100_000)]
    data = b"".join(lines)
    async with drained() as pipe:
        await pipe.write(data)
        left_out = len(data) - 2 * KEEP_BYTES
        gap = f"\n[... {left_out} bytes left out ...]\n"
        expected = data[:KEEP_BYTES].decode() + gap + data[-KEEP_BYTES:].decode()
        assert text_of(pipe) == "\n".join(expected.splitlines())
        assert pipe.drain.last_lines(2) == ["099998", "099999"]
        assert pipe.floods == 0


async def test_a_flood_is_told_once_beyond_the_limit_and_drained_on() -> None:
    async with drained() as pipe:
        await pipe.write(b"x" * FLOOD_BYTES)
        assert pipe.floods == 0
        await pipe.write(b"y")
        assert pipe.floods == 1
        await pipe.write(b"z" * 1_000_000)
        assert pipe.floods == 1
        assert pipe.drain.total_bytes == FLOOD_BYTES + 1_000_001


async def test_bytes_that_are_no_text_and_endless_lines_are_made_harmless() -> None:
    async with drained() as pipe:
        await pipe.write(b"\xff\xfe\0\x1b[31m\n" + b"a" * 50_000 + b"\nend")
        first, second, third = pipe.drain.last_lines(50)
        assert first == "\ufffd\ufffd\0\x1b[31m"
        assert second == "a" * LINE_BYTES
        assert third == "end"


async def test_the_rest_is_taken_although_the_loop_did_not_run() -> None:
    async with drained() as pipe:
        pipe.write_now(b"a" * 60_000 + b"\nlast words")
        pipe.end()
        pipe.drain.drain_rest()
        assert pipe.drain.last_lines(1) == ["last words"]


async def test_the_rest_of_one_who_never_stops_is_bounded() -> None:
    async with drained() as pipe:

        def refill(read: Callable[[], None]) -> Callable[[], None]:
            def refilled() -> None:
                read()
                pipe.write_now(b"x" * 60_000)

            return refilled

        pipe.drain._on_readable = refill(pipe.drain._on_readable)  # type: ignore[method-assign]
        pipe.write_now(b"x")
        pipe.drain.drain_rest()
        assert pipe.drain.total_bytes < 4 * 1024 * 1024


async def test_the_end_of_the_writer_closes_and_closing_again_is_no_error() -> None:
    async with drained() as pipe:
        await pipe.write(b"bye")
        pipe.end()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not is_open(pipe.read_fd)
        pipe.drain.close()
        pipe.drain.drain_rest()
        assert pipe.drain.last_lines(1) == ["bye"]


async def test_an_open_writer_does_not_keep_the_drain_from_closing() -> None:
    async with drained() as pipe:
        await pipe.write(b"still here")
        pipe.drain.close()
        assert not is_open(pipe.read_fd)
        pipe.drain.drain_rest()
        assert pipe.drain.last_lines(1) == ["still here"]


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


async def test_two_pipes_and_all_processes_of_a_bot_share_one_allowance() -> None:
    floods = []
    printed = Printed(lambda: floods.append("flood"))
    for _ in range(4):
        printed.count(FLOOD_BYTES // 4)
    assert not printed.is_flood
    assert floods == []
    printed.count(1)
    printed.count(1)
    assert printed.is_flood
    assert floods == ["flood"]
