"""What a played match leaves behind: the value between playing and saving."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.core.verdict import Verdict


class Evidence(NamedTuple):
    """Why a bot lost by a fault, for its author to read.

    ``seat`` is None for a fault of the arena. ``phase`` says what was waited for. Times are
    seconds, sizes bytes. ``clock`` is the trace of the last decisions: (decision number, seconds,
    bank left). ``counters`` come from the kernel.
    """

    seat: int | None
    phase: str
    detail: str
    exit_code: int | None = None
    signal: int | None = None
    counters: dict[str, float] = {}  # noqa: RUF012 - never written to
    log: tuple[str, ...] = ()
    clock: tuple[tuple[int, float, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        data = self._asdict()
        data["log"] = list(self.log)
        data["clock"] = [list(entry) for entry in self.clock]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Evidence:
        """Read the JSON form. Raises KeyError or TypeError when it is not evidence."""
        clock = tuple((int(n), float(s), float(b)) for n, s, b in data["clock"])
        return cls(**{**data, "log": tuple(data["log"]), "clock": clock})


class SeatUsage(NamedTuple):
    """What one seat used in one match. ``think_ms`` sums the arena's clock over its decisions."""

    decisions: int
    think_ms: float
    slowest_ms: float
    unasked: int = 0


class MatchRecord(NamedTuple):
    """One match with its verdict.

    ``replay`` is the text of the replay (``dominobot.replay``), ``level`` the sandbox level it was
    played at, ``attempt`` the number of the attempt (0 unless an arena fault made it be played
    again).
    """

    match_id: str
    attempt: int
    verdict: Verdict
    replay: str
    level: str
    wall_s: float
    usage: tuple[SeatUsage, ...]
    evidence: Evidence | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON form, as a worker sends it."""
        data = self._asdict()
        data["verdict"] = self.verdict.to_dict()
        data["usage"] = [list(seat) for seat in self.usage]
        data["evidence"] = None if self.evidence is None else self.evidence.to_dict()
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MatchRecord:
        """Read the JSON form. Raises KeyError, TypeError or ValueError when it is not a record."""
        evidence = data["evidence"]
        return cls(
            **{
                **data,
                "verdict": Verdict.from_dict(data["verdict"]),
                "usage": tuple(SeatUsage(*seat) for seat in data["usage"]),
                "evidence": None if evidence is None else Evidence.from_dict(evidence),
            }
        )
