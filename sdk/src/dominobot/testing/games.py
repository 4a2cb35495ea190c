"""Put a situation, or whole games, to a bot class."""

from __future__ import annotations

from typing import Any

from dominobot.bot import Bot, GameInfo, ask_bot, start_bot
from dominobot.local import ClassPlayer
from dominobot.rules import Play, Variant, View
from dominobot.session import Session, Tally


class _RandomBot(Bot):
    """Plays any tile that fits."""

    def choose(self, view: View) -> Play:
        """One of the legal plays."""
        return self.random.choice(view.legal)


def ask(bot_class: type[Bot], view: View, *, bot_seed: int = 0) -> Play:
    """What a fresh bot plays in a situation.

    Raises BotError if it returns no play; what its own code raises comes through.
    """
    bot = start_bot(bot_class, GameInfo(view.variant, view.seat, bot_seed))
    return ask_bot(bot, view)


def play_against_random(
    bot_class: type[Bot],
    *,
    games: int = 20,
    variant: str = "famille",
    seed: str = "test",
    **options: Any,
) -> Tally:
    """Play a bot against bots that play at random, and return how it did.

    ``options`` are those of ``Variant.preset``: seats (2 if not given), target and so on. Games are
    rounded up to whole deals, each played from every seat; the same seed deals the same tiles.
    Exceptions and illegal plays lose a game and are in ``faults``, so a test begins with

        assert play_against_random(MyBot).faults == []

    Raises VariantError for an unknown variant or option.
    """
    rules = Variant.preset(variant, **options)
    players = [ClassPlayer(bot_class.__name__, bot_class)]
    players += [ClassPlayer("random", _RandomBot)] * (rules.seats - 1)
    session = Session(players, rules, games=games, seed=seed)
    session.play()
    return session.tallies()[0]
