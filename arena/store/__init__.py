"""Bots, tournaments, plans, results and replays in one SQLite file."""

from arena.store.claim import claimed
from arena.store.place import check_place, database_path, is_open_to_others
from arena.store.saving import MAX_ATTEMPTS, chain_head
from arena.store.store import Store
from arena.store.values import (
    TIME_CONTROL,
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
    "TIME_CONTROL",
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
    "check_place",
    "claimed",
    "database_path",
    "is_open_to_others",
]
