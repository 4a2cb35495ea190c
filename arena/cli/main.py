"""The ``arena`` command: a group whose commands are imported only when they are used."""

from __future__ import annotations

import importlib
import sys

import click

from arena.errors import ArenaError

COMMANDS = {
    "run": "Play a round robin between bot folders and rate them.",
    "board": "Show the leaderboard of a tournament.",
    "matches": "List matches.",
    "show": "Show one match: its replay, and what ended it.",
    "verify": "Play matches again through the rules and compare everything.",
    "bots": "List bots and their versions.",
    "doctor": "Try what this machine's sandbox can do, and say how to mend it.",
    "demo": "Play the sample bots against each other and show the result.",
}


class LazyGroup(click.Group):
    """Looks a command up in ``arena.cli.<name>`` when it is needed, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's module and return its ``command``."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"arena.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="domino-arena", prog_name="arena")
def cli() -> None:
    """Sandboxed tournaments for dominoes bots.

    Start with: arena run BOT_FOLDER BOT_FOLDER
    """


def main() -> None:
    """Entry point: an ArenaError becomes one line on stderr and exit code 2."""
    try:
        cli(prog_name="arena")
    except ArenaError as error:
        from arena.cli.words import clean

        # It may quote what a bot printed, so it is made safe line by line.
        lines = [clean(line) for line in str(error).split("\n")]
        click.echo("error: " + "\n".join(lines), err=True)
        sys.exit(2)
