"""``dominobot play``: the author's quick loop."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import click

from dominobot.cli import scoreboard
from dominobot.errors import BotError
from dominobot.loading import LoadedBot, load_bot
from dominobot.local import GameRecord
from dominobot.manifest import SEATS
from dominobot.rules import Variant
from dominobot.session import Session

MOST_LISTED = 20
"""Longer runs list their games only with --verbose."""

_HELP = """Play bot folders against each other, in this process.

Each deal is played from every seat, so --games is rounded up to whole deals. With more bots than
seats every group of bots plays the same deals. The bots' own prints go to stderr.

\b
  dominobot play my-bot sample_bots/heaviest
  dominobot play A B C --variant kawu --games 30

There is no sandbox: play only folders whose code you trust. The exit code is 1 if a bot lost a
game by its own fault (an exception, an illegal play), 2 if nothing could be played.
"""


EXIT_FAULTS = 1
EXIT_STOPPED = 130
_BAR_WIDTH = 40


def _target(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> int | Literal["default"] | None:
    if value is None:
        return "default"
    if value == "none":
        return None
    if not value.isdecimal() or int(value) == 0:
        raise click.BadParameter(f'{value} is not a number of points, nor "none"')
    return int(value)


@click.command(help=_HELP, short_help="Play bot folders against each other, here and now.")
@click.argument("bots", nargs=-1, required=True, metavar="BOT_FOLDER BOT_FOLDER ...")
@click.option("--variant", default="famille", help="famille (default), coffret, kawu or block.")
@click.option("--seats", type=int, help="2 to 4; the number of bots if not given.")
@click.option("--games", type=click.IntRange(1), default=20, help="Games a table (default 20).")
@click.option(
    "--target",
    callback=_target,
    help='Points that win a game (default 100); "none" plays single rounds.',
)
@click.option("--seed", help="Any text: the same seed deals the same tiles.")
@click.option("-v", "--verbose", is_flag=True, help="List every game, however many.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def command(bots: tuple[str, ...], as_json: bool, verbose: bool, **options: Any) -> None:
    """Play and print; the options are in ``_HELP``."""
    session = _prepare(bots, **options)
    is_listed = verbose or session.games <= MOST_LISTED
    try:
        if as_json:
            session.play()
        else:
            _play_aloud(session, is_listed)
    except KeyboardInterrupt:
        click.echo("\nstopped; these are the games so far", err=True)
    if as_json:
        click.echo(json.dumps(scoreboard.as_json(session), indent=2))
    else:
        click.echo(("\n" if is_listed else "") + scoreboard.summary(session))
    sys.exit(_exit_code(session))


def _play_aloud(session: Session, is_listed: bool) -> None:
    click.echo(scoreboard.heading(session) + "\n")
    if is_listed:
        click.echo(scoreboard.games_heading(session))
        session.play(lambda record: click.echo(scoreboard.game_line(session, record)))
    else:
        with _progress(session.games) as step:
            session.play(step)


def _exit_code(session: Session) -> int:
    if len(session.records) < session.games:
        return EXIT_STOPPED
    return EXIT_FAULTS if any(each.faults for each in session.tallies()) else 0


def _prepare(
    bots: Sequence[str],
    *,
    variant: str,
    seats: int | None,
    games: int,
    target: int | Literal["default"] | None,
    seed: str | None,
) -> Session:
    """Load the bots and check that they can play this. Raises DominobotError or RulesError."""
    if len(bots) < 2:
        raise BotError("give at least two bot folders; the same one twice will do")
    if seats is None:
        seats = len(bots) if len(bots) in SEATS else 2
    if len(bots) < seats:
        raise BotError(f"{seats} seats need {seats} bot folders, not {len(bots)}; repeat one")
    rules = Variant.preset(variant, seats=seats)
    if target != "default":
        rules = rules.with_options(target=target)
    players = [load_bot(folder) for folder in bots]
    for player in players:
        _check_fits(player, rules)
    return Session(players, rules, games=games, seed=seed or secrets.token_hex(4))


def _check_fits(player: LoadedBot, variant: Variant) -> None:
    manifest = player.manifest
    if variant.name not in manifest.variants:
        raise BotError(
            f"{player.name} does not play {variant.name}: its bot.toml says "
            f"variants = {', '.join(manifest.variants)}"
        )
    if variant.seats not in manifest.seats:
        seats = ", ".join(map(str, manifest.seats))
        raise BotError(
            f"{player.name} does not play at {variant.seats} seats: its bot.toml says "
            f"seats = {seats}"
        )


@contextmanager
def _progress(games: int) -> Iterator[Callable[[GameRecord], None]]:
    """A bar on stderr if that is a terminal, else nothing; gone at the end."""
    if not sys.stderr.isatty():
        yield lambda _record: None
        return
    done = 0

    def step(_record: GameRecord) -> None:
        nonlocal done
        done += 1
        filled = done * _BAR_WIDTH // games
        bar = "#" * filled + "." * (_BAR_WIDTH - filled)
        click.echo(f"\r{bar} {done}/{games} games", err=True, nl=False)

    try:
        yield step
    finally:
        click.echo("\r" + " " * (_BAR_WIDTH + 30) + "\r", err=True, nl=False)
