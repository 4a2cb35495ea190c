"""The ``dominobot`` command: a group whose commands are imported only when they are used."""

from __future__ import annotations

import importlib
import sys

import click

from dominobot.errors import DominobotError
from dominobot.rules import RulesError
from dominobot.version import __version__

COMMANDS = {
    "new": "Write a bot folder that already plays.",
    "play": "Play bot folders against each other, here and now.",
}


class LazyGroup(click.Group):
    """Looks a command up in ``dominobot.cli.<name>`` when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's module and return its ``command``."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"dominobot.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dominobot")
def cli() -> None:
    """Write a dominoes bot and try it out.

    Start with: dominobot new my-bot
    """


def main() -> None:
    """Entry point: what an author can mend becomes one line on stderr and exit code 2."""
    try:
        cli(prog_name="dominobot")
    except (DominobotError, RulesError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
