"""Helpers for a bot's own tests.

``view_from`` writes a situation down in one line, ``ask`` puts it to a bot, ``play_against_random``
plays whole games. ``dominobot.testing.peer`` (it needs grpc) talks to a real bot process.
"""

from dominobot.testing.games import ask, play_against_random
from dominobot.testing.views import view_from

__all__ = ["ask", "play_against_random", "view_from"]
