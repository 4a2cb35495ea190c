"""Just enough HTTP/2 to break its manners: what no gRPC library lets its user do.

Standard library only, blocking, so that a bot can use it as well: it is copied beside its
``main.py``.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATH = "/dominobot.wire.v1.Arena/Play"
DEFAULT_WINDOW = 65_535
_FRAME_BYTES = 16_384


class Frame(NamedTuple):
    """One frame as it came."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class Connection:
    """A connection of the client's side. ``window`` is what it lets the arena send on a stream."""

    def __init__(self, path: str, window: int = DEFAULT_WINDOW, timeout_s: float = 5.0) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(timeout_s)
        self.sock.connect(path)
        self._buffer = b""
        self.sock.sendall(PREFACE)
        self.send_frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window))

    def open_stream(
        self, stream: int = 1, path: str = PATH, metadata: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Send the headers of a call."""
        fields = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            *metadata,
        ]
        self.send_frame(HEADERS, END_HEADERS, stream, b"".join(_literal(*each) for each in fields))

    def send_message(self, message: bytes, stream: int = 1) -> None:
        """Send one gRPC message, whatever the arena's window allows."""
        data = struct.pack(">BI", 0, len(message)) + message
        for start in range(0, len(data), _FRAME_BYTES):
            self.send_frame(DATA, 0, stream, data[start : start + _FRAME_BYTES])

    def send_frame(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Send any frame."""
        head = struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream)
        self.sock.sendall(head + payload)

    def read_frame(self) -> Frame | None:
        """The next frame, None at the end; settings and pings are acknowledged.

        Raises TimeoutError.
        """
        head = self._take(9)
        if head is None:
            return None
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self._take(int.from_bytes(head[:3], "big"))
        if payload is None:
            return None
        if kind in (SETTINGS, PING) and not flags & ACK:
            with contextlib.suppress(OSError):
                self.send_frame(kind, ACK, 0, payload if kind == PING else b"")
        return Frame(kind, flags, stream, payload)

    def read_until(self, kind: int, stream: int) -> Frame | None:
        """The next frame of a kind on a stream; None when the connection ends before."""
        while (frame := self.read_frame()) is not None:
            if (frame.kind, frame.stream) == (kind, stream):
                return frame
        return None

    def close(self) -> None:
        """Hang up."""
        self.sock.close()

    def _take(self, count: int) -> bytes | None:
        while len(self._buffer) < count:
            try:
                piece = self.sock.recv(65536)
            except ConnectionError:
                return None
            if not piece:
                return None
            self._buffer += piece
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


def _literal(name: str, value: str) -> bytes:
    """A header field without index, without Huffman (RFC 7541, 6.2.2)."""
    return b"\0" + b"".join(_number(len(text)) + text for text in (name.encode(), value.encode()))


def _number(value: int) -> bytes:
    """An integer with a prefix of 7 bits (RFC 7541, 5.1)."""
    if value < 127:
        return bytes([value])
    value -= 127
    written = [127]
    while value >= 128:
        written.append(value % 128 + 128)
        value //= 128
    return bytes([*written, value])
