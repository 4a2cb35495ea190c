"""The class that an author fills in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from dominobot.errors import BotError
from dominobot.rules import Play, RoundEnd, Variant, View


class GameInfo(NamedTuple):
    """What a bot hears when a game begins."""

    variant: Variant
    """The rules of this game."""
    seat: int
    """The bot's own seat, from 0. The turn goes from seat s to s + 1 and from the last to 0."""
    bot_seed: int
    """The seed of ``Bot.random``: 64 bits, different for each game and seat, telling nothing of the
    tiles."""


class GameResult(NamedTuple):
    """What a bot hears when a game is over."""

    seat: int
    """The bot's own seat."""
    termination: str
    """Why the game ended: TARGET_REACHED, ROUND_CAP, or the fault of a seat such as TIMEOUT."""
    ranks: tuple[int, ...]
    """Rank of each seat: 1 is best, equal ranks tie."""
    totals: tuple[int, ...]
    """Points of each seat."""
    faulty_seat: int | None = None
    """The seat whose fault ended the game, if one did."""

    @property
    def rank(self) -> int:
        """The bot's own rank."""
        return self.ranks[self.seat]

    @property
    def is_won(self) -> bool:
        """Whether the bot is alone on the first rank."""
        return self.rank == 1 and self.ranks.count(1) == 1


class Bot(ABC):
    """A player of one game: ``choose`` is called at each of its decisions.

    An object plays a single game; the next game gets a fresh one, made without arguments. The
    process, and with it module globals and files in /tmp, lives for a whole series of games.
    """

    random: Random
    """The bot's own chance, seeded by the arena so that matches repeat. Use it, not the ``random``
    module. It is there when ``on_game_start`` is called, not yet in ``__init__``."""

    @abstractmethod
    def choose(self, view: View) -> Play:
        """Return one of ``view.legal``. Asked only where there are at least two different plays."""

    def best_of(self, plays: Sequence[Play], key: Callable[[Play], Any]) -> Play:
        """The play with the highest ``key``; between equals ``self.random`` decides."""
        keys = [key(play) for play in plays]
        highest = max(keys)
        best = [play for play, value in zip(plays, keys, strict=True) if value == highest]
        return best[0] if len(best) == 1 else self.random.choice(best)

    def on_game_start(self, info: GameInfo) -> None:  # noqa: B027 - optional
        """Called once, before the first decision; there is a move's time for it."""

    def on_round_end(self, event: RoundEnd) -> None:  # noqa: B027 - optional
        """Called after each round, with all hands on the table.

        It comes when the next decision does, or the game's end, and runs within that time.
        """

    def on_game_end(self, result: GameResult) -> None:  # noqa: B027 - optional
        """Called once, after the last round; there is a move's time for it."""


def start_bot(bot_class: type[Bot], info: GameInfo) -> Bot:
    """Make the bot of one game and tell it that the game begins."""
    bot = bot_class()
    bot.random = Random(info.bot_seed)
    bot.on_game_start(info)
    return bot


def ask_bot(bot: Bot, view: View) -> Play:
    """The bot's choice. Raises BotError if that is no play at all; any Play is passed on."""
    play = bot.choose(view)
    if not isinstance(play, Play):
        raise BotError(
            f"{type(bot).__name__}.choose returned {play!r:.100}; return one of view.legal"
        )
    return play
