"""The one function that plays given decks with a chooser and tells everything that happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from dominobot.rules.chance import Chance
from dominobot.rules.errors import MissingDeck
from dominobot.rules.events import RoundLog, Turn
from dominobot.rules.match import Decision, Decks, Match, MatchResult
from dominobot.rules.moves import Play
from dominobot.rules.variant import Variant
from dominobot.rules.view import View

Chooser: TypeAlias = Callable[[View], Play]
"""Decides for the seat of the view: gives one of ``view.legal``."""


def play_decks(
    variant: Variant, decks: Decks, choose: Chooser, *, asks_single: bool = False
) -> Iterator[Turn | RoundLog | MatchResult]:
    """Play a match on given decks and tell it as it happens.

    ``decks`` are the decks of the rounds in a row, or a function of the round's number (from 1);
    a deck is the 28 tiles in deal order (A2). ``choose`` is asked only where a seat has a decision,
    with what that seat may know; turns without one are played for it. With ``asks_single`` it is
    asked for every placement, also where only one is possible.

    Yields each ``Turn`` when it has been taken, after the last turn of a round its ``RoundLog``,
    and at the very end one ``MatchResult``. The match ends when it is decided or after the last
    deck; a result that came too early ranks by the totals so far.

        for item in play_decks(Variant.preset("kawu", seats=3), decks, random_chooser(1)):
            if isinstance(item, RoundLog):
                print(item.how, item.winner, item.points)

    Raises:
        DealError: a deck is not each of the 28 tiles once.
        IllegalPlay: ``choose`` gave a play that is not allowed.
    """
    match = Match(variant, decks, asks_single=asks_single)
    rounds_told = turns_told = 0
    while True:
        decision = _decision_or_end(match)
        for log in match.log[rounds_told:]:
            yield from log.turns[turns_told:]
            yield log
            rounds_told, turns_told = log.round_no, 0
        if match.round_no > rounds_told:
            yield from match.current_turns[turns_told:]
            turns_told = len(match.current_turns)
        if decision is None:
            break
        match.play(choose(match.view(decision.seat)))
    yield match.result()


def random_chooser(seed: int) -> Chooser:
    """A chooser that takes any of the distinct plays, each as likely as the others."""
    chance = Chance(seed)
    return lambda view: chance.pick(view.legal)


def _decision_or_end(match: Match) -> Decision | None:
    try:
        return match.next_decision()
    except MissingDeck:
        return None
