"""What the store takes and gives: plain frozen values, in whose terms everybody else thinks."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from arena.core.record import Evidence, SeatUsage
from arena.core.schedule import Tournament
from arena.core.verdict import Termination, Verdict

TIME_CONTROL = "time_control"
"""The key of the clocks among a tournament's settings."""


class State(Enum):
    """Whether a tournament still has matches to play."""

    RUNNING = "running"
    FINISHED = "finished"


class Terms(NamedTuple):
    """What is stored beside a tournament and does not decide it.

    ``secret`` (32 bytes) and the master seed make the ``commitment``. ``config`` is the text of
    the tournament file, empty when there was none; ``settings`` is shown as it is: sandbox level
    wanted and so on; under ``TIME_CONTROL`` are the clocks, which stay the same to the end.
    """

    secret: bytes
    commitment: str
    config: str = ""
    settings: dict[str, Any] = {}  # noqa: RUF012 - never written to


class StoredTournament(NamedTuple):
    """A tournament in the store. Times are UTC in ISO form. ``is_new`` only from ``begin``."""

    tournament: Tournament
    terms: Terms
    state: State
    is_revealed: bool
    chain_head: str | None
    created_at: str
    finished_at: str | None
    is_new: bool = False

    @property
    def is_finished(self) -> bool:
        """Whether every planned match has its verdict and the seed is revealed."""
        return self.state is State.FINISHED


class TournamentLine(NamedTuple):
    """One tournament in a list. ``played`` of ``planned`` matches have a verdict."""

    name: str
    variant: str
    seats: int
    bots: int
    planned: int
    played: int
    state: State
    created_at: str


class MatchLine(NamedTuple):
    """One match in a list; one entry a seat in ``bots``, ``ranks`` and ``scores``."""

    tournament: str
    number: int
    match_id: str
    bots: tuple[str, ...]
    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faulty_seat: int | None
    level: str
    attempt: int
    wall_s: float

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {**self._asdict(), "termination": self.termination.value}


class MatchFilter(NamedTuple):
    """Which matches a list shows; None means any. ``limit`` counts from the start."""

    tournament: str | None = None
    bot: str | None = None
    termination: Termination | None = None
    limit: int | None = None


class StoredMatch(NamedTuple):
    """One match with everything that is known of it; ``verdict`` None while it is planned.

    ``number`` is the schedule number that people see: the index in the plan, plus 1. ``replay`` is
    the text, None when there is none; ``replay_sha256`` and ``core_sha256`` were stored with it.
    """

    tournament: str
    number: int
    match_id: str
    unit: str
    deal: int
    cycle: int
    rotation: int
    bots: tuple[str, ...]
    attempt: int
    verdict: Verdict | None
    level: str
    wall_s: float
    usage: tuple[SeatUsage, ...]
    evidence: Evidence | None
    replay: str | None
    replay_sha256: str | None
    core_sha256: str | None
    past_attempts: int


class BotLine(NamedTuple):
    """One version of a bot in a list. ``faults`` are matches lost by its own fault."""

    name: str
    digest: str
    author: str
    runtime: str
    size_bytes: int
    n_files: int
    entered_at: str
    tournaments: int
    matches: int
    faults: int

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return self._asdict()


class Alarm(NamedTuple):
    """Something that must not happen and did."""

    match_id: str | None
    text: str
    raised_at: str
