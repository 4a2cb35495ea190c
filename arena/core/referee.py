"""What a bot's behaviour costs it.

The rules engine refuses what the rules do not allow; this module says what a refusal, a silence
or a departure means for the result. Everything here is pure: facts in, values out.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from arena.core.verdict import Termination, Verdict

MAX_UNASKED = 100
FAULTS_PER_SERIES = 3
"""After this many faults in a series a bot loses the rest of the series unplayed."""


class Phase(Enum):
    """What the arena was waiting for when a bot failed."""

    CONNECT = "connect"
    START = "start of game"
    MOVE = "move"
    END = "end of game"
    LOST = "series already lost"


class Fault(NamedTuple):
    """A bot's failure: how the match ends, and in words for the author."""

    termination: Termination
    phase: Phase
    detail: str


class Departure(NamedTuple):
    """How a bot's process ended, as seen from outside the sandbox.

    ``exit_code`` and ``signal`` are None when unknown; an exit code is the bot's own word.
    ``oom_kills`` counts kernel kills for memory, ``is_alive`` says that the process was still there
    when its stream ended.
    """

    exit_code: int | None = None
    signal: int | None = None
    oom_kills: int = 0
    is_over_cpu: bool = False
    is_alive: bool = False


def fault_of_departure(departure: Departure, phase: Phase) -> Fault:
    """The fault of a bot whose stream ended or whose process left.

    Kernel counters decide before anything that the bot can choose. Leaving before the first
    Hello is a NO_SHOW, whatever the exit code.
    """
    if departure.oom_kills:
        return Fault(
            Termination.OUT_OF_MEMORY,
            phase,
            f"the kernel ended it for using more memory than it may ({departure.oom_kills} kills)",
        )
    if departure.is_over_cpu:
        return Fault(Termination.CPU_LIMIT, phase, "it used up its CPU time")
    how = _how_it_left(departure)
    if phase is Phase.CONNECT:
        hint = "; does its entry call run(...)?" if departure.exit_code == 0 else ""
        return Fault(Termination.NO_SHOW, phase, f"{how} before it connected{hint}")
    if departure.is_alive or departure.exit_code == 0:
        return Fault(Termination.DISCONNECT, phase, f"it closed its stream; {how}")
    return Fault(Termination.CRASH, phase, how)


def _how_it_left(departure: Departure) -> str:
    if departure.is_alive:
        return "its process was still running"
    if departure.signal is not None:
        return f"its process was ended by signal {departure.signal}"
    if departure.exit_code is None:
        return "its process ended"
    return f"its process ended with exit code {departure.exit_code}"


def fault_verdict(
    termination: Termination, faulty: Sequence[int], scores: Sequence[int]
) -> Verdict:
    """The verdict when seats fail: they share the last rank, the others rank by score.

    Several seats are faulty at once only where all were awaited together (connecting, the start
    or the end of a game); then ``faulty_seat`` is the first of them.
    """
    keys = [(seat in faulty, 0 if seat in faulty else -score) for seat, score in enumerate(scores)]
    ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
    return Verdict(termination, ranks, tuple(scores), min(faulty))


def final_verdict(ranks: Sequence[int], scores: Sequence[int], is_capped: bool) -> Verdict:
    """The verdict of a match that was played to its end; a capped one is shared by all seats."""
    if is_capped:
        return Verdict(Termination.ROUND_CAP, (1,) * len(scores), tuple(scores))
    return Verdict(Termination.TARGET_REACHED, tuple(ranks), tuple(scores))


def no_contest(scores: Sequence[int]) -> Verdict:
    """The verdict of a match in which the arena failed: it counts for nobody."""
    return Verdict(Termination.ARENA_FAULT, (1,) * len(scores), tuple(scores))
