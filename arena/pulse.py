"""Notices when the arena itself stood still: a paused machine, a starved core, a blocking call.

Such time is nobody's thinking time. Deadlines are put off by it, and it is taken off what a bot is
charged, so that no bot loses because the arena stopped.
"""

from __future__ import annotations

import asyncio
import time

BEAT_S = 0.05
LATE_S = 0.1
"""A beat that comes later than this by more than usual scheduling is a pause."""


class Pulse:
    """Beats in the event loop. ``lost_s`` grows by every pause; compare two readings."""

    def __init__(self) -> None:
        self._lost_s = 0.0
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to beat; needs a running loop."""
        self._due = time.perf_counter() + BEAT_S
        self._timer = asyncio.get_running_loop().call_later(BEAT_S, self._beat)

    def stop(self) -> None:
        """Stop beating."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def lost_s(self) -> float:
        """Seconds for which the arena has stood still so far, a pause that just ends included."""
        return self._lost_s + self._late_s()

    def _late_s(self) -> float:
        if self._timer is None:
            return 0.0
        late = time.perf_counter() - self._due
        return late if late > LATE_S else 0.0

    def _beat(self) -> None:
        self._lost_s += self._late_s()
        self.start()
