"""Deletes a record after asking, and asks again when another user changed it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.transport import Versioned
from desktop.localization.dates import minute
from desktop.pages.common.lists.delete_unchanged import delete_unchanged
from desktop.widgets import confirm, status_word
from shared.codes import Status
from shared.wire.inspection import Record


class RecordChangedError(Exception):
    """Another user changed the record, so it was not deleted. `modified_by` is the user, if known."""

    def __init__(self, base: Record, now: Record, by: str | None) -> None:
        super().__init__(now.inspection_id)
        self.base = base
        self.now = now
        self.modified_by = by


def remove(session: Session, base: Record) -> None:
    """Delete the record as long as it still is `base`, as the person saw it. Not for the GUI thread.

    Raises RecordChangedError, ClientError.
    """

    def check(now: Versioned[Record]) -> None:
        if changes(base, now.value):
            raise RecordChangedError(base, now.value, now.modified_by)

    record_id, records = base.inspection_id, session.records
    delete_unchanged(partial(records.get, record_id), check, partial(records.delete, record_id))


def changes(base: Record, now: Record) -> list[str]:
    """What differs between two states of a record, a line each, as the person reads it."""
    translate = QCoreApplication.translate
    values = (
        (translate("RecordDeleting", "Name"), base.inspection_name, now.inspection_name),
        (translate("RecordDeleting", "Task"), base.task_id, now.task_id),
        (
            translate("RecordDeleting", "Executor"),
            base.executor_name or base.executor_id,
            now.executor_name or now.executor_id,
        ),
        (
            translate("RecordDeleting", "Reference image"),
            base.reference_image_name or base.reference_image_id,
            now.reference_image_name or now.reference_image_id,
        ),
        (translate("RecordDeleting", "Progress"), f"{base.progress} %", f"{now.progress} %"),
        (translate("RecordDeleting", "Start time"), _time(base.start_time), _time(now.start_time)),
        (translate("RecordDeleting", "End time"), _time(base.end_time), _time(now.end_time)),
        (translate("RecordDeleting", "API status"), _state(base), _state(now)),
    )
    return [f"{name}: {before or '–'} → {after or '–'}" for name, before, after in values if before != after]


def delete_record(
    owner: QWidget,
    session: Session,
    base: Record,
    done: Callable[[], Any],
    failed: Callable[[Exception], Any],
    cancelled: Callable[[], Any],
) -> None:
    """Ask and delete; ask again with the differences when another user changed the record meanwhile.

    Calls `done` when it is deleted, `cancelled` when the person sees what changed and keeps the record,
    `failed` with a ClientError.
    """
    translate = QCoreApplication.translate
    name = base.inspection_name or translate("RecordDeleting", "this record")
    if confirm(
        owner,
        translate("RecordDeleting", "Delete record?"),
        translate(
            "RecordDeleting", "{name} and all its items, photos and results will be permanently deleted."
        ).format(name=name),
        translate("RecordDeleting", "Delete"),
    ):
        _send(owner, session, base, done, failed, cancelled)


def _send(
    owner: QWidget,
    session: Session,
    base: Record,
    done: Callable[[], Any],
    failed: Callable[[Exception], Any],
    cancelled: Callable[[], Any],
) -> None:
    def not_done(error: Exception) -> None:
        if not isinstance(error, RecordChangedError):
            failed(error)
        elif _confirm_deletion(owner, error):
            _send(owner, session, error.now, done, failed, cancelled)
        else:
            cancelled()

    run(remove, session, base, owner=owner, done=lambda _: done(), failed=not_done)


def _confirm_deletion(owner: QWidget, changed: RecordChangedError) -> bool:
    translate = QCoreApplication.translate
    at = minute(changed.now.updated_at)
    if changed.modified_by:
        text = translate("RecordDeleting", "Modified in the meantime, last by {name} ({time}):").format(
            name=changed.modified_by, time=at
        )
    else:
        text = translate("RecordDeleting", "Modified in the meantime ({time}):").format(time=at)
    name = changed.now.inspection_name or translate("RecordDeleting", "this record")
    return confirm(
        owner,
        translate("RecordDeleting", "Delete {name} anyway?").format(name=name),
        "\n".join([text, *changes(changed.base, changed.now)]),
        translate("RecordDeleting", "Delete anyway"),
    )


def _time(time: Any) -> str:
    return "" if time is None else minute(time)


def _state(record: Record) -> str:
    return status_word(Status(record.inspection_status))
