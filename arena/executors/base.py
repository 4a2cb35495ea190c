"""What every executor offers: jobs in, records out, nothing lost silently."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

from arena.core.job import SeriesJob
from arena.core.record import MatchRecord

RECORD_LIMIT_BYTES = 4 * 1024 * 1024
"""The longest line that is read from a worker: four times a match of a thousand long rounds."""

JOB_LIMIT_BYTES = 1024 * 1024 * 1024
"""The longest line that a worker reads: it holds a whole series, and who sends it is trusted."""


class Recorded(NamedTuple):
    """A match of a submitted series has its verdict."""

    series_id: str
    record: MatchRecord


class Ended(NamedTuple):
    """A submitted series is over. Matches of it without a record are to be submitted again."""

    series_id: str


class Lost(NamedTuple):
    """The worker that held a series is gone; matches of it without a record are still to play.

    ``has_begun`` says that it was playing; otherwise the series could not even be begun, which is
    never the doing of its bots.
    """

    series_id: str
    why: str
    has_begun: bool = False


Outcome = Recorded | Ended | Lost


class MatchExecutor(Protocol):
    """Plays series somewhere. Every submitted series ends as exactly one ``Ended`` or ``Lost``."""

    @property
    def capacity(self) -> int:
        """How many series can be played at once."""

    async def start(self) -> None:
        """Bring the workers up.

        Raises:
            SandboxError: the sandbox that was asked for cannot be had.
        """

    async def submit(self, job: SeriesJob) -> None:
        """Hand over a series; waits until a worker is free to take it."""

    def outcomes(self) -> AsyncIterator[Outcome]:
        """What happens, as it happens, until the executor is closed."""

    async def close(self) -> None:
        """End everything, matches in flight too, and leave nothing behind."""
