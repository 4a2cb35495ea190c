"""An arena that stands still for a while: no bot pays for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from arena.core.record import MatchRecord
from arena.core.verdict import Termination
from tests.integration.test_tournament import WORKER, Played
from tests.support import QUICK, by_hand, processes_of

PAUSE_S = QUICK.move_s + QUICK.bank_s + 0.5


def test_a_worker_that_stood_still_charges_nobody_for_it(tmp_path: Path) -> None:
    """Stopped from outside, as a busy host or a laptop that sleeps would do it."""
    think = "serve(on_question=lambda message: time.sleep(0.02) or answer_first(message))"
    folders = [by_hand(tmp_path / name, think) for name in ("ada", "bix")]
    played = Played(tmp_path / "a.db", folders, deals=6)
    pauses: list[threading.Thread] = []

    def pause(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        os.kill(pid, signal.SIGCONT)

    def seen(record: MatchRecord) -> None:
        if len(played.records) == 2:
            pauses.append(threading.Thread(target=pause, args=processes_of(WORKER)[:1]))
            pauses[0].start()

    played.go(seen)
    pauses[0].join()
    assert len(played.records) == 12
    assert {record.verdict.termination for record in played.records} == {Termination.TARGET_REACHED}
    slowest = max(usage.slowest_ms for record in played.records for usage in record.usage)
    assert slowest < 1000 * PAUSE_S
