"""Deletes a record after a confirmation, unless another user has changed it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.pages.common.lists.delete_unchanged import delete_unchanged
from desktop.widgets import confirm
from shared.wire.inspection import Record


def delete_record(
    owner: QWidget,
    session: Session,
    base: Record,
    on_deleted: Callable[[], Any],
    on_failed: Callable[[Exception], Any],
) -> None:
    """Delete a record after a confirmation if it still equals `base`, which the user saw.

    Calls `on_deleted` after the deletion, and `on_failed` with a ClientError: Stale if another user changed
    the record.
    """
    translate = QCoreApplication.translate
    name = base.inspection_name or translate("RecordDeleting", "this record")
    text = translate(
        "RecordDeleting", "{name} and all its items, photos and results will be permanently deleted."
    )
    if confirm(
        owner,
        translate("RecordDeleting", "Delete record?"),
        text.format(name=name),
        translate("RecordDeleting", "Delete"),
    ):
        record_id, records = base.inspection_id, session.records
        run(
            delete_unchanged,
            partial(records.get, record_id),
            base,
            partial(records.delete, record_id),
            owner=owner,
            done=lambda _: on_deleted(),
            failed=on_failed,
        )
