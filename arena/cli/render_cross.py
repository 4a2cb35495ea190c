"""Who did how against whom, and the running Elo over time."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from arena.cli.render_plot import sparkline
from arena.cli.words import clean
from arena.core.history import START
from arena.core.standings import Meeting, Standings

_CELL = 4
_NAME = 20
_MOST_SPARKS = 60


class _Cross:
    """The crosstable, in several parts when it is wider than the terminal."""

    def __init__(self, standings: Standings) -> None:
        self._standings = standings

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = self._standings.rows
        longest = max(len(row.bot.name) for row in rows)
        left = options.max_width - 4 - len(rows) * (_CELL + 1)
        name_width = min(longest, max(_NAME, left))
        room = max(1, (options.max_width - name_width - 4) // (_CELL + 1))
        yield Text("Crosstable", style="bold")
        for first in range(0, len(rows), room):
            yield self._part(range(first, min(first + room, len(rows))), name_width)
        yield Text()
        yield Text(
            "Points of the row's bot against the column's, in % of the matches they met in, by "
            "final rank (a tie is half a point).",
            style="dim",
        )

    def _part(self, columns: range, name_width: int) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False, header_style="bold")
        table.add_column("#", justify="right", min_width=2)
        table.add_column("bot", min_width=name_width, max_width=name_width, no_wrap=True)
        for column in columns:
            table.add_column(str(column + 1), justify="right", min_width=_CELL)
        for number, row in enumerate(self._standings.rows):
            cells = self._standings.cross[number]
            table.add_row(
                str(number + 1),
                Text(clean(row.bot.name, name_width)),
                *(_cell(cells[column], column == number) for column in columns),
            )
        return table


class _History:
    """The running Elo of each bot as a line."""

    def __init__(self, standings: Standings) -> None:
        self._standings = standings

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = self._standings.rows
        lines = _lines(self._standings)
        every = [elo for line in lines.values() for elo in line]
        low, high = min(every), max(every)
        name_width = min(_NAME, max(len(row.bot.name) for row in rows))
        width = max(10, min(_MOST_SPARKS, options.max_width - name_width - 26))
        yield Text("Running Elo", style="bold").append(
            "   a history of how things went, match by match; it is not the rating", style="dim"
        )
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
        table.add_column("bot", min_width=name_width, max_width=name_width, no_wrap=True)
        table.add_column(f"{low:.0f} to {high:.0f}", no_wrap=True, style="cyan", min_width=width)
        table.add_column("low", justify="right")
        table.add_column("high", justify="right")
        table.add_column("now", justify="right")
        for row in rows:
            line = lines[row.bot.name]
            table.add_row(
                Text(clean(row.bot.name, name_width)),
                sparkline(line, low, high, width),
                *(f"{value:.0f}" for value in (min(line), max(line), line[-1])),
            )
        yield table


def render_cross(standings: Standings) -> RenderableType:
    """The crosstable, bots in the order of the board."""
    return _Cross(standings)


def render_history(standings: Standings) -> RenderableType:
    """The running Elo of each bot over the rated matches in schedule order."""
    return _History(standings)


def _cell(met: Meeting | None, is_self: bool) -> Text:
    if is_self:
        return Text("·", style="dim")
    if met is None:
        return Text("")
    style = "green" if met.share > 0.55 else "red" if met.share < 0.45 else ""
    return Text(f"{met.share * 100:.0f}", style=style)


def _lines(standings: Standings) -> dict[str, list[float]]:
    """The running Elo of each bot, from the start on, after each of its matches."""
    lines: dict[str, list[float]] = {bot.name: [START] for bot in standings.bots}
    for moved in standings.history:
        for bot, elo in zip(moved.bots, moved.elo, strict=True):
            lines[standings.bots[bot].name].append(elo)
    return lines
