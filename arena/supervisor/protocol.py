"""The messages between main, supervisor and worker, as JSON in packets.

Main and supervisor share a SOCK_SEQPACKET pair: one packet asks, one answers, never two at once.
Main sends the job's settings first; then ``open_series``, ``close_series``, ``quit``. Worker and
supervisor share another pair; the worker may ask ``start``, ``kill``, ``reap`` and nothing else,
and names a seat by its number only. An answer is ``{"ok": ...}`` or ``{"error": "sentence"}``;
the answer to ``start`` carries the seat's descriptors in the order of :data:`FD_NAMES`.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.errors import SandboxError
from arena.sandbox.base import BotFiles, Exit, Level, Limits

PACKET_BYTES = 128 * 1024
FD_NAMES = ("stdout", "stderr", "exit", "freeze", "kill", "cpu")
MOST_SEATS = 8
WORKER_MODULE = "arena.executors.worker"


class JobConfig(NamedTuple):
    """What main tells a new supervisor.

    ``backend``: "bwrap" or "plain" (plain goes with level unsafe). ``level``: what is wanted;
    less is an error, never a silent step down. ``runtime``: the bots' environment, None to find
    it. ``worker``: the module that is run as the worker, None when the caller plays the worker's
    part itself. ``routes``: whether root's seats get a user namespace, in the order in which it is
    tried. ``core``: the one that the whole job keeps to, None for all.
    """

    level: Level = Level.FULL
    backend: str = "bwrap"
    runtime: str | None = None
    worker: str | None = WORKER_MODULE
    routes: tuple[bool, ...] = (True, False)
    core: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {**self._asdict(), "level": self.level.value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> JobConfig:
        """Read the JSON form. Raises KeyError, TypeError or ValueError when it is not one."""
        routes = tuple(bool(route) for route in data["routes"])
        more = {"level": Level(data["level"]), "routes": routes}
        return cls(**{**data, **more})


class Attempt(NamedTuple):
    """One finished attempt of one seat: its number in the series, and how it ended."""

    seat: int
    attempt: int
    exit: Exit


def encode(message: Mapping[str, Any]) -> bytes:
    """One packet."""
    return json.dumps(message, separators=(",", ":")).encode()


def decode(packet: bytes) -> dict[str, Any]:
    """Read one packet.

    Raises:
        ValueError: not a JSON object.
    """
    message = json.loads(packet)
    if not isinstance(message, dict):
        raise ValueError("not an object")
    return message


def ask(sock: socket.socket, message: Mapping[str, Any], peer: str) -> tuple[Any, list[int]]:
    """Send a request and wait for its answer within the socket's timeout.

    Returns the value under "ok" and the descriptors that came along.

    Raises:
        SandboxError: the peer refused, ended, or did not answer in time.
    """
    try:
        sock.send(encode(message))
        packet, fds, _, _ = socket.recv_fds(sock, PACKET_BYTES, len(FD_NAMES))
    except TimeoutError as error:
        raise SandboxError(f"the {peer} did not answer within {sock.gettimeout()} s") from error
    except OSError as error:
        raise SandboxError(f"the {peer} has ended: {error}") from error
    if not packet:
        raise SandboxError(f"the {peer} has ended")
    answer = decode(packet)
    if "error" in answer:
        raise SandboxError(str(answer["error"]))
    return answer["ok"], fds


def read_bots(data: Sequence[Any]) -> tuple[BotFiles, ...]:
    """Read the entered bots of a series.

    Raises:
        ValueError: a wrong count, a relative folder, or an entry that could leave its folder.
    """
    bots = tuple(BotFiles(*map(str, pair)) for pair in data)
    if not 1 <= len(bots) <= MOST_SEATS:
        raise ValueError(f"a series has 1 to {MOST_SEATS} seats, not {len(bots)}")
    for bot in bots:
        parts = bot.entry.split("/")
        if not bot.folder.startswith("/") or "\0" in bot.folder:
            raise ValueError(f"bot folder {bot.folder!r} is not absolute")
        if bot.entry[:1] in ("", "-", "/") or ".." in parts or "\0" in bot.entry:
            raise ValueError(f"entry {bot.entry!r} is not a file in the bot's folder")
    return bots


def read_limits(data: Mapping[str, Any] | None) -> Limits:
    """Read the limits of a series; None means the defaults.

    Raises:
        TypeError, ValueError: an unknown name, or a limit that is not above zero.
    """
    limits = Limits(**(data or {}))
    for name, value in limits._asdict().items():
        if value is not None and not value > 0:
            raise ValueError(f"limit {name} must be above zero, not {value}")
    return limits
