"""What is shown after a tournament: its board, and where to look next."""

from __future__ import annotations

from rich.console import Console

from arena.cli.options import DEFAULT_DB, open_store, print_json
from arena.cli.render_board import render_board
from arena.core.standings import Standings, standings
from arena.core.standings_json import standings_to_dict
from arena.store import StoredTournament


def standings_of(db: str, stored: StoredTournament) -> Standings:
    """The standings of a stored tournament."""
    with open_store(db) as store:
        results = store.results(stored.tournament.name)
    return standings(stored.tournament, results)


def show_result(db: str, stored: StoredTournament, console: Console, *, as_json: bool) -> None:
    """Print the board, or its JSON form on standard output."""
    board = standings_of(db, stored)
    if as_json:
        print_json(standings_to_dict(board))
        return
    console.print()
    console.print(render_board(board))
    where = "" if db == DEFAULT_DB else f" --db {db}"
    console.print(
        f"Next: arena board --cross{where}   arena matches{where}   arena show 1{where}",
        style="dim",
        highlight=False,
        soft_wrap=True,
    )
