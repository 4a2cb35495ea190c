"""One bot object in one game: what the wire and local play have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dominobot.bot import Bot, GameInfo, GameResult, ask_bot, start_bot
from dominobot.rules import Event, Play, RoundEnd, Tile, ViewTracker


class Moment(NamedTuple):
    """What the table tells a seat that has to decide, besides the public events.

    The fields are those of View; times in seconds.
    """

    hand: tuple[Tile, ...]
    legal: tuple[Play, ...]
    ends: tuple[int, int] | None
    counts: tuple[int, ...]
    boneyard: int
    totals: tuple[int, ...]
    limit_s: float
    bank_s: float


class SeatedBot:
    """A bot object at its seat, for one game, with the views it is shown.

    Whatever the bot's own code raises comes through.
    """

    def __init__(self, bot_class: type[Bot], info: GameInfo) -> None:
        self.seat = info.seat
        self._tracker = ViewTracker(info.variant, info.seat)
        self._bot = start_bot(bot_class, info)

    def choose(self, events: Sequence[Event], moment: Moment) -> Play:
        """The bot's play after ``events``, those since it was last spoken to.

        Raises BotError if the bot gives no play; whether the play is legal is not looked at.
        """
        self._see(events)
        return ask_bot(self._bot, self._tracker.view(*moment))

    def end(self, events: Sequence[Event], result: GameResult) -> None:
        """Tell the bot that the game is over, after the last ``events``."""
        self._see(events)
        self._bot.on_game_end(result)

    def _see(self, events: Sequence[Event]) -> None:
        self._tracker.see(events)
        for event in events:
            if isinstance(event, RoundEnd):
                self._bot.on_round_end(event)
