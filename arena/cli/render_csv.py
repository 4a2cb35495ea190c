"""The board as comma-separated values, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from arena.core.standings import Standings
from arena.core.standings_json import plain

COLUMNS = (
    "group",
    "rank",
    "best_rank",
    "worst_rank",
    "bot",
    "digest",
    "rating",
    "bar",
    "why_no_bar",
    "bound",
    "bound_rating",
    "matches",
    "deals",
    "wins",
    "draws",
    "losses",
    "points_a_match",
    "faults",
    "los_to_next",
)


def board_csv(standings: Standings) -> str:
    """One line a bot under a line of names; groups count from 1, empty where there is nothing."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, group in enumerate(standings.groups):
        for row in group.rows:
            bound, record = row.bound, row.record
            writer.writerow(
                [
                    number + 1,
                    row.rank,
                    row.best_rank,
                    row.worst_rank,
                    row.bot.name,
                    row.bot.digest,
                    plain(row.rating),
                    plain(row.bar),
                    "" if row.why_no_bar is None else row.why_no_bar.name.lower(),
                    "" if bound is None else "at least" if bound.is_least else "at most",
                    "" if bound is None else plain(bound.rating),
                    record.matches,
                    record.deals,
                    record.wins,
                    record.draws,
                    record.losses,
                    plain(record.points_a_match),
                    record.faults,
                    plain(row.los_to_next),
                ]
            )
    return buffer.getvalue()
