"""arena bots: bots and their versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.options import console, db_option, json_option, open_store, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from arena.store import BotLine


@click.command()
@db_option
@json_option
def command(db: str, as_json: bool) -> None:
    """List bots and their versions, and what they have played."""
    with open_store(db) as store:
        lines = store.bots()
    if as_json:
        print_json([line.to_dict() for line in lines])
        return
    screen = console()
    if not lines:
        screen.print("No bot has been entered yet; `arena run BOT_FOLDER BOT_FOLDER` enters some.")
        return
    screen.print(_table(lines))


def _table(lines: tuple[BotLine, ...]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from arena.cli.words import clean

    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("bot", no_wrap=True)
    table.add_column("version", style="dim", min_width=8)
    table.add_column("author", max_width=24, no_wrap=True)
    table.add_column("entered (UTC)", no_wrap=True, style="dim")
    for header in ("matches", "faults", "KiB"):
        table.add_column(header, justify="right")
    for line in lines:
        table.add_row(
            Text(clean(line.name), style="bold"),
            line.digest[:8],
            Text(clean(line.author, 24)),
            line.entered_at[:16].replace("T", " "),
            str(line.matches),
            Text(str(line.faults), style="red" if line.faults else "dim"),
            f"{line.size_bytes / 1024:.1f}",
        )
    return table
