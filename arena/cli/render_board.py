"""The leaderboard on a terminal: what is projected to a class room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from arena.cli.render_plot import Scale
from arena.cli.words import WHY_NO_BAR, clean, level_text, plural
from arena.core.rating import Why
from arena.core.rating_bars import Basis
from arena.core.standings import GroupRows, Row, Standings
from arena.store import Alarm

_FIXED_WIDTH = 64
"""Columns that are always there, without the bot's name."""

_VERSION_WIDTH = 8
_PLOT_WIDTH = 26
_COLUMNS = 13
_GOOD, _WARN, _BAD = "green", "yellow", "red"
_LEVEL_STYLES = {"full": _GOOD, "practice": _WARN, "unsafe": f"bold {_BAD}"}


class _Shape(NamedTuple):
    """What fits: decided once for all groups, so that their columns line up."""

    scale: Scale | None
    has_version: bool
    is_roomy: bool
    name_width: int


class Board:
    """Draws standings as wide as there is room for."""

    def __init__(self, standings: Standings) -> None:
        self._standings = standings

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield heading(self._standings)
        if not self._standings.counted:
            yield Text("No deal has been played by all of its seats yet, so nobody is rated.")
            return
        shape = _shape(self._standings, options.max_width)
        for number, group in enumerate(self._standings.groups):
            if len(self._standings.groups) > 1:
                yield _group_title(number, group)
            yield _table(group, shape, self._standings.variant.seats)
            yield Text()
        yield from _notes(self._standings)


def render_board(standings: Standings) -> RenderableType:
    """The board with its heading and its notes; print it with ``arena.cli.options.show``."""
    return Board(standings)


def render_alarms(alarms: Sequence[Alarm]) -> RenderableType:
    """What must not have happened: in red, the last three."""
    text = Text(f"\n{plural(len(alarms), 'ALARM')} in this database:", style=f"bold {_BAD}")
    for alarm in alarms[-3:]:
        text.append(f"\n  {clean(alarm.raised_at)}  {clean(alarm.text)}", style=_BAD)
    return text


def heading(standings: Standings) -> Text:
    """Name, game, how far it is, and the sandbox level."""
    variant = standings.variant
    goal = "single round" if variant.target is None else f"to {variant.target}"
    text = Text()
    text.append(clean(standings.tournament, 60), style="bold")
    text.append(f"   {clean(variant.name, 20)} · {variant.seats} seats · {goal}\n")
    is_done = standings.played >= standings.planned
    text.append(f"{standings.played:,} of {plural(standings.planned, 'match', 'matches')}")
    text.append(" · " if is_done else " so far · ", style="" if is_done else _WARN)
    text.append(f"{plural(standings.deals, 'deal')}, the same for all tables · ")
    if not standings.levels:
        text.append("nothing counted yet")
    for level in standings.levels:
        style = _LEVEL_STYLES.get(level, _WARN)
        text.append(level_text([level]), style=style)
        if level != standings.levels[-1]:
            text.append(" and ")
    return text.append("\n")


def _shape(standings: Standings, width: int) -> _Shape:
    longest = max(len(row.bot.name) for row in standings.rows)
    name_width = min(longest, max(8, width - _FIXED_WIDTH))
    left = width - _FIXED_WIDTH - name_width
    has_version = left > _VERSION_WIDTH
    left -= _VERSION_WIDTH + 1
    scale = None
    if left > _PLOT_WIDTH:
        left -= _PLOT_WIDTH + 1
        on_it = [row for row in standings.rows if row.bound is None]
        scale = Scale.over([(row.rating, row.bar or 0.0) for row in on_it], _PLOT_WIDTH)
    return _Shape(scale, has_version, left > _COLUMNS, name_width)


def _group_title(number: int, group: GroupRows) -> Text:
    text = Text(f"Group {number + 1}", style="bold cyan")
    if group.above:
        below = ", ".join(str(other + 1) for other in group.above)
        word = "group" if len(group.above) == 1 else "groups"
        text.append(f"   above {word} {below} in every game that counts", style="dim")
    return text


def _table(group: GroupRows, shape: _Shape, seats: int) -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0) if shape.is_roomy else 0,
        show_edge=False,
        header_style="bold",
    )

    def column(header: str | Text, width: int, *, left: bool = False, style: str = "") -> None:
        table.add_column(
            header,
            justify="left" if left else "right",
            min_width=width,
            no_wrap=True,
            style=style,
        )

    column("#", 2)
    column("range", 5, left=True, style="dim")
    column("bot", shape.name_width, left=True)
    if shape.has_version:
        column("version", _VERSION_WIDTH, left=True, style="dim")
    column("Elo", 5)
    column("±95%", 4, left=True, style="cyan")
    if shape.scale is not None:
        column(shape.scale.header(), _PLOT_WIDTH, left=True)
    column("W/D/L" if seats == 2 else "1st/=/–", 10)
    column("pts", 5)
    column("matches", 7)
    column("deals", 5)
    column("faults", 6)
    column("LOS", 5)
    for row in group.rows:
        table.add_row(*_cells(row, group, shape))
    return table


