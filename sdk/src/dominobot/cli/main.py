"""The ``dominobot`` command: a group whose commands are imported only when they are used."""

from __future__ import annotations

import click

from dominobot.cli.lazy import LazyGroup, run_cli
from dominobot.errors import DominobotError
from dominobot.rules import RulesError
from dominobot.version import __version__

COMMANDS = {
    "new": "Write a bot folder that already plays.",
    "play": "Play bot folders against each other, here and now.",
}


@click.group(
    cls=LazyGroup,
    package="dominobot.cli",
    helps=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="dominobot")
def cli() -> None:
    """Write a dominoes bot and try it out.

    Start with: dominobot new my-bot
    """


def main() -> None:
    """Entry point: what an author can mend becomes one line on stderr and exit code 2."""
    run_cli(cli, "dominobot", (DominobotError, RulesError))
