"""Says how much room the stored files take, and how much is left for uploads."""

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
from shared.codes import ErrorCode

FRESH_SECONDS = 30.0
"""How long a sum of sizes is used; other service processes store files meanwhile."""

_BY_CONTENT = (
    select(FileRow.sha256, func.max(FileRow.size).label("size")).group_by(col(FileRow.sha256)).subquery()
)
_SUM = select(func.count(), func.coalesce(func.sum(_BY_CONTENT.c.size), 0)).select_from(_BY_CONTENT)


class Usage(NamedTuple):
    """How full it is, in bytes: `contents` is how many there are, `quota` is 0 for none.

    `free`: on the disk that takes uploads, of which `reserve` is kept for the database.
    """

    contents: int
    stored: int
    quota: int
    free: int
    reserve: int


def stored_bytes(session: Session) -> tuple[int, int]:
    """How many contents the stored files have, and their bytes; each content counts once."""
    count, total = session.exec(_SUM).one()
    return int(count), int(total)


class UploadRoom:
    """What an upload may take. `folder` takes what arrives and need not be there yet."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._quota = settings.files_quota_bytes
        self._reserve = settings.disk_reserve_bytes
        self._folder = folder
        self._stored = 0
        self._summed_at: float | None = None

    def is_stale(self) -> bool:
        """Whether the quota needs a new sum; never without a quota."""
        if not self._quota:
            return False
        return self._summed_at is None or time.monotonic() - self._summed_at > FRESH_SECONDS

    def set_sum(self, stored: int) -> None:
        """Take what the database says of the stored bytes."""
        self._stored, self._summed_at = stored, time.monotonic()

    def add(self, size: int) -> None:
        """Count a content that was stored here, until the next sum."""
        self._stored += size

    def free(self) -> int:
        """Bytes that are free on the disk that takes uploads."""
        existing = next(folder for folder in (self._folder, *self._folder.parents) if folder.is_dir())
        return shutil.disk_usage(existing).free

    def usage(self, contents: int, stored: int) -> Usage:
        """The figures, with what the database says."""
        return Usage(contents, stored, self._quota, self.free(), self._reserve)

    def largest(self) -> int:
        """The largest upload that fits now, in bytes. Raises Problem 507 when nothing does."""
        on_disk = self.free() - self._reserve
        if on_disk <= 0:
            raise self.full_problem(0)
        if not self._quota:
            return on_disk
        if self._stored >= self._quota:
            raise self.full_problem(1)
        return min(on_disk, self._quota - self._stored)

    def full_problem(self, size: int) -> Problem:
        """Why an upload of `size` bytes does not fit: Problem 507."""
        if self._quota and self._stored + size > self._quota:
            msg = "文件存储空间已达配额，文件未保存，请联系管理员"
            return Problem(507, ErrorCode.STORAGE_FULL, msg, headers=_CLOSE, quota=self._quota)
        msg = "服务器磁盘剩余空间不足，文件未保存，请联系管理员清理磁盘后重试"
        return Problem(507, ErrorCode.STORAGE_FULL, msg, headers=_CLOSE)


_CLOSE = {"Connection": "close"}
"""The rest of the body is not read."""
