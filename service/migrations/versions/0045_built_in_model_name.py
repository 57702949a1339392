"""The words of the built-in model, as the program uses them everywhere else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

_MODEL = sa.table("detection_model", sa.column("model_id"), sa.column("name"), sa.column("description"))
_NAMES = ("参考差分", "参考图比对")
_DESCRIPTIONS = (
    "把照片与参考图上的标记区域对齐后比较，无需训练",
    "将照片与参考图上的区域对齐后比对，无需训练",
)


def upgrade() -> None:
    """Replace them, where no user has changed them and no other model has the new name."""
    _replace(0, 1)


def downgrade() -> None:
    """Bring the old words back."""
    _replace(1, 0)


def _replace(old: int, new: int) -> None:
    built_in = _MODEL.c.model_id == "reference-difference"
    other = _MODEL.alias()
    is_taken = sa.exists().where(other.c.name == _NAMES[new], other.c.model_id != "reference-difference")
    op.execute(
        _MODEL.update().where(built_in, _MODEL.c.name == _NAMES[old], ~is_taken).values(name=_NAMES[new])
    )
    op.execute(
        _MODEL.update()
        .where(built_in, _MODEL.c.description == _DESCRIPTIONS[old])
        .values(description=_DESCRIPTIONS[new])
    )
