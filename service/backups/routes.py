"""Routes the status of backups."""

from __future__ import annotations

from fastapi import APIRouter

from service.backups.service import BackupService
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.backups import BackupStatus
from shared.wire.common import Envelope


def router(service: BackupService) -> APIRouter:
    """The route `/backups`."""
    backups = api_router(tags=["backups"])

    @backups.get("/backups", responses=failures(401, 403))
    async def backup_status(caller: Caller = require(Permission.SETTINGS_MANAGE)) -> Envelope[BackupStatus]:
        """Return the last good backup, the time of the next one, and the newest runs."""
        return Envelope(data=await service.status(), msg="备份状态获取成功")

    return backups
