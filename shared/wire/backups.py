"""Bodies of backups on a schedule."""

from __future__ import annotations

from shared.wire.common import ItemTime, WireModel


class BackupRun(WireModel):
    """One run. `state` is running, done or failed; `problem` is a code and `message` its sentence.

    `size` is what the backup holds, `added` what of it was new where the backups lie, in bytes.
    """

    started_at: ItemTime
    finished_at: ItemTime | None
    state: str
    name: str | None
    files: int | None
    size: int | None
    added: int | None
    problem: str | None
    message: str | None


class BackupStatus(WireModel):
    """How it stands with the backups. `scheduled` is false where none are made by themselves.

    `late` is true when a backup is due for longer than it may take; `failures` counts the runs that failed
    since `last_good`. `runs` are the newest, newest first.
    """

    scheduled: bool
    schedule: str | None
    next_at: ItemTime | None
    late: bool
    failures: int
    last_good: BackupRun | None
    runs: list[BackupRun]
