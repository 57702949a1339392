"""Routes the status of backups."""

from fastapi import APIRouter

from service.backups.service import BackupService
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.backups import BackupFolder, BackupStatus
from shared.wire.common import Envelope


def router(service: BackupService) -> APIRouter:
    """The route `/backups`."""
    backups = api_router(tags=["backups"])

    @backups.get("/backups", responses=failures(401, 403))
    async def backup_status(caller: Caller = require(Permission.SETTINGS_MANAGE)) -> Envelope[BackupStatus]:
        """Return the last good backup, the time of the next one, and the newest runs."""
        return Envelope(data=await service.status(caller), msg="备份状态获取成功")

    @backups.put("/backups", responses=failures(401, 403, 409, 422))
    async def choose_backup_folder(
        body: BackupFolder, caller: Caller = require(Permission.SETTINGS_MANAGE, recent_password=True)
    ) -> Envelope[BackupStatus]:
        """Choose the folder for backups, from the service's computer; the first backup starts at once."""
        return Envelope(data=await service.choose_folder(body.folder, caller), msg="备份文件夹已保存")

    @backups.post("/backups", responses=failures(401, 403, 409))
    async def start_backup(caller: Caller = require(Permission.SETTINGS_MANAGE)) -> Envelope[BackupStatus]:
        """Start a backup now; `runs` of the status shows when it has ended."""
        return Envelope(data=await service.start_now(caller), msg="备份已开始")

    return backups
