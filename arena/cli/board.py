"""arena board: the leaderboard of a tournament."""

from __future__ import annotations

import click

from arena.cli.options import console, db_option, json_option, open_store, print_json
from arena.errors import ConfigError


@click.command()
@click.argument("tournament", required=False)
@db_option
@click.option("--cross", is_flag=True, help="Add the crosstable.")
@click.option("--history", is_flag=True, help="Add the running Elo, match by match.")
@click.option("--anchor", metavar="BOT", help="Fix this bot's rating at 1500.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@json_option
def command(tournament: str | None, db: str, anchor: str | None, **flags: bool) -> None:
    """Show the leaderboard of TOURNAMENT, or of the one that was begun last."""
    from arena.core.standings import standings
    from arena.core.standings_json import standings_to_dict

    with open_store(db) as store:
        stored = store.tournament(tournament)
        results = store.results(stored.tournament.name)
        alarms = store.alarms()
    names = [bot.name for bot in stored.tournament.bots]
    if anchor is not None and anchor not in names:
        raise ConfigError(f'no bot named "{anchor}" plays here; choose from {", ".join(names)}')
    board = standings(stored.tournament, results, anchor)
    if flags["as_json"]:
        print_json(standings_to_dict(board, with_history=flags["history"]))
        return
    if flags["as_csv"]:
        from arena.cli.render_csv import board_csv

        click.echo(board_csv(board), nl=False)
        return
    from arena.cli.render_board import render_alarms, render_board
    from arena.cli.render_cross import render_cross, render_history

    screen = console()
    screen.print(render_board(board))
    if flags["cross"]:
        screen.print("", render_cross(board))
    if flags["history"]:
        screen.print("", render_history(board))
    if alarms:
        screen.print(render_alarms(alarms))
