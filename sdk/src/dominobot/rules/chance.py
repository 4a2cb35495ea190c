"""A small source of chance that gives the same numbers in every Python version and language.

It serves choosers and playouts; the decks of matches are shuffled by ``dominobot.rules.deal``.

**The numbers.** SplitMix64 makes 64-bit numbers from the seed: the state grows by
0x9E3779B97F4A7C15, and the number is the state after two rounds of shift, exclusive or and product,
all modulo 2**64. One of them lasts for several small choices: it is the ``pool``, a choice below n
is ``pool % n`` and leaves ``pool // n``, and a pool below 2**32 is thrown away for the next number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

LOW_POOL = 1 << 32
"""A pool below this is not used any more: a choice below n is biased by at most n / 2**32."""

_MASK = (1 << 64) - 1


class Chance:
    """A stream of choices that ``seed`` (any number) decides. ``pool`` is what is left to use."""

    __slots__ = ("_state", "pool")

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK
        self.pool = 0

    def refill(self) -> int:
        """The next 64-bit number. The caller uses it and keeps what is left in ``pool``."""
        self._state = z = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A number 0..n - 1, each as likely as the others."""
        pool = self.pool
        if pool < LOW_POOL:
            pool = self.refill()
        self.pool = pool // n
        return pool % n

    def pick(self, items: Sequence[T]) -> T:
        """One of some items."""
        return items[self.below(len(items))]

    def shuffle(self, items: list[T]) -> None:
        """Bring a list into any order (Fisher-Yates from the last place down), in place."""
        pool = self.pool
        for n in range(len(items), 1, -1):
            if pool < LOW_POOL:
                pool = self.refill()
            j = pool % n
            pool //= n
            items[j], items[n - 1] = items[n - 1], items[j]
        self.pool = pool
