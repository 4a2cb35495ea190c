"""``dominobot new``: a bot folder that already plays."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import click

from dominobot.errors import BotError
from dominobot.manifest import check_name

FILES = ("bot.toml", "main.py", "test_bot.py", "pytest.ini")


@click.command(short_help="Write a bot folder that already plays.")
@click.argument("name")
@click.option(
    "--dir",
    "parent",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to put the folder (default: here).",
)
def command(name: str, parent: Path) -> None:
    """Write the folder NAME with a bot that already plays, its bot.toml and a test.

    Nothing that is there already is changed.
    """
    if problem := check_name(name):
        raise BotError(problem)
    folder = parent / name
    write_bot(folder, name)
    click.echo(f"{click.style(str(folder), bold=True)} is a bot that already plays:")
    click.echo()
    for file, what in _WHAT.items():
        click.echo(f"  {file:<12} {what}")
    click.echo()
    click.echo("Try it:")
    click.echo()
    click.echo(f"  dominobot play {folder} {folder}")
    click.echo(f"  python -m pytest {folder}")


_WHAT = {
    "bot.toml": "its name, and what it can play",
    "main.py": "the bot: change choose",
    "test_bot.py": "its test",
}


def write_bot(folder: Path, name: str) -> None:
    """Write the template's files. Raises BotError if the folder exists or cannot be made."""
    if folder.exists():
        raise BotError(f"{folder} exists already; choose another name, or remove it first")
    template = files("dominobot.cli") / "template"
    try:
        folder.mkdir(parents=True)
        for file in FILES:
            text = (template / f"{file}.in").read_text(encoding="utf-8")
            text = text.replace("{name}", name).replace("{class_name}", class_name(name))
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BotError(f"{folder} cannot be written: {error.strerror}") from None


def class_name(name: str) -> str:
    """A class name for a bot: my-bot becomes MyBot, 2fast becomes Bot2fast."""
    words = [word for word in re.split(r"[._-]+", name) if word]
    joined = "".join(word[0].upper() + word[1:] for word in words)
    joined = joined if joined[0].isalpha() else f"Bot{joined}"
    return f"{joined}Player" if joined in _TAKEN else joined


# Names that main.py imports, and Python's own that look like class names.
_TAKEN = frozenset({"Bot", "Play", "View", "True", "False", "None"})
