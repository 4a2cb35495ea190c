"""What a bot prints: always drained, kept as its first and last 64 KiB, never trusted."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

KEEP_BYTES = 64 * 1024
FLOOD_BYTES = 16 * 1024 * 1024
"""A bot that prints more than this in a series has flooded its output."""
LINE_BYTES = 4 * 1024
_READ_BYTES = 64 * 1024


class Printed:
    """How much a bot has printed in a series, on all its pipes and in all its processes.

    ``on_flood`` is called once, when it becomes more than ``FLOOD_BYTES``.
    """

    def __init__(self, on_flood: Callable[[], None]) -> None:
        self.total_bytes = 0
        self._on_flood = on_flood

    @property
    def is_flood(self) -> bool:
        """Whether it is more than a bot may print."""
        return self.total_bytes > FLOOD_BYTES

    def count(self, size: int) -> None:
        """Add what has just been read."""
        was_flood = self.is_flood
        self.total_bytes += size
        if self.is_flood and not was_flood:
            self._on_flood()


class Drain:
    """Reads one pipe as bytes arrive, and counts them in ``printed``."""

    def __init__(self, fd: int, printed: Printed) -> None:
        self._fd: int | None = fd
        self._printed = printed
        self._head = bytearray()
        self._tail = bytearray()
        self.total_bytes = 0
        os.set_blocking(fd, False)
        asyncio.get_running_loop().add_reader(fd, self._on_readable)

    def _on_readable(self) -> None:
        assert self._fd is not None
        try:
            data = os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self._keep(data)

    def _keep(self, data: bytes) -> None:
        size = len(data)
        self.total_bytes += size
        room = KEEP_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        del self._tail[: max(0, len(self._tail) - KEEP_BYTES)]
        self._printed.count(size)

    def drain_rest(self) -> None:
        """Take what is still in the pipe after the writer has left. Bounded by the pipe's size."""
        for _ in range(32):
            if self._fd is None:
                return
            before = self.total_bytes
            self._on_readable()
            if self.total_bytes == before:
                return

    def close(self) -> None:
        """Stop reading. Safe to call twice."""
        if self._fd is None:
            return
        with contextlib.suppress(ValueError):
            asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)
        self._fd = None

    def last_lines(self, count: int) -> list[str]:
        """The last lines as text, long ones cut, bytes that are no UTF-8 replaced."""
        kept = bytes(self._head)
        if self.total_bytes > KEEP_BYTES:
            cut = self.total_bytes - len(self._head) - len(self._tail)
            if cut > 0:
                kept += b"\n[... %d bytes left out ...]\n" % cut
            kept += bytes(self._tail)
        lines = kept.decode("utf-8", "replace").splitlines()
        return [line[:LINE_BYTES] for line in lines[-count:]]
