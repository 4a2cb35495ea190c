"""The rules engine alone: random 2-seat famille rounds in a second of CPU, shuffle included."""

from __future__ import annotations

import time
from collections.abc import Callable

from dominobot.rules import Variant
from dominobot.rules.chance import Chance
from dominobot.rules.playout import playout, random_deal

VARIANT = Variant.preset("famille", target=None)
BATCH = 500


def immutable_round(chance: Chance) -> None:
    """One round, a new state for every move."""
    state = random_deal(VARIANT, chance)
    while state.how is None:
        state = state.after(chance.pick(state.moves()))


def playout_round(chance: Chance) -> None:
    """One round by the in-place playout."""
    playout(random_deal(VARIANT, chance), chance)


def rounds_per_s(play: Callable[[Chance], None], seconds: float) -> float:
    """Rounds in a second of this process's CPU, over about ``seconds``."""
    chance = Chance(1)
    played = 0
    began = time.process_time()
    while (used := time.process_time() - began) < seconds:
        for _ in range(BATCH):
            play(chance)
        played += BATCH
    return played / used
