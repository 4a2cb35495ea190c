"""Main's side of the supervisor: start one for a job, open and close series, end it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from arena.errors import SandboxError
from arena.sandbox.base import BotFiles, Exit, Level, Limits
from arena.supervisor.client import SeatPort
from arena.supervisor.protocol import Attempt, JobConfig, ask

_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "HOME", "XDG_RUNTIME_DIR", "ARENA_BOT_RUNTIME")


class SupervisorHandle:
    """A running supervisor with its worker. Calls block for milliseconds, at worst ``timeout_s``.

    ``worker`` is main's end of the stream to the worker (JSON lines by convention); it reads EOF
    when the worker is gone. ``level`` is what the seats really have. ``folder`` is the job's own:
    what main puts there goes when the job does. ``bundles`` is the place in it for bots' folders,
    as closed as it can be for their seats to reach them. Main must be the only holder of the
    control socket: its end is how the supervisor knows that main died.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        worker: socket.socket,
        answer: dict[str, Any],
    ) -> None:
        self._process = process
        self._control = control
        self.worker = worker
        self.level = Level(answer["level"])
        self.worker_pid: int | None = answer["worker_pid"]
        self.folder: str = answer["folder"]
        self.bundles: str = answer["bundles"]
        self.seat_port: SeatPort | None = None

    @property
    def pid(self) -> int:
        """Process id of the supervisor."""
        return self._process.pid

    def open_series(
        self, series: str, bots: Sequence[BotFiles], limits: Limits | None = None
    ) -> tuple[str, ...]:
        """Make a series ready: one socket folder per participant, in order.

        The worker listens on ``<folder>/<attempt>.sock`` before it asks for that attempt.

        Raises:
            SandboxError: a series is open already, no seat user is free, a folder cannot be read.
        """
        bots_data = [list(bot) for bot in bots]
        limits_data = None if limits is None else limits._asdict()
        folders = self._ask(
            {"op": "open_series", "series": series, "bots": bots_data, "limits": limits_data}
        )
        return tuple(str(folder) for folder in folders)

    def close_series(self) -> tuple[Attempt, ...]:
        """End and remove everything of the open series; says how each attempt ended."""
        attempts = self._ask({"op": "close_series"})
        return tuple(Attempt(seat, number, Exit(**end)) for seat, number, end in attempts)

    def close(self, timeout_s: float = 10.0) -> None:
        """End worker and supervisor and everything of theirs. Safe to repeat, raises nothing."""
        if self._process.poll() is None:
            with suppress(SandboxError):
                self._ask({"op": "quit"})
        if self.seat_port is not None:
            self.seat_port.close()
        self.worker.close()
        self._control.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            # Its seats die with it, and the next supervisor sweeps what it leaves.
            self._process.kill()
            self._process.wait(timeout_s)

    def _ask(self, message: dict[str, Any]) -> Any:
        answer, _ = ask(self._control, message, "supervisor")
        return answer


def launch(config: JobConfig, timeout_s: float = 30.0) -> SupervisorHandle:
    """Start a supervisor and its worker, and wait until both stand.

    The worker is run as ``python -m <config.worker> <stream fd> <seat port fd>``. With
    ``config.worker=None`` there is none, and the handle's ``seat_port`` is the worker's line.

    Raises:
        SandboxError: the wanted level cannot be had; the text says why and the way out.
    """
    control, control_there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stream, stream_there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    port, port_there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs = [control_there, stream_there, port_there, port]
    numbers = [sock.fileno() for sock in theirs]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena.supervisor", *map(str, numbers)],
        stdin=subprocess.DEVNULL,
        stdout=2,
        pass_fds=numbers,
        start_new_session=True,
        cwd="/",
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    )
    for sock in (control_there, stream_there, port_there):
        sock.close()
    control.settimeout(timeout_s)
    try:
        answer, _ = ask(control, config.to_dict(), "supervisor")
    except SandboxError:
        control.close()
        stream.close()
        port.close()
        process.wait(timeout_s)
        raise
    handle = SupervisorHandle(process, control, stream, answer)
    if config.worker is None:
        handle.seat_port = SeatPort(port)
    else:
        port.close()
    return handle
