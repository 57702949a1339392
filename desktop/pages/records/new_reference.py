"""Adds a reference image from the field that selects one, without leaving the form."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.catalogue.reference_images.sending import send_reference
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.widgets import Button, ButtonKind, Dialog, Field
from shared.record.codes import Permission
from shared.wire.catalogue import ReferenceImage


class ReferenceUploadController(QObject):
    """Adds a button to `field` that asks for a picture, uploads it and selects the new reference image.

    If the typed text is not the name of a reference image, it becomes the name of the new one.
    """

    busy = Signal(bool)
    """An upload started (True) or ended (False)."""
    failed = Signal(object)
    """The error of the upload, an exception."""

    def __init__(self, context: Context, field: Field, dialog: Dialog) -> None:
        super().__init__(dialog)
        assert isinstance(field.editor, SearchCombo)
        self._context, self._field, self._dialog = context, field, dialog
        self._chooser = field.editor
        self._task: Task | None = None
        self.button = Button(self.tr("Add image…"), kind=ButtonKind.LINK, parent=dialog)
        self.button.setVisible(context.may(Permission.CATALOGUE_MANAGE))
        field.add_action(self.button)
        self.button.clicked.connect(lambda _checked=False: self.ask_picture())
        dialog.rejected.connect(self._stop)

    def ask_picture(self) -> None:
        """Ask for a picture file and upload it."""
        path = open_picture(self._dialog, self.tr("Add reference image"), Purpose.REFERENCES)
        if path is not None:
            self.upload(path)

    def upload(self, path: Path) -> None:
        """Upload a picture file. Does nothing while another upload is running."""
        if self._task is not None:
            return
        entry_id, typed_text = self._chooser.typed_choice()
        self._show(0)
        self.busy.emit(True)
        self._task = run(
            _upload,
            self._context.session,
            path,
            "" if entry_id else typed_text.strip(),
            owner=self,
            progress=self._show,
            done=self._on_uploaded,
            failed=self._on_upload_failed,
            lane=Lane.LONG,
        )

    def _show(self, percent: int) -> None:
        self.button.setEnabled(False)
        self.button.setText(self.tr("Uploading… {n}%").format(n=percent))

    def _end_upload(self) -> None:
        self._task = None
        self.button.setEnabled(True)
        self.button.setText(self.tr("Add image…"))
        self.busy.emit(False)

    def _on_uploaded(self, reference: ReferenceImage) -> None:
        self._end_upload()
        self._chooser.choose((reference.reference_image_id, reference.reference_image_name))
        self._field.set_error("")

    def _on_upload_failed(self, error: Exception) -> None:
        self._end_upload()
        self.failed.emit(error)

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _upload(report: ProgressReport, session: Session, path: Path, name: str) -> ReferenceImage:
    last_percent = -1

    def on_progress(done: int, total: int) -> None:
        nonlocal last_percent
        percent = 100 * done // total if total else 0
        if percent != last_percent:
            last_percent = percent
            report(percent)

    return send_reference(session, path, on_progress, name)
