"""Small drawings made of characters: intervals on a scale, and lines over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

_SPARKS = "▁▂▃▄▅▆▇█"
_LEAST_SPAN = 20.0


class Scale(NamedTuple):
    """A stretch of ratings over a number of characters."""

    low: float
    high: float
    width: int

    @classmethod
    def over(cls, intervals: Sequence[tuple[float, float]], width: int) -> Scale | None:
        """The scale that holds all intervals, given as middle and half-width; None without one."""
        if not intervals:
            return None
        low = min(middle - half for middle, half in intervals)
        high = max(middle + half for middle, half in intervals)
        missing = max(0.0, _LEAST_SPAN - (high - low)) / 2
        return cls(low - missing, high + missing, width)

    def header(self) -> Text:
        """The ends of the scale, as a column's heading."""
        left, right = f"{self.low:.0f}", f"{self.high:.0f}"
        return Text(left + right.rjust(self.width - len(left)), style="dim")

    def draw(self, middle: float, half: float | None) -> Text:
        """An interval: a dot with arms, or the dot alone."""
        line = [" "] * self.width
        if half is not None:
            first, last = self._place(middle - half), self._place(middle + half)
            for place in range(first, last + 1):
                line[place] = "─"
            line[first], line[last] = "├", "┤"
        line[self._place(middle)] = "●"
        return Text("".join(line), style="cyan")

    def _place(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low)
        return min(self.width - 1, max(0, round(share * (self.width - 1))))


def sparkline(values: Sequence[float], low: float, high: float, width: int) -> str:
    """A line over time, ``width`` characters at most: the last value of each stretch."""
    if not values:
        return ""
    if len(values) > width:
        values = [values[(place + 1) * len(values) // width - 1] for place in range(width)]
    span = max(high - low, 1e-9)
    steps = len(_SPARKS) - 1
    return "".join(_SPARKS[min(steps, max(0, round((v - low) / span * steps)))] for v in values)
