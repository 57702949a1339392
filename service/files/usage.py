"""Computes how much space the stored files use, and how much is left for uploads."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import Session, col, select

from service.files.tables import FileRow
from service.settings import Settings
from service.web.envelope import Problem
from shared.record.codes import ErrorCode

FRESH_SECONDS = 30.0
"""How long a sum of sizes is used before it is read again, as other service processes store files too."""

_SIZE_BY_CONTENT = (
    select(FileRow.sha256, func.max(FileRow.size).label("size")).group_by(col(FileRow.sha256)).subquery()
)
_SUM = select(func.count(), func.coalesce(func.sum(_SIZE_BY_CONTENT.c.size), 0)).select_from(_SIZE_BY_CONTENT)


class Usage(NamedTuple):
    """The used and free space in bytes. `contents` is the number of contents, `quota` is 0 for none.

    `free_bytes` is the free space on the disk of uploads, of which `reserve` is kept for the database.
    """

    contents: int
    stored: int
    quota: int
    free_bytes: int
    reserve: int


def count_stored_bytes(session: Session) -> tuple[int, int]:
    """Return the number of stored contents and their bytes; each content counts once."""
    count, total = session.exec(_SUM).one()
    return int(count), int(total)


class UploadRoom:
    """Computes how large an upload may be. `folder` is where uploads arrive; it need not exist yet."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._quota = settings.files_quota_bytes
        self._reserve = settings.disk_reserve_bytes
        self._folder = folder
        self._stored_bytes = 0
        self._sum_time: float | None = None

    def is_stale(self) -> bool:
        """Return whether the quota needs a new sum; never without a quota."""
        if not self._quota:
            return False
        return self._sum_time is None or time.monotonic() - self._sum_time > FRESH_SECONDS

    def set_stored_bytes(self, total: int) -> None:
        """Set the number of stored bytes as read from the database."""
        self._stored_bytes, self._sum_time = total, time.monotonic()

    def add(self, size: int) -> None:
        """Add the size of a content that this process stored, until the next sum."""
        self._stored_bytes += size

    def free_bytes(self) -> int:
        """Return the free bytes on the disk of uploads."""
        folder = next(folder for folder in (self._folder, *self._folder.parents) if folder.is_dir())
        return shutil.disk_usage(folder).free

    def usage(self, contents: int, stored: int) -> Usage:
        """Return the usage, with the number and bytes of contents from the database."""
        return Usage(contents, stored, self._quota, self.free_bytes(), self._reserve)

    def largest_upload(self) -> int:
        """Return the size of the largest upload that fits now, in bytes. Raises Problem 507 if none fits."""
        disk_room = self.free_bytes() - self._reserve
        if disk_room <= 0:
            raise self.full_problem(0)
        if not self._quota:
            return disk_room
        if self._stored_bytes >= self._quota:
            raise self.full_problem(1)
        return min(disk_room, self._quota - self._stored_bytes)

    def full_problem(self, size: int) -> Problem:
        """Return the Problem 507 for an upload of `size` bytes that does not fit."""
        if self._quota and self._stored_bytes + size > self._quota:
            msg = "文件存储空间已达配额，文件未保存，请联系管理员"
            return Problem(507, ErrorCode.STORAGE_FULL, msg, headers=_CLOSE, quota=self._quota)
        msg = "服务器磁盘剩余空间不足，文件未保存，请联系管理员清理磁盘后重试"
        return Problem(507, ErrorCode.STORAGE_FULL, msg, headers=_CLOSE)


_CLOSE = {"Connection": "close"}
"""The rest of the body is not read."""
