"""What a seat costs: to start it, to freeze and thaw it, to end it."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from arena.errors import ArenaError
from arena.pulse import Pulse
from arena.sandbox.base import BotFiles, Level
from arena.sandbox.runtime import find_runtime
from arena.supervisor.client import Seat, SeatPort
from arena.supervisor.launch import SupervisorHandle, launch
from arena.supervisor.protocol import JobConfig
from arena.table import Arrival, Link
from tests.bench.twins import folders, shouter

PATIENCE_S = 20.0
FREEZES = 300
SERIES = "bench"


class Seated(NamedTuple):
    """One life of a seat with the random bot. ``freeze_us`` is a freeze and a thaw together."""

    hello_ms: float
    freeze_us: float | None
    kill_ms: float


@contextmanager
def supervisor(level: Level) -> Iterator[SupervisorHandle]:
    """A supervisor without a worker: this process plays the worker's part."""
    backend = "plain" if level is Level.UNSAFE else "bwrap"
    handle = launch(JobConfig(level=level, backend=backend, worker=None))
    try:
        yield handle
    finally:
        handle.close()


async def seat_a_bot(handle: SupervisorHandle) -> Seated:
    """From the request to start it to its Hello; frozen and thawed; from the kill to empty."""
    port = _port(handle)
    folder = Path(handle.open_series(SERIES, [BotFiles(str(folders()[0]))])[0])
    link = Link(folder / "0.sock", Pulse())
    try:
        await link.listen()
        began = time.perf_counter()
        seat = port.start(SERIES, 0)
        hello = await link.receive(began + PATIENCE_S)
        hello_ms = _ms_since(began)
        if not isinstance(hello, Arrival):
            raise ArenaError(f"the bot of the bench did not say hello: {hello}")
        freeze_us = _freeze_and_thaw(seat) if seat.can_freeze else None
        began = time.perf_counter()
        seat.kill()
        port.reap(0)
        return Seated(hello_ms, freeze_us, _ms_since(began))
    finally:
        await link.close()
        handle.close_series()


def _freeze_and_thaw(seat: Seat) -> float:
    times = []
    for _ in range(FREEZES):
        began = time.perf_counter()
        seat.freeze()
        seat.thaw()
        times.append(time.perf_counter() - began)
    return 1e6 * median(times)


def sandboxed_word_ms(handle: SupervisorHandle) -> float:
    """From the request to start a seat to the first byte that a three-line program prints."""
    port = _port(handle)
    folder = Path(handle.open_series(SERIES, [BotFiles(str(shouter()))])[0])
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "0.sock"))
            listener.listen()
            return _first_byte_ms(lambda: port.start(SERIES, 0).stdout_fd)
    finally:
        handle.close_series()


def bare_word_ms() -> float:
    """The same program in the bots' interpreter, without a sandbox."""
    command = [find_runtime().python, "-s", "main.py"]
    began: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        began.append(subprocess.Popen(command, cwd=shouter(), stdout=subprocess.PIPE))
        assert began[0].stdout is not None
        return began[0].stdout.fileno()

    try:
        return _first_byte_ms(start)
    finally:
        for process in began:
            process.communicate(timeout=PATIENCE_S)


def _first_byte_ms(start: Callable[[], int]) -> float:
    began = time.perf_counter()
    fd = start()
    if not select.select([fd], [], [], PATIENCE_S)[0] or not os.read(fd, 1):
        raise ArenaError("a program of the bench said nothing")
    return _ms_since(began)


def _port(handle: SupervisorHandle) -> SeatPort:
    assert handle.seat_port is not None
    return handle.seat_port


def _ms_since(began: float) -> float:
    return 1000 * (time.perf_counter() - began)
