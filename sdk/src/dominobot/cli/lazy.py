"""What a command line of several commands needs: quick to start, one line for each error."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

WRONG_INPUT = 2
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that imports a command only when it is used, so that --help is quick.

    ``package`` is where the command's modules are, each with a ``command`` in it; ``helps`` their
    names, in the order a newcomer needs them, with a line of help each.
    """

    def __init__(self, *args: Any, package: str, helps: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._helps = dict(helps)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order a newcomer needs them."""
        return list(self._helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's module and return its ``command``."""
        if cmd_name not in self._helps:
            return None
        command = importlib.import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))


def run_cli(
    cli: click.Command,
    name: str,
    mendable: tuple[type[Exception], ...],
    clean: Callable[[str], str] = str,
) -> None:
    """Run a command line and leave the process with its exit code.

    ``mendable`` errors, and click's own about options, become one line on stderr and exit code 2.
    ``clean`` makes the text of an error safe to print.
    """
    try:
        code = cli.main(prog_name=name, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = WRONG_INPUT
    except click.ClickException as error:
        where = getattr(error, "ctx", None)
        path = where.command_path if where is not None else name
        message = error.format_message().rstrip(".")
        click.echo(f"error: {message}; see `{path} --help`", err=True)
        code = WRONG_INPUT
    except click.Abort:
        code = INTERRUPTED
    except mendable as error:
        click.echo(f"error: {clean(str(error))}", err=True)
        code = WRONG_INPUT
    sys.exit(code if isinstance(code, int) else 0)
