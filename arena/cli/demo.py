"""``arena demo``: the sample bots against each other, from nothing to a board and a replay."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.rule import Rule

from arena.cli.options import db_option
from arena.cli.result import standings_of
from arena.cli.session import STOPPED, Order, SandboxChoice, StoppedError, play, say_stopped
from arena.config import make_settings
from arena.errors import ConfigError, SandboxError
from arena.sandbox.base import Level
from arena.store import Store, StoredTournament

SAMPLES = ("random", "heaviest", "doubles", "varied", "strong_suit", "counter")
ROUND_ROBINS = (
    {"seats": 2, "deals": 18},
    {"seats": 4, "deals": 3, "tables": 6},
)


@click.command("demo")
@click.option(
    "--bots",
    "folder",
    default="sample_bots",
    show_default=True,
    metavar="FOLDER",
    help="Folder with the sample bots.",
)
@click.option("--jobs", type=int, help="Worker processes. Default: one a core.")
@db_option
def command(folder: str, jobs: int | None, db: str) -> None:
    """Play the sample bots against each other and show the result.

    Six bots play famille at two seats and a smaller round robin at four, each process in a sandbox
    of the best level that this machine has. Then come the board, the crosstable and one replay.
    """
    console = Console(highlight=False)
    bots = tuple(str(Path(folder) / name) for name in SAMPLES)
    if not Path(folder).is_dir():
        raise ConfigError(
            f"there are no sample bots at {folder}; run this in a checkout of the project, or name "
            "their folder with --bots"
        )
    sandbox = _sandbox(console)
    try:
        for shape in ROUND_ROBINS:
            name = f"demo-{shape['seats']}p"
            settings = make_settings({**shape, "bots": bots, "name": name, "jobs": jobs}, "demo")
            console.print(Rule(f"famille at {settings.seats} seats", style="dim"))
            stored = play(Order(settings, settings.to_toml()), db, sandbox, console)
            _show(db, stored, console)
    except StoppedError:
        say_stopped(console)
        sys.exit(STOPPED)
    _show_a_replay(db, console)
    _say_what_next(db, console)


def _sandbox(console: Console) -> SandboxChoice:
    """The best sandbox here; none, loudly, where there is none: these bots are our own."""
    from arena.sandbox.probe import best_level

    try:
        return SandboxChoice("bwrap", best_level())
    except SandboxError as error:
        console.print(
            "[bold red]NO SANDBOX on this machine.[/] The demo goes on without one, since these "
            f"bots are the project's own.\n  Why: {error}\n  `arena doctor` says how to mend it.",
            highlight=False,
            soft_wrap=True,
        )
        return SandboxChoice("plain", Level.UNSAFE)


def _show(db: str, stored: StoredTournament, console: Console) -> None:
    from arena.cli.render_board import render_board
    from arena.cli.render_cross import render_cross

    board = standings_of(db, stored)
    console.print()
    console.print(render_board(board))
    if stored.tournament.variant.seats == 2:
        console.print(render_cross(board))


def _show_a_replay(db: str, console: Console) -> None:
    from arena.cli.render_replay import render_replay

    console.print(Rule("one replay: its first round", style="dim"))
    with Store.open(db) as store:
        console.print(render_replay(store.match("1", "demo-2p"), {1}))


def _say_what_next(db: str, console: Console) -> None:
    where = "" if db == "./arena.db" else f" --db {db}"
    console.print(
        Rule("what next", style="dim"),
        f"  .venv/bin/arena board demo-2p --cross{where}          the leaderboard again\n"
        f"  .venv/bin/arena show 1 --tournament demo-2p{where}    the whole replay\n"
        f"  .venv/bin/arena verify --all{where}                   check every match\n"
        "  .venv/bin/dominobot new my_bot                 write a bot of your own",
        highlight=False,
        soft_wrap=True,
    )
