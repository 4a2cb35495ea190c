"""Starting probe seats: one after the other, read to the end, finished."""

from __future__ import annotations

import os
import selectors
import socket
import time
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.assembly import Assembly
from arena.sandbox.base import Exit, Limits, SeatProcess, SeatSpec

SEAT_S = 10.0
OUTPUT_BYTES = 256 * 1024


class Ran(NamedTuple):
    """One finished probe seat: what it printed, and how it ended."""

    output: str
    exit: Exit


class Prober:
    """Starts probe seats one after the other."""

    def __init__(self, parts: Assembly) -> None:
        """Raises SandboxError when a seat user or the probe's files cannot be had."""
        self.parts = parts
        self.uid = parts.ground.take_uid()
        self._bot = parts.ground.show_bot(str(_lay_down(parts.job.bundles)), 0)
        self._count = 0

    def start(self, entry: str, limits: Limits) -> SeatProcess:
        """Start one probe. Raises SandboxError."""
        name = f"probe{self._count}"
        self._count += 1
        path = self.parts.job.folder / f"{name}.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        path.chmod(0o777)
        spec = SeatSpec(name, self._bot, entry, str(path), "probe-token", limits, self.uid)
        return self.parts.backend.start(spec)

    def run(self, entry: str, limits: Limits, timeout_s: float = SEAT_S) -> Ran:
        """Start one probe, read what it prints until it ends, and end it. Raises SandboxError."""
        seat = self.start(entry, limits)
        try:
            output = read_output(seat, timeout_s)
        finally:
            ended = finish(seat)
        return Ran(output, ended)

    def close(self) -> None:
        """Give everything back."""
        self.parts.ground.hide_bots()
        self.parts.ground.give_back(self.uid)


def _lay_down(bundles: Path) -> Path:
    """The probes as a bot's folder, in the place and with the modes that a bot's folder has."""
    folder = bundles / "probe"
    folder.mkdir()
    folder.chmod(0o755)
    for source in (Path(__file__).parent / "probe_bot").glob("*.py"):
        place = folder / source.name
        place.write_bytes(source.read_bytes())
        place.chmod(0o644)
    return folder


def finish(seat: SeatProcess) -> Exit:
    """End a seat and close its descriptors. Raises SandboxError."""
    try:
        return seat.finish(SEAT_S)
    finally:
        for fd in seat.fds:
            if fd is not None:
                os.close(fd)


def read_output(seat: SeatProcess, timeout_s: float, *, is_first_only: bool = False) -> str:
    """What a seat prints, errors included, until it closes both pipes or the time is up."""
    deadline = time.monotonic() + timeout_s
    text = b""
    with selectors.DefaultSelector() as selector:
        for fd in (seat.fds.stdout, seat.fds.stderr):
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map() and len(text) < OUTPUT_BYTES:
            left = deadline - time.monotonic()
            events = selector.select(left) if left > 0 else []
            if not events:
                break
            for key, _ in events:
                piece = os.read(key.fd, 65536)
                text += piece
                if not piece:
                    selector.unregister(key.fd)
            if is_first_only and text:
                break
    return text.decode(errors="replace")
