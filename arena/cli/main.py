"""The ``arena`` command: a group whose commands are imported only when they are used."""

from __future__ import annotations

import click
from dominobot.cli.lazy import LazyGroup, run_cli

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


@click.group(
    cls=LazyGroup,
    package="arena.cli",
    helps=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="domino-arena", prog_name="arena")
def cli() -> None:
    """Sandboxed tournaments for dominoes bots.

    Start with: arena run BOT_FOLDER BOT_FOLDER
    """


def main() -> None:
    """Entry point: what a person can mend becomes one line on stderr and exit code 2."""
    run_cli(cli, "arena", (ArenaError,), _clean)


def _clean(text: str) -> str:
    """An error may quote what a bot printed, so it is made safe line by line."""
    from arena.cli.words import clean

    return "\n".join(clean(line) for line in text.split("\n"))
