"""arena matches: a list of played matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import console, db_option, json_option, open_store, print_json
from arena.core.verdict import Termination

if TYPE_CHECKING:
    from rich.table import Table

    from arena.store import MatchLine


@click.command()
@db_option
@click.option("--tournament", metavar="NAME", help="This tournament. Default: the last one.")
@click.option("--all", "is_all", is_flag=True, help="Of all tournaments.")
@click.option("--bot", metavar="NAME", help="Only matches of this bot.")
@click.option(
    "--termination",
    type=click.Choice([word.value for word in Termination], case_sensitive=False),
    help="Only matches that ended so.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="So many at most."
)
@json_option
def command(db: str, limit: int, as_json: bool, is_all: bool, **wanted: str | None) -> None:
    """List played matches in schedule order: of the tournament begun last, or of the one named."""
    from arena.store import MatchFilter

    word = wanted["termination"]
    with open_store(db) as store:
        # The same tournament that `arena show NUMBER` and `arena board` mean.
        name = store.tournament(wanted["tournament"]).tournament.name
        tournament = None if is_all else name
        chosen = MatchFilter(tournament, wanted["bot"], Termination(word) if word else None, limit)
        lines = store.matches(chosen)
        total = store.count_matches(chosen)
        _check_bot(wanted["bot"], total, [line.name for line in store.bots()])
    if as_json:
        print_json({"total": total, "matches": [line.to_dict() for line in lines]})
        return
    screen = console()
    if not lines:
        screen.print("No match has ended so yet.")
        return
    screen.print(_table(lines, screen.width))
    if total > len(lines):
        screen.print(f"{len(lines)} of {total:,} matches; --limit shows more.", style="dim")
    screen.print("`arena show NUMBER` or the start of an id shows a match.", style="dim")


def _check_bot(bot: str | None, total: int, names: list[str]) -> None:
    from arena.errors import StoreError

    if bot is not None and not total and bot not in names:
        raise StoreError(f'there is no bot "{bot}" here; it has: {", ".join(sorted(set(names)))}')


def _table(lines: tuple[MatchLine, ...], width: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    has_tournament = len({line.tournament for line in lines}) > 1
    is_wide = width >= 100
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("id", style="dim", min_width=8)
    if has_tournament:
        table.add_column("tournament", max_width=20, no_wrap=True)
    table.add_column("seats (the first is in bold)")
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("ended by", no_wrap=True)
    if is_wide:
        table.add_column("level", style="dim")
        table.add_column("time", justify="right", style="dim", no_wrap=True)
    for line in lines:
        table.add_row(*_cells(line, has_tournament, is_wide))
    return table


def _cells(line: MatchLine, has_tournament: bool, is_wide: bool) -> list[Any]:
    from rich.text import Text

    from arena.cli.words import clean, score_text
    from arena.core.verdict import faulty_seats

    bots = Text()
    for seat, bot in enumerate(line.bots):
        style = "bold" if line.ranks[seat] == 1 else ""
        if seat in faulty_seats(line.faulty_seat, line.ranks):
            style = "red"
        bots.append(" – " if seat else "", style="dim").append(clean(bot), style=style)
    is_fault = line.termination.is_fault
    cells: list[Any] = [str(line.number), line.match_id[:8]]
    if has_tournament:
        cells.append(Text(clean(line.tournament, 20)))
    cells += [bots, score_text(line.scores)]
    cells.append(Text(line.termination.value, style="red" if is_fault else ""))
    if is_wide:
        cells += [Text(clean(line.level, 12)), f"{line.wall_s:.2f} s"]
    return cells
