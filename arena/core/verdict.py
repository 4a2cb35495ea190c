"""How a match ends: the words, and the value that says it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple


class Termination(Enum):
    """Why a match ended. The value is the word shown, stored and sent."""

    TARGET_REACHED = "TARGET_REACHED"
    ROUND_CAP = "ROUND_CAP"
    ILLEGAL_MOVE = "ILLEGAL_MOVE"
    TIMEOUT = "TIMEOUT"
    NO_SHOW = "NO_SHOW"
    DISCONNECT = "DISCONNECT"
    CRASH = "CRASH"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    CPU_LIMIT = "CPU_LIMIT"
    OUTPUT_FLOOD = "OUTPUT_FLOOD"
    PROTOCOL = "PROTOCOL"
    SECURITY = "SECURITY"
    ARENA_FAULT = "ARENA_FAULT"
    CANCELLED = "CANCELLED"

    @property
    def is_rated(self) -> bool:
        """Whether a match that ended so counts: all but a no-contest do."""
        return self not in (Termination.ARENA_FAULT, Termination.CANCELLED)

    @property
    def is_fault(self) -> bool:
        """Whether a bot's fault ended the match."""
        return self not in _NOBODYS_FAULT


_NOBODYS_FAULT = frozenset(
    {
        Termination.TARGET_REACHED,
        Termination.ROUND_CAP,
        Termination.ARENA_FAULT,
        Termination.CANCELLED,
    }
)


def faulty_seats(first: int | None, ranks: Sequence[int]) -> tuple[int, ...]:
    """The seats that share the last rank with the first faulty one; none if nobody failed."""
    if first is None:
        return ()
    return tuple(seat for seat, rank in enumerate(ranks) if rank == ranks[first])


class Verdict(NamedTuple):
    """The result of one match.

    ``ranks`` has one entry a seat: 1 is best, equal ranks tie. ``scores`` are the points of the
    match so far. ``faulty_seat`` is set exactly when ``termination.is_fault``; when several seats
    failed together it is the first of them, and they share the last rank.
    """

    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faulty_seat: int | None = None

    @property
    def faulty_seats(self) -> tuple[int, ...]:
        """All seats that failed, ascending: nobody else has the rank of the faulty seat."""
        return faulty_seats(self.faulty_seat, self.ranks)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "termination": self.termination.value,
            "ranks": list(self.ranks),
            "scores": list(self.scores),
            "faulty_seat": self.faulty_seat,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        """Read the JSON form.

        Raises:
            KeyError, ValueError: not a verdict.
        """
        return cls(
            Termination(data["termination"]),
            tuple(data["ranks"]),
            tuple(data["scores"]),
            data["faulty_seat"],
        )
