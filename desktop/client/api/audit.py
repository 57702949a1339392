"""Calls the service for the audit log (needs AUDIT_READ)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from desktop.client.http.transport import Calls
from shared.wire.audit import AuditEntry
from shared.wire.common import Page


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The filters of the audit log, combined with AND. None leaves a filter out. Times are inclusive.

    `actor` is a user id. A time without a zone is UTC.
    """

    action: str | None = None
    kind: str | None = None
    object_id: str | None = None
    actor: str | None = None
    at_from: datetime | None = None
    at_to: datetime | None = None

    def query(self) -> dict[str, str]:
        """The filter as query parameters."""
        return {name: _text(value) for name, value in asdict(self).items() if value}


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).isoformat()
    return str(value)


class Audit(Calls):
    """The audit log."""

    def page(self, where: AuditFilter | None = None, page: int = 1, page_size: int = 50) -> Page[AuditEntry]:
        """One page of the entries that match, newest first."""
        query = {**(where or AuditFilter()).query(), "current_page": page, "page_size": page_size}
        return self._transport.get("/audit", Page[AuditEntry], query=query)
