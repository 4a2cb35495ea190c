"""Main's side of the supervisor: start one for a job, open and close series, end it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple

from arena.errors import SandboxError
from arena.sandbox.base import BotFiles, Exit, Level, Limits
from arena.sandbox.processes import make_pipe
from arena.supervisor.client import SeatPort
from arena.supervisor.protocol import Attempt, JobConfig, ask
from arena.supervisor.transcript import Transcript

_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "HOME", "XDG_RUNTIME_DIR", "ARENA_BOT_RUNTIME")


class _Parts(NamedTuple):
    """A supervisor's process and main's ends of what leads to it and its worker."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    worker: socket.socket
    port: socket.socket
    transcript: Transcript

    def end(self, timeout_s: float) -> None:
        """Close every line, wait for the process, kill it if it does not end."""
        for sock in (self.control, self.worker, self.port):
            sock.close()
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            # Its seats die with it, and the next supervisor sweeps what it leaves.
            self.process.kill()
            self.process.wait(timeout_s)
        self.transcript.close()


class SupervisorHandle:
    """A running supervisor with its worker. Calls block for milliseconds, at worst ``timeout_s``.

    ``worker`` is main's end of the stream to the worker (JSON lines by convention); it reads EOF
    when the worker is gone. ``level`` is what the seats really have. ``folder`` is the job's own:
    what main puts there goes when the job does. ``bundles`` is the place in it for bots' folders,
    as closed as it can be for their seats to reach them. Main must be the only holder of the
    control socket: its end is how the supervisor knows that main died.
    """

    def __init__(self, parts: _Parts, answer: dict[str, Any]) -> None:
        self._parts = parts
        self.worker = parts.worker
        self.level = Level(answer["level"])
        self.worker_pid: int | None = answer["worker_pid"]
        self.folder: str = answer["folder"]
        self.bundles: str = answer["bundles"]
        self.seat_port: SeatPort | None = None

    @property
    def pid(self) -> int:
        """Process id of the supervisor."""
        return self._parts.process.pid

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
        if self._parts.process.poll() is None:
            with suppress(SandboxError):
                self._ask({"op": "quit"})
        if self.seat_port is not None:
            self.seat_port.close()
        self._parts.end(timeout_s)

    def last_words(self) -> str:
        """The last 64 KiB that supervisor and worker printed, safe to show.

        Each line also goes to the logger "arena.supervisor" or "arena.worker" as it comes.
        """
        return self._parts.transcript.last_words()

    def _ask(self, message: dict[str, Any]) -> Any:
        answer, _ = ask(self._parts.control, message, "supervisor")
        return answer


def launch(config: JobConfig, timeout_s: float = 30.0) -> SupervisorHandle:
    """Start a supervisor and its worker, and wait until both stand.

    The worker is run as ``python -m <config.worker> <stream fd> <seat port fd>``. With
    ``config.worker=None`` there is none, and the handle's ``seat_port`` is the worker's line.

    Raises:
        SandboxError: the wanted level cannot be had; the text says why and the way out.
    """
    try:
        parts = _begin()
    except OSError as error:
        raise SandboxError(f"cannot start a supervisor: {error}") from error
    parts.control.settimeout(timeout_s)
    try:
        answer, _ = ask(parts.control, config.to_dict(), "supervisor")
    except SandboxError as error:
        parts.end(timeout_s)
        words = parts.transcript.last_words().strip().splitlines()
        raise SandboxError(f"{error} ({words[-1]})" if words else str(error)) from error
    handle = SupervisorHandle(parts, answer)
    if config.worker is None:
        handle.seat_port = SeatPort(parts.port)
    else:
        parts.port.close()
    return handle


def _begin() -> _Parts:
    """Start the process with its ends of all lines. Raises OSError, leaving nothing open."""
    with ExitStack() as theirs, ExitStack() as ours:
        control, control_there = _pair(socket.SOCK_SEQPACKET, ours, theirs)
        stream, stream_there = _pair(socket.SOCK_STREAM, ours, theirs)
        port, port_there = _pair(socket.SOCK_SEQPACKET, ours, theirs)
        words, words_there = make_pipe(ours, theirs)
        worker_words, worker_words_there = make_pipe(ours, theirs)
        given = [control_there, stream_there, port_there, port]
        numbers = [*(sock.fileno() for sock in given), worker_words_there]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.supervisor", *map(str, numbers)],
            stdin=subprocess.DEVNULL,
            stdout=words_there,
            stderr=words_there,
            pass_fds=numbers,
            start_new_session=True,
            cwd="/",
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        )
        ours.pop_all()
    transcript = Transcript({words: "arena.supervisor", worker_words: "arena.worker"})
    return _Parts(process, control, stream, port, transcript)


def _pair(
    kind: socket.SocketKind, ours: ExitStack, theirs: ExitStack
) -> tuple[socket.socket, socket.socket]:
    here, there = socket.socketpair(socket.AF_UNIX, kind)
    return ours.enter_context(here), theirs.enter_context(there)
