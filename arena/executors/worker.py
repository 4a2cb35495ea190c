"""The worker process: plays one series at a time and speaks with the bots.

Usage: python -m arena.executors.worker JOBS_FD SEATS_FD

Over the jobs socket come lines of JSON, one a job; records go back the same way. Over the seats
socket the supervisor starts and ends the seats. The worker has no rights of its own: it runs as an
ordinary user, and leaves when either socket closes.

Its event loop is uvloop's where there is one, for it saves a tenth of the CPU of a decision.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import socket
import sys
from collections.abc import Coroutine
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.executors.base import JOB_LIMIT_BYTES
from arena.supervisor.client import SeatPort

_LISTENER_SETTING = "-event_engine_listener"
_LISTENER_SETTING_UNTIL = (1, 85)


class Worker:
    """Takes jobs from one stream until it closes."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: SeatPort
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._port = port

    async def run(self) -> None:
        """Play job after job. Returns when the main process closes the stream."""
        with contextlib.suppress(ConnectionError):  # main has left in the middle of a series
            await self._work()

    async def _work(self) -> None:
        # Not before main: gRPC reads its settings from the environment when it is imported.
        from arena.match import Series

        while line := await self._reader.readline():
            message = json.loads(line)
            job = SeriesJob.from_dict(message["job"])
            folders = [Path(folder) for folder in message["folders"]]
            self._send({"begun": job.series_id})
            replace = await Series(job, self._port, folders).play(self._report)
            self._send({"ended": job.series_id, "replace": replace})
            await self._writer.drain()

    def _report(self, record: MatchRecord) -> None:
        self._send({"record": record.to_dict()})

    def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")


async def serve(jobs_fd: int, port: SeatPort) -> None:
    """Connect the jobs socket and work."""
    sock = socket.socket(fileno=jobs_fd)
    reader, writer = await asyncio.open_connection(sock=sock, limit=JOB_LIMIT_BYTES)
    await Worker(reader, writer, port).run()


def main() -> None:
    """Entry point of the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("jobs", type=int)
    parser.add_argument("seats", type=int)
    options = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    # A bot that leaves without a goodbye is the referee's business, not the log's.
    logging.getLogger("grpc").setLevel(logging.ERROR)
    set_up_grpc()
    _run(serve(options.jobs, SeatPort.from_fd(options.seats)))
    # grpc's threads can hold up an orderly exit; everything is flushed and nothing is ours to keep.
    sys.stderr.flush()
    os._exit(0)


def _run(work: Coroutine[Any, Any, None]) -> None:
    if find_spec("uvloop") is None:  # not every system has it; it is faster, not different
        asyncio.run(work)
        return
    import uvloop

    uvloop.run(work)


def set_up_grpc() -> None:
    """Keep gRPC's server on the poller it had before its event engine.

    Newer versions hand each message through a pool of threads first, which costs a decision some
    20 us of CPU and the bot as much of waiting. Versions that are not known to know the setting
    are left alone: they would only complain of it.
    """
    number = tuple(int(part) for part in version("grpcio").split(".")[:2])
    if number <= _LISTENER_SETTING_UNTIL:
        os.environ.setdefault("GRPC_EXPERIMENTS", _LISTENER_SETTING)


if __name__ == "__main__":
    main()
