"""Standings in JSON form: what ``arena board --json`` prints."""

from __future__ import annotations

from typing import Any

from arena.core.history import Moved
from arena.core.standings import GroupRows, Row, Standings


def standings_to_dict(standings: Standings, *, with_history: bool = False) -> dict[str, Any]:
    """JSON form; groups are numbered from 0. The running Elo of each match only when asked for."""
    data = {
        "tournament": standings.tournament,
        "variant": standings.variant.to_dict(),
        "matches": {
            "planned": standings.planned,
            "played": standings.played,
            "counted": standings.counted,
        },
        "deals": standings.deals,
        "levels": list(standings.levels),
        "groups": [_group(group) for group in standings.groups],
        "cross": {
            "bots": [row.bot.name for row in standings.rows],
            "shares": [
                [None if met is None else plain(met.share) for met in row]
                for row in standings.cross
            ],
            "matches": [
                [0 if met is None else met.matches for met in row] for row in standings.cross
            ],
        },
    }
    if with_history:
        data["running_elo"] = [_moved(moved, standings) for moved in standings.history]
    return data


def plain(value: float | None) -> float | None:
    """A number as it is written: 4 decimals and no minus zero."""
    return None if value is None else round(value, 4) + 0.0


def _group(group: GroupRows) -> dict[str, Any]:
    return {
        "rows": [_row(row) for row in group.rows],
        "bars_by": None if group.basis is None else group.basis.value,
        "clusters": group.clusters,
        "above": list(group.above),
        "least_gaps": [
            {"group": number, "elo": plain(least)} for number, least in group.least_gaps
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    bound = row.bound
    return {
        "rank": row.rank,
        "rank_range": [row.best_rank, row.worst_rank],
        "bot": row.bot.name,
        "digest": row.bot.digest,
        "rating": plain(row.rating),
        "bar": plain(row.bar),
        "why_no_bar": None if row.why_no_bar is None else row.why_no_bar.name.lower(),
        "bound": None
        if bound is None
        else {
            "is": "at least" if bound.is_least else "at most",
            "rating": plain(bound.rating),
            "on_scale_of_group": bound.group,
        },
        "matches": row.record.matches,
        "deals": row.record.deals,
        "wins": row.record.wins,
        "draws": row.record.draws,
        "losses": row.record.losses,
        "points_a_match": plain(row.record.points_a_match),
        "faults": row.record.faults,
        "los_to_next": plain(row.los_to_next),
    }


def _moved(moved: Moved, standings: Standings) -> dict[str, Any]:
    return {
        "match_id": moved.match_id,
        "bots": [standings.bots[bot].name for bot in moved.bots],
        "elo": [plain(elo) for elo in moved.elo],
    }
