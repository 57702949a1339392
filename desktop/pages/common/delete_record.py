"""Deletes a record after a confirmation, and asks again if another user has changed it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.answers import Versioned
from desktop.localization.dates import format_minute
from desktop.pages.common.lists.delete_unchanged import delete_unchanged
from desktop.widgets import confirm, status_text
from shared.record.codes import Status
from shared.wire.inspection import Record


class RecordChangedError(Exception):
    """Another user changed the record, so it was not deleted. `modified_by` is the user's name if known."""

    def __init__(self, base: Record, current: Record, modified_by: str | None) -> None:
        super().__init__(current.inspection_id)
        self.base = base
        self.current = current
        self.modified_by = modified_by


def remove_unchanged(session: Session, base: Record) -> None:
    """Delete the record if it still equals `base`, which the user saw. Must not run on the GUI thread.

    Raises RecordChangedError, ClientError.
    """

    def check(current: Versioned[Record]) -> None:
        if changes(base, current.value):
            raise RecordChangedError(base, current.value, current.modified_by)

    record_id, records = base.inspection_id, session.records
    delete_unchanged(partial(records.get, record_id), check, partial(records.delete, record_id))


def changes(base: Record, current: Record) -> list[str]:
    """The differences between two states of a record, one line for each."""
    translate = QCoreApplication.translate
    values = (
        (translate("RecordDeleting", "Name"), base.inspection_name, current.inspection_name),
        (translate("RecordDeleting", "Task"), base.task_id, current.task_id),
        (
            translate("RecordDeleting", "Inspector"),
            base.executor_name or base.executor_id,
            current.executor_name or current.executor_id,
        ),
        (
            translate("RecordDeleting", "Reference image"),
            base.reference_image_name or base.reference_image_id,
            current.reference_image_name or current.reference_image_id,
        ),
        (translate("RecordDeleting", "Progress"), f"{base.progress}%", f"{current.progress}%"),
        (
            translate("RecordDeleting", "Start time"),
            _time_text(base.start_time),
            _time_text(current.start_time),
        ),
        (translate("RecordDeleting", "End time"), _time_text(base.end_time), _time_text(current.end_time)),
        (translate("RecordDeleting", "Status in other systems"), _status_text(base), _status_text(current)),
    )
    return [f"{name}: {before or '–'} → {after or '–'}" for name, before, after in values if before != after]


def delete_record(
    owner: QWidget,
    session: Session,
    base: Record,
    on_deleted: Callable[[], Any],
    on_failed: Callable[[Exception], Any],
    on_cancelled: Callable[[], Any],
) -> None:
    """Delete a record after a confirmation; ask again with the differences if another user changed it.

    Calls `on_deleted` after the deletion, `on_cancelled` if the user keeps the changed record, and
    `on_failed` with a ClientError.
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
        _delete(owner, session, base, on_deleted, on_failed, on_cancelled)


def _delete(
    owner: QWidget,
    session: Session,
    base: Record,
    done: Callable[[], Any],
    failed: Callable[[Exception], Any],
    cancelled: Callable[[], Any],
) -> None:
    def on_failed(error: Exception) -> None:
        if not isinstance(error, RecordChangedError):
            failed(error)
        elif _confirm_deletion(owner, error):
            _delete(owner, session, error.current, done, failed, cancelled)
        else:
            cancelled()

    run(remove_unchanged, session, base, owner=owner, done=lambda _: done(), failed=on_failed)


def _confirm_deletion(owner: QWidget, error: RecordChangedError) -> bool:
    translate = QCoreApplication.translate
    time = format_minute(error.current.updated_at)
    if error.modified_by:
        text = translate("RecordDeleting", "Modified in the meantime, last by {name} ({time}):").format(
            name=error.modified_by, time=time
        )
    else:
        text = translate("RecordDeleting", "Modified in the meantime ({time}):").format(time=time)
    name = error.current.inspection_name or translate("RecordDeleting", "this record")
    return confirm(
        owner,
        translate("RecordDeleting", "Delete {name} anyway?").format(name=name),
        "\n".join([text, *changes(error.base, error.current)]),
        translate("RecordDeleting", "Delete anyway"),
    )


def _time_text(time: Any) -> str:
    return "" if time is None else format_minute(time)


def _status_text(record: Record) -> str:
    return status_text(Status(record.inspection_status))
