"""What can be wrong with something that is given to the rules.

RulesError(ValueError)
  VariantError    an option that does not exist, or a combination that cannot be played
  DealError       a deck that is not the 28 tiles, or no deck for a round
  IllegalPlay     a move that the rules do not allow at this point (F13)
"""

from __future__ import annotations


class RulesError(ValueError):
    """Anything that the rules refuse."""


class VariantError(RulesError):
    """An unknown option, or options that make no game. The text names option and way out."""


class DealError(RulesError):
    """A deck that cannot be dealt, or a round without a deck."""


class MissingDeck(DealError):  # noqa: N818 - says what it is
    """The decks are used up: there is none for the next round."""


class IllegalPlay(RulesError):  # noqa: N818 - the word of the rules
    """A move that is not allowed now. The state it was tried on is unchanged (F13).

    The text speaks only of what the seat itself can see.
    """
