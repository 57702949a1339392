"""Bodies of backups on a schedule."""

from shared.wire.common import FilledText, ItemTime, WireModel


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
    """The state of the backups. `scheduled` is false if none are made automatically.

    `late` is true if a backup has been due for longer than it may take; `failures` counts the failed runs
    since `last_good`. `runs` are the latest runs, newest first. `place` is where backups are stored.
    `can_choose`: the caller can choose a folder, because no setting of the service names a place and the
    caller is on the service's computer.
    """

    scheduled: bool
    schedule: str | None
    next_at: ItemTime | None
    late: bool
    failures: int
    last_good: BackupRun | None
    runs: list[BackupRun]
    place: str | None = None
    can_choose: bool = False


class BackupFolder(WireModel):
    """Body of `PUT /backups`: the folder for backups, an absolute path on the service's computer."""

    folder: FilledText
