"""The name of these rules, as replays record it."""

from __future__ import annotations

ENGINE = "dominobot.rules/1"
"""The number grows when the same deals and plays would give another match than before."""
