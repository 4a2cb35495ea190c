"""What is kept and logged of a process that may say anything."""

from __future__ import annotations

import os

import pytest

from arena.supervisor.transcript import KEPT_BYTES, MOST_LINES, Transcript


def heard(said: bytes) -> Transcript:
    """A transcript of one process that said this and left."""
    read_fd, write_fd = os.pipe2(os.O_CLOEXEC)
    transcript = Transcript({read_fd: "arena.worker"})
    left = memoryview(said)
    while left:
        left = left[os.write(write_fd, left) :]
    os.close(write_fd)
    transcript.close(patience_s=10)
    return transcript


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_escapes_reach_neither_the_log_nor_the_last_words(caplog: pytest.LogCaptureFixture) -> None:
    transcript = heard(b"\x1b]0;owned\x07\x1b[6n\nsecond\tline\xff\r\n\nlast")
    assert lines(caplog) == [
        "\\x1b]0;owned\\x07\\x1b[6n",
        "second\\tline\N{REPLACEMENT CHARACTER}\\r",
        "last",
    ]
    assert "\x1b" not in transcript.last_words()
    assert transcript.last_words().endswith("second\tline\N{REPLACEMENT CHARACTER}\n\nlast")


def test_a_flood_is_bounded_in_the_log_and_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    transcript = heard(b"x" * 1000 * 1000 + b"\n" + b"line\n" * 100_000 + b"the end")
    assert len(caplog.records) == MOST_LINES + 1
    assert "not shown" in lines(caplog)[-1]
    assert len(transcript.last_words()) <= KEPT_BYTES
    assert transcript.last_words().endswith("the end")


def test_a_letter_in_two_pieces_stays_one() -> None:
    read_fd, write_fd = os.pipe2(os.O_CLOEXEC)
    transcript = Transcript({read_fd: "arena.worker"})
    for piece in "é".encode():
        os.write(write_fd, bytes([piece]))
    os.close(write_fd)
    transcript.close(patience_s=10)
    assert transcript.last_words() == "é"


def test_closing_does_not_wait_for_a_pipe_that_stays_open() -> None:
    read_fd, write_fd = os.pipe2(os.O_CLOEXEC)
    transcript = Transcript({read_fd: "arena.worker"})
    transcript.close(patience_s=0.01)
    transcript.close()
    with pytest.raises(BrokenPipeError):
        os.write(write_fd, b"x")
    os.close(write_fd)
