"""The supervisor: the one process that may be root. It starts, watches and kills seats.

It speaks with main (open and close a series, quit) and with its worker (start, kill, reap, by
seat number only). It is a subreaper with one thread, so that the kernel's "die with your parent"
holds for all it starts. Every wait has a deadline. When main's end of the control socket closes,
however main died, everything is killed and removed. When the worker goes, its seats go.

Run by :func:`arena.supervisor.launch.launch` as ``python -m arena.supervisor FD FD FD FD FD``:
control, stream (the worker's end), seat port (this side), seat port (the worker's end), the
worker's output.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from arena.errors import SandboxError
from arena.sandbox.base import SeatFds
from arena.sandbox.notes import note
from arena.supervisor.job import PORT_FD, STREAM_FD, JobState
from arena.supervisor.protocol import (
    PACKET_BYTES,
    JobConfig,
    decode,
    encode,
    read_bots,
    read_limits,
)
from arena.supervisor.series import Series

TICK_S = 0.1
CONFIG_S = 30.0
_REFUSED = (SandboxError, OSError, KeyError, TypeError, ValueError, RecursionError)
"""What an answer can say: the host may run out of files or of room at any step."""


class Supervisor:
    """Answers main and worker until main says quit or goes away."""

    def __init__(self, control: socket.socket, port: socket.socket, job: JobState) -> None:
        self._control = control
        self._port: socket.socket | None = port
        self._job = job
        self._series: Series | None = None
        self._is_done = self._is_clean = False
        self._from_main: dict[str, Callable[[dict[str, Any]], Any]] = {
            "open_series": self._open_series,
            "close_series": self._close_series,
            "quit": self._quit,
        }

    def run(self, wake_fd: int) -> None:
        """Serve until the end, then clean up whatever is left. ``wake_fd`` stirs on SIGCHLD."""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._control, selectors.EVENT_READ, self._on_control)
        self._selector.register(self._port or -1, selectors.EVENT_READ, self._on_port)
        self._selector.register(wake_fd, selectors.EVENT_READ, lambda: os.read(wake_fd, 4096))
        try:
            while not self._is_done:
                is_running = self._series is not None and self._series.is_running
                for key, _ in self._selector.select(TICK_S if is_running else None):
                    key.data()
                self._job.children.collect()
                if self._series is not None:
                    self._series.watch()
        finally:
            self._clean_up()

    def stop(self) -> None:
        """End the loop after the event at hand."""
        self._is_done = True

    def _on_control(self) -> None:
        packet = _receive(self._control)
        if packet is None:
            self.stop()
            return
        try:
            message = decode(packet)
            answer = {"ok": self._from_main[message["op"]](message)}
        except _REFUSED as error:
            answer = {"error": _sentence(error)}
        with suppress(OSError):
            self._control.send(encode(answer), socket.MSG_NOSIGNAL)

    def _on_port(self) -> None:
        packet = _receive(self._port)
        if packet is None:
            self._drop_worker()
            return
        fds: SeatFds | None = None
        try:
            message = decode(packet)
            answer, fds = self._serve_worker(message)
        except _REFUSED as error:
            answer = {"error": _sentence(error)}
        self._answer_worker(answer, fds)

    def _serve_worker(self, message: dict[str, Any]) -> tuple[dict[str, Any], SeatFds | None]:
        if self._series is None:
            raise SandboxError("no series is open")
        match message["op"]:
            case "start":
                if message["series"] != self._series.name:
                    raise SandboxError("that series is not open")
                answer, process = self._series.start(message["seat"])
                return answer, process.fds
            case "kill":
                self._series.kill(message["seat"])
                return {"ok": None}, None
            case "reap":
                return {"ok": self._series.reap(message["seat"])._asdict()}, None
            case _:
                raise SandboxError("unknown request")

    def _answer_worker(self, answer: dict[str, Any], fds: SeatFds | None) -> None:
        if self._port is None:
            return
        named = {name: fd for name, fd in (fds._asdict() if fds else {}).items() if fd is not None}
        if fds is not None:
            answer = {"ok": {**answer, "fds": list(named)}}
        gifts = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", named.values()))]
        try:
            # A worker that does not read its answers is broken; never wait for it. (The standard
            # library's send_fds would: it drops the flags it is given.)
            flags = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL
            self._port.sendmsg([encode(answer)], gifts if named else [], flags)
        except OSError:
            self._drop_worker()
        finally:
            for fd in named.values():
                os.close(fd)

    def _drop_worker(self) -> None:
        """The worker is gone or broken: nobody can speak for its seats any more."""
        if self._port is not None:
            self._selector.unregister(self._port)
            self._port.close()
            self._port = None
        if self._series is not None:
            self._series.kill_all()
        self._job.end_worker()

    def _open_series(self, message: dict[str, Any]) -> list[str]:
        if self._series is not None:
            raise SandboxError("a series is open already: close it first")
        series = Series(
            str(message["series"]), read_bots(message["bots"]), read_limits(message["limits"])
        )
        folders = self._job.open(series)
        self._series = series
        return folders

    def _close_series(self, _: dict[str, Any]) -> list[list[Any]]:
        if self._series is None:
            return []
        attempts = [[a.seat, a.attempt, a.exit._asdict()] for a in self._series.close()]
        # Only when all of it has gone: nothing new is opened over what will not go.
        self._series = None
        return attempts

    def _quit(self, _: dict[str, Any]) -> None:
        self._clean_up()
        self.stop()

    def _clean_up(self) -> None:
        if self._is_clean:
            return
        self._is_clean = True
        # The worker first: it must not see its bots die and take that for their doing.
        self._job.end_worker()
        if self._series is not None:
            with _noting():
                self._close_series({})
        with _noting():
            self._job.close()


def _receive(sock: socket.socket | None) -> bytes | None:
    """One packet, None at the end. Descriptors that a peer may have attached are discarded."""
    try:
        packet = sock.recv(PACKET_BYTES) if sock is not None else b""
    except OSError:
        return None
    return packet or None


@contextmanager
def _noting() -> Iterator[None]:
    """Let the rest of a clean-up go on whatever one step meets."""
    try:
        yield
    except _REFUSED as error:
        note(_sentence(error))


def _sentence(error: Exception) -> str:
    if isinstance(error, SandboxError):
        return str(error)
    if isinstance(error, OSError):
        return f"the host does not let the supervisor do it: {error}"
    return f"bad request: {type(error).__name__} {error}"


def main(argv: list[str]) -> int:
    """Entry point. Returns the exit code: 0 after a clean end, 1 when nothing could be set up."""
    control_fd, stream_fd, port_fd, worker_port_fd, words_fd = fds = [*map(int, argv)]
    control = socket.socket(fileno=control_fd)
    port = socket.socket(fileno=port_fd)
    for fd in fds:
        os.set_inheritable(fd, False)
    control.settimeout(CONFIG_S)
    packet = _receive(control)
    if packet is None:
        return 1
    wake_fd = _arm_signals()
    worker_fds = {1: words_fd, 2: words_fd, STREAM_FD: stream_fd, PORT_FD: worker_port_fd}
    try:
        config = JobConfig.from_dict(decode(packet))
        if config.core is not None:
            with suppress(OSError):  # a core that has gone is no reason not to play
                os.sched_setaffinity(0, {config.core})
        job = JobState(config, worker_fds)
    except _REFUSED as error:
        with suppress(OSError):
            control.send(encode({"error": _sentence(error)}), socket.MSG_NOSIGNAL)
        return 1
    for fd in (stream_fd, worker_port_fd, words_fd):
        os.close(fd)
    supervisor = Supervisor(control, port, job)
    signal.signal(signal.SIGTERM, lambda *_: supervisor.stop())
    ready = {
        "level": job.level.value,
        "worker_pid": job.worker_pid,
        "folder": str(job.folder),
        "bundles": str(job.bundles),
    }
    with suppress(OSError):
        control.send(encode({"ok": ready}), socket.MSG_NOSIGNAL)
    supervisor.run(wake_fd)
    return 0


def _arm_signals() -> int:
    """Make SIGCHLD and SIGTERM stir a descriptor, so that a select wakes up for them."""
    read_fd, write_fd = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return read_fd
