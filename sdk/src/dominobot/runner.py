"""``run(bot_class)``: how a bot's file becomes a bot process.

The process is started by an arena with two variables in its environment, DOMINOBOT_ADDRESS (a gRPC
target, for example ``unix:/run/arena.sock``) and DOMINOBOT_TOKEN. What it then does is in
``dominobot.dialer``, imported only when it is needed: it brings grpc, and ``import dominobot`` must
stay light.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from dominobot.bot import Bot

EXIT_NO_ARENA = 2

_BY_HAND = """\
This is a bot, and no arena started it (DOMINOBOT_ADDRESS is not set), so there is nobody to play.
To play it here and now against another bot folder:

    dominobot play {folder} OTHER_BOT_FOLDER
"""


class RunCalled(BaseException):
    """Raised by ``run`` inside ``catching_run``: ``bot_class`` is what it was called with.

    Not an Exception, so that a bot's ``except Exception`` around ``run`` cannot swallow it.
    """

    def __init__(self, bot_class: type[Bot]) -> None:
        super().__init__(bot_class)
        self.bot_class = bot_class


_is_catching = False


@contextmanager
def catching_run() -> Iterator[None]:
    """Within the block ``run`` raises RunCalled: how local play learns which class a file runs."""
    global _is_catching  # noqa: PLW0603 - one switch for the process, on while a bot's file loads
    _is_catching = True
    try:
        yield
    finally:
        _is_catching = False


def run(bot_class: type[Bot]) -> NoReturn:
    """Play the games that the arena started this process for. Does not return.

    Without an arena in the environment it says how to play by hand and exits with code 2.
    Raises TypeError if ``bot_class`` is not a subclass of Bot that has ``choose``.
    """
    _check_class(bot_class)
    if _is_catching:
        raise RunCalled(bot_class)
    address = os.environ.get("DOMINOBOT_ADDRESS")
    token = os.environ.get("DOMINOBOT_TOKEN")
    if not address or not token:
        sys.stderr.write(_BY_HAND.format(folder=_entry_folder()))
        sys.exit(EXIT_NO_ARENA)
    from dominobot.dialer import dial

    dial(bot_class, address, token)


def _check_class(bot_class: object) -> None:
    if isinstance(bot_class, Bot):
        name = type(bot_class).__name__
        raise TypeError(f"run got an object; give it the class itself: run({name})")
    if not isinstance(bot_class, type) or not issubclass(bot_class, Bot):
        raise TypeError(f"run got {bot_class!r:.60}; give it a subclass of Bot")
    if missing := sorted(getattr(bot_class, "__abstractmethods__", ())):
        raise TypeError(f"{bot_class.__name__} has no method {', '.join(missing)}")


def _entry_folder() -> str:
    """The folder of the file that was run, as short as a person would type it."""
    folder = Path(sys.argv[0]).resolve().parent
    try:
        return str(folder.relative_to(Path.cwd()))
    except ValueError:
        return str(folder)
