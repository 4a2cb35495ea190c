"""``arena run``: play a round robin between bot folders and rate them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.options import db_option, json_option
from arena.cli.result import show_result
from arena.cli.session import STOPPED, Order, SandboxChoice, StoppedError, play, say_stopped
from arena.config import RunSettings, make_settings, read_tournament_file, to_toml
from arena.errors import ConfigError
from arena.sandbox.base import Level

_INTEGER = re.compile(r"-?[0-9]{1,9}")
"""Not ``isdigit``, which takes digits that ``int`` does not."""


def _tables(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
    if value is None or value == "all":
        return value
    if _INTEGER.fullmatch(value):
        return int(value)
    raise ConfigError(f'--tables is {value!r}; give "all" or a number')


def _target(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
    if value is None or value == "none":
        return value
    if _INTEGER.fullmatch(value):
        return int(value)
    raise ConfigError(f'--target is {value!r}; give a number of points, or "none" for one round')


def _options(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> dict[str, int | str] | None:
    options: dict[str, int | str] = {}
    for text in value:
        key, sign, setting = text.partition("=")
        if not sign:
            raise ConfigError(f"--option is {text!r}; write it as NAME=VALUE, like reserve=2")
        options[key] = int(setting) if _INTEGER.fullmatch(setting) else setting
    return options or None


@click.command("run")
@click.argument("bots", nargs=-1, metavar="BOT_FOLDERS... | TOURNAMENT.toml")
@click.option("--variant", help="famille, coffret, kawu or block. Default: famille.")
@click.option("--seats", type=int, help="Seats at a table, 2 to 4. Default: 2.")
@click.option(
    "--deals", type=int, help="Deals for each table, each in all rotations. Default: 100."
)
@click.option("--target", callback=_target, help="Points that win a match, or none for one round.")
@click.option(
    "--option", "options", multiple=True, callback=_options, help="Another option: NAME=VALUE."
)
@click.option("--tables", callback=_tables, help="At 3 or 4 seats: all, or how many tables.")
@click.option("--move-time", type=float, help="Seconds for a decision. Default: 1.")
@click.option("--bank", type=float, help="Extra seconds once a game. Default: 5.")
@click.option("--seed", help="Repeat a tournament deal by deal. Default: random, committed to.")
@click.option("--jobs", type=int, help="Worker processes. Default: one a core.")
@click.option("--name", help="Name of the tournament. Default: made from what is played.")
@click.option(
    "--sandbox",
    type=click.Choice(["bwrap", "plain"]),
    help="plain runs bots with your rights: only for bots that you wrote.",
)
@click.option("--no-trial", is_flag=True, help="Enter bots even if they fail a trial round.")
@json_option
@db_option
def command(bots: tuple[str, ...], db: str, as_json: bool, no_trial: bool, **flags: Any) -> None:
    """Play a round robin between bots and rate them.

    Every table plays every deal once in each rotation of its seats, so luck of the draw is shared.
    The tournament can be stopped at any time; the same command goes on with it.

    A tournament file holds the same settings as keys (bots, variant, seats, deals, move_time, ...);
    flags given with it win.
    """
    settings, config = _settings(bots, flags)
    console = Console(stderr=as_json)
    order = Order(settings, config, has_trial=not no_trial)
    try:
        stored = play(order, db, sandbox_for(settings, console), console)
    except StoppedError:
        say_stopped(console)
        sys.exit(STOPPED)
    show_result(db, stored, console, as_json=as_json)


def _settings(bots: tuple[str, ...], flags: dict[str, Any]) -> tuple[RunSettings, str]:
    """What is asked for, and the text that says it: the file's own, with what flags change."""
    values: dict[str, Any] = {}
    source, text = "the command line", ""
    files = [bot for bot in bots if bot.endswith(".toml")]
    if files:
        if len(bots) > 1:
            raise ConfigError(f"{files[0]} names its own bots; give it alone")
        source = files[0]
        values, text = read_tournament_file(Path(files[0]))
    elif bots:
        values["bots"] = bots
    if not values.get("bots"):
        raise ConfigError(
            "no bots given; name their folders, for example: "
            "arena run sample_bots/random sample_bots/heaviest"
        )
    given = {key: value for key, value in flags.items() if value is not None}
    settings = make_settings(values | given, source)
    return settings, _with_flags(text, given) if files else settings.to_toml()


def _with_flags(text: str, given: dict[str, Any]) -> str:
    """A tournament file as it was, and in comments at its end the flags that it was given with."""
    if not given:
        return text
    lines = to_toml(given).splitlines()
    comments = "".join(f"# {line}".rstrip() + "\n" for line in lines)
    return (
        f"{text.rstrip()}\n\n# Given on the command line, where it wins over the above:\n{comments}"
    )


def sandbox_for(settings: RunSettings, console: Console) -> SandboxChoice:
    """The sandbox for these settings: the best that this machine has, or none if asked for none.

    Raises:
        SandboxError: bubblewrap was asked for and no level of it can be had.
    """
    if settings.sandbox == "plain":
        return SandboxChoice("plain", Level.UNSAFE)
    from arena.sandbox.probe import best_level

    with console.status("looking at the sandbox"):
        return SandboxChoice("bwrap", best_level())
