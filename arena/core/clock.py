"""Time controls and the clock of one seat. Pure: elapsed times come in as arguments, in seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from arena.errors import ConfigError

TRACE_LENGTH = 20
LONGEST_S = 3600.0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may take, in seconds.

    ``move_s`` for one decision, ``bank_s`` once a game for the decisions that need more,
    ``connect_s`` from the start of the process to its Hello, ``match_s`` for a whole match.

    Raises:
        ConfigError: a time that is not between 0 (exclusive; the bank may be 0) and an hour.
    """

    move_s: float = 1.0
    bank_s: float = 5.0
    connect_s: float = 10.0
    match_s: float = 600.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            least = 0.0 if entry.name == "bank_s" else 0.001
            if not least <= value <= LONGEST_S:
                raise ConfigError(
                    f"{entry.name} must be between {least:g} and {LONGEST_S:g} seconds, "
                    f"not {value:g}"
                )

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return asdict(self)


@dataclass(slots=True)
class GameClock:
    """One seat's clock in one game. ``trace`` keeps the last decisions as evidence."""

    control: TimeControl
    bank_s: float = field(init=False)
    decisions: int = field(default=0, init=False)
    total_s: float = field(default=0.0, init=False)
    slowest_s: float = field(default=0.0, init=False)
    trace: deque[tuple[int, float, float]] = field(init=False)

    def __post_init__(self) -> None:
        self.bank_s = self.control.bank_s
        self.trace = deque(maxlen=TRACE_LENGTH)

    @property
    def allowance_s(self) -> float:
        """The longest that the next decision may take."""
        return self.control.move_s + self.bank_s

    def charge(self, elapsed_s: float) -> bool:
        """Book one decision; whether it came in time.

        What a decision takes beyond the limit is taken from the bank. Exactly the allowance is in
        time; anything longer is late, and a late answer is a time-out, never an illegal move.
        """
        in_time = elapsed_s <= self.allowance_s
        self.bank_s = max(0.0, self.bank_s - max(0.0, elapsed_s - self.control.move_s))
        self.decisions += 1
        self.total_s += elapsed_s
        self.slowest_s = max(self.slowest_s, elapsed_s)
        self.trace.append((self.decisions, elapsed_s, self.bank_s))
        return in_time
