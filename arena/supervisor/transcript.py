"""What supervisor and worker print: read all the time, kept at its end, logged in clean lines.

Neither has the terminal. A worker speaks with strangers' bots all day: one that a bot has taken
over must not be able to write to the screen or to read the keys of whoever runs the arena, who may
be root. Each has a pipe of its own, so that it cannot speak in the other's name either.
"""

from __future__ import annotations

import codecs
import logging
import os
import select
import threading
from collections.abc import Mapping
from contextlib import suppress

from arena.core.text import printable

KEPT_BYTES = 64 * 1024
LINE_BYTES = 1000
MOST_LINES = 200
"""Of each process in the log; what comes after is kept for ``last_words`` only."""

_READ_BYTES = 65536


class _Speaker:
    def __init__(self, logger: str) -> None:
        self._log = logging.getLogger(logger)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""
        self._count = 0

    def hear(self, piece: bytes) -> str:
        """Log the lines that are complete; an empty piece is the end. Returns the text."""
        text = self._decoder.decode(piece, final=not piece)
        *lines, self._line = (self._line + text).split("\n")
        if len(self._line) > LINE_BYTES or not piece:
            lines, self._line = [*lines, self._line], ""
        for line in lines:
            if line.strip():
                self._say(line)
        return text

    def _say(self, line: str) -> None:
        self._count += 1
        if self._count <= MOST_LINES:
            self._log.warning("%s", printable(line[:LINE_BYTES]))
        elif self._count == MOST_LINES + 1:
            self._log.warning("it says more than %d lines: the rest is not shown", MOST_LINES)


class Transcript:
    """Reads pipes in a thread of its own until all are at their end or it is closed.

    ``pipes``: read ends, which it owns, and the logger that gets each one's lines.
    """

    def __init__(self, pipes: Mapping[int, str]) -> None:
        self._speakers = {fd: _Speaker(logger) for fd, logger in pipes.items()}
        self._tail = ""
        self._wake_fd = os.eventfd(0, os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._read, name="transcript", daemon=True)
        self._thread.start()

    def last_words(self) -> str:
        """The last 64 KiB of what was printed, a line break and a tab left as they are."""
        return "\n".join(
            "\t".join(map(printable, line.split("\t"))) for line in self._tail.splitlines()
        )

    def close(self, patience_s: float = 0.5) -> None:
        """Wait a moment for the rest, then stop reading. Safe to repeat."""
        if self._wake_fd < 0:
            return
        self._thread.join(patience_s)
        os.eventfd_write(self._wake_fd, 1)
        self._thread.join()
        os.close(self._wake_fd)
        self._wake_fd = -1

    def _read(self) -> None:
        poll = select.poll()
        poll.register(self._wake_fd, select.POLLIN)
        speaking = dict(self._speakers)
        for fd in speaking:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        is_closing = False
        while speaking and not is_closing:
            ready = {fd for fd, _ in poll.poll()}
            is_closing = self._wake_fd in ready
            for fd in ready & set(speaking):
                if not self._hear(fd, speaking[fd]):
                    poll.unregister(fd)
                    del speaking[fd]
        for fd in self._speakers:
            os.close(fd)

    def _hear(self, fd: int, speaker: _Speaker) -> bool:
        """Take what is there; False at the end."""
        piece = b""
        with suppress(BlockingIOError):
            piece = os.read(fd, _READ_BYTES)
            text = speaker.hear(piece)
            self._tail = (self._tail + text)[-KEPT_BYTES:]
            return bool(piece)
        return True
