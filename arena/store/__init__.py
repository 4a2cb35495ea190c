"""Bots, tournaments, plans, results and replays in one SQLite file."""

from arena.store.saving import MAX_ATTEMPTS, chain_head
from arena.store.store import Store
from arena.store.values import (
    Alarm,
    BotLine,
    MatchFilter,
    MatchLine,
    State,
    StoredMatch,
    StoredTournament,
    Terms,
    TournamentLine,
)

__all__ = [
    "MAX_ATTEMPTS",
    "Alarm",
    "BotLine",
    "MatchFilter",
    "MatchLine",
    "State",
    "Store",
    "StoredMatch",
    "StoredTournament",
    "Terms",
    "TournamentLine",
    "chain_head",
]
