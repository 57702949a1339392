"""Phones as cameras: their codes, the photos on their way, and which photos came from one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_phone_code_inspection_id": ("phone_code", ["inspection_id"]),
    "ix_phone_code_made_by_expires_at": ("phone_code", ["made_by", "expires_at"]),
    "ix_phone_code_expires_at": ("phone_code", ["expires_at"]),
    "ix_phone_upload_code_id": ("phone_upload", ["code_id"]),
}


def upgrade() -> None:
    """Add the tables and the columns; no photo came from a phone before."""
    op.create_table(
        "phone_code",
        sa.Column("code_id", sa.String(36), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=True),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("item_id", sa.String(36), nullable=True),
        sa.Column("made_by", sa.String(36), nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("ended", sa.String(16), nullable=True),
        sa.Column("claimed_at", sa.DateTime(), nullable=True),
        sa.Column("seen_at", sa.DateTime(), nullable=True),
        sa.Column("phone", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("code_id", name="pk_phone_code"),
        sa.UniqueConstraint("token_hash", name="uq_phone_code_token_hash"),
    )
    op.create_table(
        "phone_upload",
        sa.Column("upload_id", sa.String(36), nullable=False),
        sa.Column("code_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("item_id", sa.String(36), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("received", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("error", sa.String(32), nullable=True),
        sa.Column("reason", sa.String(255), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("upload_id", name="pk_phone_upload"),
        sa.ForeignKeyConstraint(
            ["code_id"], ["phone_code.code_id"], name="fk_phone_upload_code_id", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "phone_part",
        sa.Column("upload_id", sa.String(36), nullable=False),
        sa.Column("start", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("upload_id", "start", name="pk_phone_part"),
        sa.ForeignKeyConstraint(
            ["upload_id"],
            ["phone_upload.upload_id"],
            name="fk_phone_part_upload_id",
            ondelete="CASCADE",
        ),
    )
    for name, (table, columns) in _INDEXES.items():
        op.create_index(name, table, columns)
    for table in ("item_photo", "record_photo"):
        op.add_column(
            table, sa.Column("by_phone", sa.Boolean(), nullable=False, server_default=sa.text("false"))
        )


def downgrade() -> None:
    """Drop them."""
    for table in ("record_photo", "item_photo"):
        op.drop_column(table, "by_phone")
    for table in ("phone_part", "phone_upload", "phone_code"):
        op.drop_table(table)
