"""The record of one match, and how to check it with nothing but the rules."""

from dominobot.replay.format import (
    CHAIN_START,
    FORMAT,
    Player,
    Replay,
    ReplayError,
    ReplayHeader,
    build_replay,
    chain,
    round_records,
)
from dominobot.replay.read import core_sha256, parse_replay
from dominobot.replay.verify import replay_match, verify

__all__ = [
    "CHAIN_START",
    "FORMAT",
    "Player",
    "Replay",
    "ReplayError",
    "ReplayHeader",
    "build_replay",
    "chain",
    "core_sha256",
    "parse_replay",
    "replay_match",
    "round_records",
    "verify",
]