def _cells(row: Row, group: GroupRows, shape: _Shape) -> Iterator[Text]:
    record = row.record
    best = "bold yellow" if row.rank == 1 else ""
    yield Text(str(row.rank), style=best)
    yield Text(_range(row))
    yield Text(clean(row.bot.name, shape.name_width), style=best)
    if shape.has_version:
        yield Text(row.bot.digest[:8])
    yield _rating(row)
    yield Text("–" if row.bar is None else f"±{_bar(row.bar)}")
    if shape.scale is not None:
        yield shape.scale.draw(row.rating, row.bar) if row.bound is None else Text("")
    yield Text(f"{record.wins}/{record.draws}/{record.losses}")
    average = record.points_a_match
    yield Text("–" if average is None else f"{average:.1f}")
    yield Text(str(record.matches))
    yield Text(str(record.deals))
    yield Text(str(record.faults), style=_BAD if record.faults else "dim")
    yield Text(_los(row, group))


def _range(row: Row) -> str:
    if row.best_rank == row.worst_rank:
        return str(row.best_rank)
    return f"{row.best_rank}–{row.worst_rank}"


def _rating(row: Row) -> Text:
    if row.bound is not None:
        return Text(f"{'≥' if row.bound.is_least else '≤'}{row.bound.rating:.0f}")
    if row.why_no_bar is Why.ALONE:
        return Text("–")
    return Text(f"{row.rating:.0f}")


def _bar(bar: float) -> str:
    """A half-width: whole points, but never the 0 that would look like certainty."""
    return f"{bar:.0f}" if bar >= 0.5 else "<1"


def _los(row: Row, group: GroupRows) -> str:
    if row is group.rows[-1] or row.los_to_next is None:
        return "–"
    percent = row.los_to_next * 100
    if percent >= 99.95:
        return ">99.9%"
    return f"{percent:.1f}%" if percent >= 99 else f"{percent:.0f}%"


def _notes(standings: Standings) -> Iterator[Text]:
    for group in standings.groups:
        yield from _bar_notes(group, standings)
    for number, group in enumerate(standings.groups):
        for other, least in group.least_gaps:
            yield _note(_gap(number + 1, other + 1, least))
    for row in standings.rows:
        if row.bound is not None:
            kind = "won" if row.bound.is_least else "lost"
            yield _note(
                f"{row.bot.name} {kind} every match that counts: its Elo is a 95 % bound on the "
                f"scale of group {row.bound.group + 1}."
            )
    left_out = standings.played - standings.counted
    if left_out:
        yield _note(
            f"{plural(left_out, 'match is', 'matches are')} left out: no contest, or of a deal "
            "that not all rotations have played yet."
        )
    wins = (
        "W/D/L by final rank"
        if standings.variant.seats == 2
        else "1st/=/–: alone in first place, sharing it, not first"
    )
    yield _note(
        f"{wins}. pts: points a match. range: the ranks that the bars leave open. "
        "LOS: likelihood of being better than the bot in the next row."
    )


def _gap(above: int, below: int, least: float) -> str:
    how = (
        f"by at least {least:.0f} Elo (95 %, from one side)"
        if least >= 0.5
        else "in too few deals yet to say by how much"
    )
    return f"Group {above} is above group {below}: not one point came back, {how}."


def _bar_notes(group: GroupRows, standings: Standings) -> Iterator[Text]:
    if len(group.rows) < 2:
        return
    names = f"Group of {group.rows[0].bot.name}: " if len(standings.groups) > 1 else ""
    few, bars = ("too few", "bars") if names else ("Too few", "Bars")
    if group.basis is None:
        yield _note(
            f"{names}{few} deals for a bar ({plural(group.clusters, 'deal')} at their tables; "
            f"{2 * len(group.rows)} are needed for {plural(len(group.rows), 'bot')}).",
            _WARN,
        )
        return
    what = "deals" if group.basis is Basis.DEAL else "deals at their tables (too few deals alone)"
    yield _note(f"{names}{bars} are 95 % intervals from {group.clusters:,} {what}.")
    for row in group.rows:
        if row.why_no_bar is not None:
            yield _note(f"{row.bot.name}: {WHY_NO_BAR[row.why_no_bar]}.", _WARN)


def _note(text: str, style: str = "dim") -> Text:
    return Text(clean(text), style=style)
