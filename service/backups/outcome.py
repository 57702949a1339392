"""Defines the outcome and the problems of a backup run; the service can import it quickly at its start.

A problem is a stable code, and a sentence for administrators and for the log.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from pydantic import BaseModel, ValidationError

from service.workers.frames import Frame
from shared.record.codes import StorageFault


class BackupProblem(StrEnum):
    """Why a run failed or, for the last two, the problem of a finished run."""

    DISK_FULL = "disk_full"
    NOT_WRITABLE = "not_writable"
    NO_DATABASE = "no_database"
    NO_FILE_STORE = "no_file_store"
    PLACE_AWAY = "place_away"
    DAMAGED_DATABASE = "damaged_database"
    NOT_VERIFIED = "not_verified"
    INTERRUPTED = "interrupted"
    INTERNAL = "internal"
    DAMAGED_DATA = "damaged_data"
    NOT_PRUNED = "not_pruned"


class Texts(NamedTuple):
    """The sentence in the API, and the one in the log."""

    message: str
    log: str


TEXTS: Final[dict[BackupProblem, Texts]] = {
    BackupProblem.DISK_FULL: Texts(
        "备份位置空间不足，备份未完成，请清理空间或更换备份位置",
        "there is no space in the place of the backups: free some space or use another place",
    ),
    BackupProblem.NOT_WRITABLE: Texts(
        "服务没有备份位置的写入权限，备份未完成，请检查文件夹权限",
        "the service cannot write to the place of the backups: check the permissions of the directory",
    ),
    BackupProblem.NO_DATABASE: Texts(
        "数据库无响应，备份未完成，稍后自动重试", "the database does not answer; the backup is tried again"
    ),
    BackupProblem.NO_FILE_STORE: Texts(
        "文件存储无响应，备份未完成，稍后自动重试",
        "the file store does not answer; the backup is tried again",
    ),
    BackupProblem.PLACE_AWAY: Texts(
        "备份位置无法访问，备份未完成，请检查文件夹或对象存储",
        "the place of the backups cannot be reached: check the directory or the object store",
    ),
    BackupProblem.DAMAGED_DATABASE: Texts(
        "数据库已损坏，备份未完成，请停止服务并恢复较早的备份",
        "the database is damaged: stop the service and restore an older backup",
    ),
    BackupProblem.NOT_VERIFIED: Texts(
        "备份写入后校验失败，已丢弃，请检查备份位置的磁盘",
        "the written backup was damaged and discarded: check the disk of the backups",
    ),
    BackupProblem.INTERRUPTED: Texts("备份被中断，稍后自动重试", "it was interrupted and is tried again"),
    BackupProblem.INTERNAL: Texts(
        "备份时发生内部错误，请联系管理员查看日志", "an internal error; see the previous lines of the log"
    ),
    BackupProblem.DAMAGED_DATA: Texts(
        "备份已完成，但部分数据已损坏或缺失，请运行 walkaround backup verify 查看",
        "it is complete, but some of the data is damaged or missing: run `walkaround backup verify`",
    ),
    BackupProblem.NOT_PRUNED: Texts(
        "备份已完成，但过期的备份未能清理", "it is complete, but old backups could not be removed"
    ),
}

PROBLEM_BY_STORAGE_FAULT: Final[dict[StorageFault, BackupProblem]] = {
    StorageFault.DISK_FULL: BackupProblem.DISK_FULL,
    StorageFault.NOT_WRITABLE: BackupProblem.NOT_WRITABLE,
    StorageFault.DAMAGED_DATABASE: BackupProblem.DAMAGED_DATABASE,
    StorageFault.BUSY_DATABASE: BackupProblem.NO_DATABASE,
    StorageFault.NO_DATABASE: BackupProblem.NO_DATABASE,
    StorageFault.NO_FILE_STORE: BackupProblem.NO_FILE_STORE,
}


class Outcome(BaseModel):
    """The outcome of a run; `name` is None if it failed, and `problem` has the cause. Sizes are in bytes."""

    name: str | None = None
    files: int | None = None
    size: int | None = None
    added: int | None = None
    problem: BackupProblem | None = None


def parse_outcome(answer: Frame) -> Outcome:
    """Parse the outcome in an answer."""
    try:
        return Outcome.model_validate(answer.message)
    except ValidationError:
        return Outcome(problem=BackupProblem.INTERNAL)
