"""The worker's side of the supervisor: ask for seats, freeze, thaw and kill them.

Plain blocking calls; each is a few milliseconds (``start`` and ``reap`` some more) and none
waits longer than the port's timeout. Freeze and thaw are single writes, no round trip.
"""

from __future__ import annotations

import os
import select
import socket
from typing import Any

from arena.errors import SandboxError
from arena.sandbox.base import Exit
from arena.supervisor.protocol import FD_NAMES, ask


class Seat:
    """One running attempt of one seat, as the worker holds it.

    ``number`` is the seat, ``attempt`` counts from 0 within the series, ``token`` is what the bot
    must show. ``stdout_fd`` and ``stderr_fd`` are the read ends of its output, blocking: set them
    as you need. ``exit_fd`` becomes readable once the process is gone. The seat owns them all.
    """

    def __init__(
        self, port: SeatPort, number: int, answer: dict[str, Any], fds: dict[str, int]
    ) -> None:
        self._port = port
        self._fds = fds
        self.number = number
        self.pid: int = answer["pid"]
        self.attempt: int = answer["attempt"]
        self.token: str = answer["token"]
        self._words = [str(word).encode() for word in answer["words"]]

    @property
    def stdout_fd(self) -> int:
        """Read end of the bot's standard output."""
        return self._fds["stdout"]

    @property
    def stderr_fd(self) -> int:
        """Read end of the bot's standard error."""
        return self._fds["stderr"]

    @property
    def exit_fd(self) -> int:
        """A pidfd: readable (poll, ``loop.add_reader``) once the bot's process has ended."""
        return self._fds["exit"]

    @property
    def can_freeze(self) -> bool:
        """Whether freeze and thaw do anything at this level."""
        return "freeze" in self._fds

    def freeze(self) -> None:
        """Stop the whole tree from running. Nothing at a level without freeze."""
        self._write("freeze", self._words[0])

    def thaw(self) -> None:
        """Let the tree run again. Nothing at a level without freeze."""
        self._write("freeze", self._words[1])

    def kill(self) -> None:
        """End the whole tree, frozen or not. Does not wait: see :meth:`SeatPort.reap`."""
        if "kill" in self._fds:
            self._write("kill", b"1")
        else:
            self._port.kill(self.number)

    def cpu_s(self) -> float | None:
        """CPU seconds of the tree so far; None at a level that does not count them."""
        if "cpu" not in self._fds:
            return None
        text = os.pread(self._fds["cpu"], 4096, 0)
        if text.startswith(b"usage_usec"):
            return int(text.split()[1]) / 1e6
        return int(text) / 1e9

    def has_ended(self, timeout_s: float = 0.0) -> bool:
        """Whether the process ends within ``timeout_s`` (thaw it first, or it cannot)."""
        poll = select.poll()
        poll.register(self.exit_fd, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))

    def close(self) -> None:
        """Close the descriptors. :meth:`SeatPort.reap` does it; safe to repeat."""
        fds, self._fds = self._fds, {}
        for fd in fds.values():
            os.close(fd)

    def _write(self, name: str, value: bytes) -> None:
        if (fd := self._fds.get(name)) is None:
            return
        try:
            os.write(fd, value)
        except OSError as error:
            raise SandboxError(f"cannot {name} seat {self.number}: {error}") from error


class SeatPort:
    """The worker's line to the supervisor. One request at a time; use it from one thread."""

    def __init__(self, sock: socket.socket, timeout_s: float = 15.0) -> None:
        sock.settimeout(timeout_s)
        self._sock = sock
        self._seats: dict[int, Seat] = {}

    @classmethod
    def from_fd(cls, fd: int, timeout_s: float = 15.0) -> SeatPort:
        """Take over the descriptor whose number the worker got as its second argument."""
        return cls(socket.socket(fileno=fd), timeout_s)

    def start(self, series: str, seat: int) -> Seat:
        """Start the next attempt of a seat of the open series.

        The worker must already listen on ``<seat folder>/<attempt>.sock``; attempts count from 0
        and the one before must have been reaped.

        Raises:
            SandboxError: the supervisor refused or cannot; nobody's bot is at fault.
        """
        answer, fds = self._ask({"op": "start", "series": series, "seat": seat})
        self._seats[seat] = Seat(self, seat, answer, dict(zip(answer["fds"], fds, strict=True)))
        return self._seats[seat]

    def kill(self, seat: int) -> None:
        """End the seat's tree by way of the supervisor. Does not wait."""
        self._ask({"op": "kill", "seat": seat})

    def reap(self, seat: int) -> Exit:
        """Kill what is left of the running attempt, wait, clean up and say how it ended.

        A process that is about to exit by itself is killed all the same, so give it a moment
        before (``Seat.has_ended``) if its exit code matters.

        Raises:
            SandboxError: it could not be ended in time, or nothing was running.
        """
        answer, _ = self._ask({"op": "reap", "seat": seat})
        if seat in self._seats:
            self._seats.pop(seat).close()
        return Exit(**answer)

    def close(self) -> None:
        """Close the line and the descriptors of seats that were not reaped."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()
        self._sock.close()

    def _ask(self, message: dict[str, Any]) -> tuple[Any, list[int]]:
        answer, fds = ask(self._sock, message, "supervisor")
        if len(fds) > len(FD_NAMES):
            raise SandboxError("the supervisor sent more descriptors than were agreed")
        return answer, fds
