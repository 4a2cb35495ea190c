"""The arena notices when it stood still itself."""

from __future__ import annotations

import asyncio
import time

from arena.pulse import BEAT_S, Pulse


async def test_a_loop_that_turns_loses_nothing() -> None:
    lost = []
    for _ in range(5):  # a busy machine may really stand still for a moment
        pulse = Pulse()
        pulse.start()
        await asyncio.sleep(4 * BEAT_S)
        lost.append(pulse.lost_s)
        pulse.stop()
    assert min(lost) == 0


async def test_a_pause_is_seen_at_once_and_kept() -> None:
    pulse = Pulse()
    pulse.start()
    await asyncio.sleep(0)
    time.sleep(0.4)  # noqa: ASYNC251 - standing still is the point
    at_once = pulse.lost_s
    assert at_once >= 0.3
    await asyncio.sleep(2 * BEAT_S)
    assert pulse.lost_s >= at_once
    pulse.stop()
    assert pulse.lost_s < at_once + 0.2


def test_a_pulse_that_does_not_beat_has_lost_nothing() -> None:
    assert Pulse().lost_s == 0
