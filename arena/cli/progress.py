"""How far a tournament is: a bar on a terminal, a line every tenth elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from arena.core.record import MatchRecord

SPEED_WINDOW_S = 30.0


class MatchProgress:
    """Counts saved matches. A context manager; ``done`` were played before."""

    def __init__(self, console: Console, total: int, done: int = 0) -> None:
        self._console = console
        self._total = total
        self._done = self._start = done
        self._faults = 0
        self._began = time.monotonic()
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", justify="right"),
            TimeRemainingColumn(compact=True),
            TextColumn("left{task.fields[faults]}"),
            console=console,
            disable=not console.is_terminal,
            speed_estimate_period=SPEED_WINDOW_S,
            transient=True,
        )
        self._task = self._bar.add_task("play", total=total, completed=done, rate="", faults="")

    def __enter__(self) -> MatchProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if kind is None:
            seconds = time.monotonic() - self._began
            self._console.print(
                f"  {self._done - self._start} matches in {seconds:.1f} s, "
                f"{self._rate():.1f} a second, {self._faults} faults",
                highlight=False,
            )

    def note(self, record: MatchRecord) -> None:
        """Count one more match."""
        if not record.verdict.termination.is_rated:
            return  # it is played again
        self._done += 1
        self._faults += record.verdict.termination.is_fault
        if self._console.is_terminal:
            self._bar.update(
                self._task,
                completed=self._done,
                rate=f"{self._rate():.1f}/s",
                faults=f", {self._faults} faults" if self._faults else "",
            )
        elif self._done * 10 // self._total != (self._done - 1) * 10 // self._total:
            self._console.print(
                f"  {self._done}/{self._total} matches, {self._rate():.1f} a second",
                highlight=False,
            )

    def _rate(self) -> float:
        return (self._done - self._start) / max(time.monotonic() - self._began, 1e-3)
