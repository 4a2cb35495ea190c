"""A small source of chance that gives the same numbers in every Python version and language.

SplitMix64: the state grows by a constant, and a few shifts and products of it make the number. It
serves choosers and playouts; decks are shuffled by ``dominobot.rules.deal``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


class Chance:
    """A stream of 64-bit numbers that ``seed`` (any number) decides."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """The next number, 0..2**64 - 1."""
        self._state = z = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A number 0..n - 1. For the small ``n`` of a game the bias is below 2**-58."""
        return self.next() % n

    def pick(self, items: Sequence[T]) -> T:
        """One of some items, each as likely as the others."""
        return items[self.next() % len(items)]
