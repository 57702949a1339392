"""Routes the audit log."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.audit.service import AuditQuery, AuditService, UserNames
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.audit import AuditEntry
from shared.wire.common import Envelope, Page


def router(service: AuditService, names: UserNames) -> APIRouter:
    """The route `/audit`."""
    audit = api_router(tags=["audit"])

    @audit.get("/audit", responses=failures(401, 403, 422))
    async def list_audit(
        query: Annotated[AuditQuery, Query()], caller: Caller = require(Permission.AUDIT_READ)
    ) -> Envelope[Page[AuditEntry]]:
        """Return a page of the audit log, newest first."""
        return Envelope(data=await service.page(query, names), msg="审计日志获取成功")

    return audit
