"""Adds a reference image beside the field that chooses one, without leaving the form."""

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
from shared.codes import Permission
from shared.wire.catalogue import ReferenceImage


class ReferenceUploadController(QObject):
    """A button beside `field` that asks for a picture, sends it and chooses what was made of it.

    What is typed in the field and names nothing yet becomes the name of the reference image.
    """

    busy = Signal(bool)
    """A picture is on its way, or has arrived or failed."""
    failed = Signal(object)
    """Why it did not arrive, as an exception."""

    def __init__(self, context: Context, field: Field, dialog: Dialog) -> None:
        super().__init__(dialog)
        assert isinstance(field.editor, SearchCombo)
        self._context, self._field, self._dialog = context, field, dialog
        self._chooser = field.editor
        self._task: Task | None = None
        self.button = Button(self.tr("Add image…"), kind=ButtonKind.LINK, parent=dialog)
        self.button.setVisible(context.may(Permission.CATALOGUE_MANAGE))
        field.add_action(self.button)
        self.button.clicked.connect(lambda _checked=False: self.ask())
        dialog.rejected.connect(self._stop)

    def ask(self) -> None:
        """Ask for a picture file, and send it."""
        path = open_picture(self._dialog, self.tr("Add reference image"), Purpose.REFERENCES)
        if path is not None:
            self.send(path)

    def send(self, path: Path) -> None:
        """Send a picture file; only one is on its way at a time."""
        if self._task is not None:
            return
        entry_id, typed = self._chooser.typed_choice()
        self._show(0)
        self.busy.emit(True)
        self._task = run(
            _send,
            self._context.session,
            path,
            "" if entry_id else typed.strip(),
            owner=self,
            progress=self._show,
            done=self._on_arrived,
            failed=self._on_upload_failed,
            lane=Lane.LONG,
        )

    def _show(self, percent: int) -> None:
        self.button.setEnabled(False)
        self.button.setText(self.tr("Uploading… {n} %").format(n=percent))

    def _end_upload(self) -> None:
        self._task = None
        self.button.setEnabled(True)
        self.button.setText(self.tr("Add image…"))
        self.busy.emit(False)

    def _on_arrived(self, reference: ReferenceImage) -> None:
        self._end_upload()
        self._chooser.choose((reference.reference_image_id, reference.reference_image_name))
        self._field.set_error("")

    def _on_upload_failed(self, error: Exception) -> None:
        self._end_upload()
        self.failed.emit(error)

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _send(report: ProgressReport, session: Session, path: Path, name: str) -> ReferenceImage:
    last = -1

    def count(done: int, total: int) -> None:
        nonlocal last
        percent = 100 * done // total if total else 0
        if percent != last:
            last = percent
            report(percent)

    return send_reference(session, path, count, name)
