"""The tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    _bots()
    _tournaments()
    _matches()
    _after_matches()


def _bots() -> None:
    op.create_table(
        "bot_version",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("n_files", sa.Integer(), nullable=False),
        sa.Column("entered_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_bot_version"),
    )
    op.create_index("ix_bot_version_name", "bot_version", ["name"])
    op.create_table(
        "bundle",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        _refers("bundle", "digest", "bot_version.digest"),
        sa.PrimaryKeyConstraint("digest", name="pk_bundle"),
    )


def _tournaments() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identity", sa.JSON(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("master", sa.LargeBinary(), nullable=False),
        sa.Column("is_revealed", sa.Boolean(), nullable=False),
        sa.Column("config", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("chain_head", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.UniqueConstraint("name", name="uq_tournament_name"),
    )
    op.create_table(
        "entry",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bot", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        _refers("entry", "tournament_id", "tournament.id"),
        _refers("entry", "digest", "bot_version.digest"),
        sa.PrimaryKeyConstraint("tournament_id", "bot", name="pk_entry"),
    )
    op.create_index("ix_entry_digest", "entry", ["digest"])


def _matches() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("series_id", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("table_no", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("termination", sa.String(), nullable=True),
        sa.Column("faulty_seat", sa.Integer(), nullable=True),
        sa.Column("level", sa.String(), nullable=True),
        sa.Column("wall_s", sa.Float(), nullable=True),
        sa.Column("usage", sa.JSON(), nullable=True),
        sa.Column("evidence", sa.JSON(), nullable=True),
        sa.Column("core_sha256", sa.String(), nullable=True),
        sa.Column("saved_at", sa.String(), nullable=True),
        _refers("match", "tournament_id", "tournament.id"),
        sa.PrimaryKeyConstraint("id", name="pk_match"),
        sa.UniqueConstraint("match_id", name="uq_match_match_id"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_match_tournament_id_number"),
    )
    op.create_index("ix_match_series_id", "match", ["series_id"])
    op.create_index("ix_match_unit", "match", ["unit"])
    op.create_index("ix_match_tournament_id_termination", "match", ["tournament_id", "termination"])


def _after_matches() -> None:
    op.create_table(
        "placing",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("bot", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("running_elo", sa.Float(), nullable=True),
        _refers("placing", "match", "match.id"),
        sa.PrimaryKeyConstraint("match", "seat", name="pk_placing"),
    )
    op.create_table(
        "replay",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        _refers("replay", "match", "match.id"),
        sa.PrimaryKeyConstraint("match", name="pk_replay"),
    )
    op.create_table(
        "past_attempt",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("dropped_at", sa.String(), nullable=False),
        _refers("past_attempt", "match", "match.id"),
        sa.PrimaryKeyConstraint("match", "attempt", name="pk_past_attempt"),
    )
    op.create_table(
        "alarm",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("raised_at", sa.String(), nullable=False),
        _refers("alarm", "match", "match.id"),
        sa.PrimaryKeyConstraint("id", name="pk_alarm"),
    )


def _refers(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    other = target.partition(".")[0]
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}_{other}")
