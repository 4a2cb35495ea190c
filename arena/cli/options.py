"""Options that several commands share, and opening what they name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from arena.store import Store

DEFAULT_DB = "./arena.db"
WIDTH_WHEN_PIPED = 120

_F = TypeVar("_F", bound=Callable[..., Any])


def db_option(function: _F) -> _F:
    """``--db``, passed on as ``db``."""
    return click.option(
        "--db",
        envvar="ARENA_DB",
        default=DEFAULT_DB,
        show_default=True,
        metavar="PATH",
        help="The arena's database, a path or a sqlite:/// URL. Also: ARENA_DB.",
    )(function)


def json_option(function: _F) -> _F:
    """``--json``, passed on as ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def open_store(db: str, *, create: bool = False) -> Store:
    """Open the database. Raises StoreError."""
    from arena.store import Store  # imported late: --help must not wait for it

    return Store.open(db, create=create)


def print_json(value: object) -> None:
    """Print a value as indented JSON, in ASCII: texts of bots may hold what moves a terminal."""
    click.echo(json.dumps(value, indent=2))


def console(*, width: int | None = None) -> Console:
    """The console for standard output: plain text, and wide, when that is no terminal."""
    from rich.console import Console

    if width is None and not sys.stdout.isatty() and not _has_columns():
        width = WIDTH_WHEN_PIPED
    return Console(highlight=False, width=width)


def show(renderable: RenderableType) -> None:
    """Print something drawn."""
    console().print(renderable)


def _has_columns() -> bool:
    import os

    return os.environ.get("COLUMNS", "").isdigit()
