"""The errors of this library, as a tree.

    DominobotError            what a bot's author can mend; one line, exit code 2
    ├── ManifestError         a bot.toml, or the folder around it, that cannot be used
    ├── BotError              a bot that cannot be loaded or that broke its side of the bargain
    └── WireError             a message that means nothing
        └── Garbled           ... sent by a bot

The rules have a tree of their own, ``dominobot.rules.RulesError``, since they depend on nothing.
"""


class DominobotError(Exception):
    """Something a bot's author can mend. The text names the thing and the way out, in one line."""


class ManifestError(DominobotError):
    """A bot.toml, or the folder around it, that cannot be used."""


class BotError(DominobotError):
    """A bot that cannot be loaded, or that returned what is not a play."""


class WireError(DominobotError):
    """A message that means nothing to the receiver."""


class Garbled(WireError):  # noqa: N818 - a word for a kind of reply
    """An answer of a bot that names no tile or no end."""
