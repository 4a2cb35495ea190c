"""Plain words for codes, and text from bots made safe to print."""

from __future__ import annotations

from collections.abc import Sequence

from arena.core.rating import Why
from arena.core.text import printable
from arena.core.verdict import Termination, Verdict

FAULTS = {
    Termination.ILLEGAL_MOVE: "{bot} made a play that the rules do not allow",
    Termination.TIMEOUT: "{bot} did not answer within its time",
    Termination.NO_SHOW: "{bot} never connected",
    Termination.DISCONNECT: "{bot} closed its connection in the middle of the match",
    Termination.CRASH: "{bot}'s process ended in the middle of the match",
    Termination.OUT_OF_MEMORY: "{bot} used more memory than it may",
    Termination.CPU_LIMIT: "{bot} used more processor time than it may",
    Termination.OUTPUT_FLOOD: "{bot} printed more than it may",
    Termination.PROTOCOL: "{bot} broke the protocol",
    Termination.SECURITY: "{bot} tried something that the sandbox forbids",
}

NOBODYS = {
    Termination.TARGET_REACHED: "played to the end",
    Termination.ROUND_CAP: "drawn: the limit of rounds was reached",
    Termination.ARENA_FAULT: "no contest: the arena failed, so the match counts for nobody",
    Termination.CANCELLED: "cancelled: the match counts for nobody",
}

WHY_NO_BAR = {
    Why.ALONE: "alone in its group",
    Why.TOO_FEW_DEALS: "too few deals for a bar",
    Why.NO_SPREAD: "no bar: every deal gave the same result",
    Why.ANCHOR: "the anchor: its rating is fixed",
}

LEVELS = {
    "full": "sandboxed at level full",
    "practice": "sandboxed at level practice",
    "unsafe": "NOT sandboxed (level unsafe)",
}


def clean(text: str, most: int | None = None) -> str:
    """Text as it may be printed: control and invisible characters as escapes, cut at ``most``.

    Whatever a bot printed or said could otherwise move the cursor, colour the screen or turn the
    direction of writing.
    """
    safe = printable(text)
    return safe if most is None or len(safe) <= most else safe[: most - 1] + "…"


def ending(verdict: Verdict, bots: Sequence[str]) -> str:
    """What ended a match, as a sentence without its full stop; names by seat."""
    if verdict.faulty_seat is not None:
        who = " and ".join(bots[seat] for seat in verdict.faulty_seats)
        sentence = FAULTS[verdict.termination].format(bot=who)
        return f"{sentence} and lost ({verdict.termination.value})"
    if verdict.termination is not Termination.TARGET_REACHED:
        return f"{NOBODYS[verdict.termination]} ({verdict.termination.value})"
    first = [bot for bot, rank in zip(bots, verdict.ranks, strict=True) if rank == 1]
    score = score_text(verdict.scores)
    if len(first) == 1:
        return f"{first[0]} won, {score}"
    return f"drawn between {' and '.join(first)}, {score}"


def score_text(scores: Sequence[int]) -> str:
    """Points by seat: 103-87."""
    return "-".join(str(score) for score in scores)


def level_text(levels: Sequence[str]) -> str:
    """The sandbox levels of matches, in words; empty when there are none."""
    return ", some ".join(LEVELS.get(level, f"level {clean(level, 20)}") for level in levels)


def plural(number: int, word: str, more: str | None = None) -> str:
    """A number with its noun: 1 match, 2 matches; thousands are set apart."""
    return f"{number:,} {word if number == 1 else more or word + 's'}"
