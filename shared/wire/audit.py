"""Bodies of the audit log."""

from typing import Any

from shared.wire.common import ItemTime, WireModel


class AuditEntry(WireModel):
    """One row of the audit log.

    `actor` is a user ID, `actor_name` that user's full name with the username, as they are now.
    `seq` counts from 1 without gaps; `hash` covers this row and all rows before it.
    """

    seq: int
    at: ItemTime
    action: str
    kind: str
    object_id: str | None
    actor: str | None
    actor_name: str | None = None
    address: str | None
    details: dict[str, Any]
    hash: str
