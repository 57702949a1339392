"""Creates codes for the open record, and polls the state of the shown one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Task, run
from desktop.client.http.errors import NotFound
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.phone.dialog import PhoneDialog
from desktop.record.open_record import OpenRecord
from shared.wire.phone import NewPhoneCode, PhoneCode

_POLL_MS = 2_000


class PhoneController(QObject):
    """Shows one dialog at a time. A valid code is shown again instead of a new one."""

    notice = Signal(str)
    """Why no phone can be connected now."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self.dialog: PhoneDialog | None = None
        self._target: tuple[str, str | None] | None = None
        self._codes: dict[tuple[str, str | None], NewPhoneCode] = {}
        self._poll_task: Task | None = None
        self._poll_timer = QTimer(self, interval=_POLL_MS)
        self._poll_timer.timeout.connect(self._poll)
        open_record.context.login_changed.connect(self.clear_codes)

    def for_item(self) -> None:
        """Connect a phone for the chosen item."""
        item = self._open_record.item
        if item is None:
            self.notice.emit(self.tr("Select an item for the photos first."))
        elif self._open_record.may_edit():
            # A new item has no ID at the service before it was sent.
            self._open_record.call_when_saved(partial(self._show, item.item_id), self)

    def for_record(self) -> None:
        """Connect a phone for the whole record."""
        if self._open_record.document is not None and self._open_record.may_edit():
            self._show(None)

    def close(self) -> None:
        """Close the dialog when the record is left. A connected phone stays connected."""
        if self.dialog is not None:
            self.dialog.close()

    def clear_codes(self) -> None:
        """Drop the codes after a login or logout, because they have ended or belong to another user."""
        self._codes.clear()
        self.close()

    def _show(self, item_id: str | None) -> None:
        open_record = self._open_record
        document = open_record.document
        if document is None:
            return
        self.close()
        row = next((row for row in open_record.rows if row.item_id == item_id), None)
        name = document.record.inspection_name or ""
        subject = name if row is None else f"{row.number}  {row.name}"
        self._target = (
            open_record.record_id,
            None if item_id is None else open_record.edits.service_id(item_id),
        )
        dialog = self.dialog = PhoneDialog(subject, open_record.context.session.base_url, self._window)
        dialog.new_wanted.connect(self._renew)
        dialog.end_wanted.connect(self._end)
        dialog.finished.connect(partial(self._on_closed, dialog))
        code = self._codes.get(self._target)
        if code is None:
            self._create_code(open_network=False)
        else:
            dialog.show_code(code)
            self._poll()
        dialog.show()

    def _on_closed(self, dialog: PhoneDialog, _result: int) -> None:
        if self.dialog is dialog:
            self.dialog = None
            self._poll_timer.stop()

    # -- making and ending

    def _create_code(self, *, open_network: bool) -> None:
        if self.dialog is None or self._target is None:
            return
        self._poll_timer.stop()
        self.dialog.show_waiting()
        run(
            partial(
                self._open_record.context.session.phones.create, *self._target, open_network=open_network
            ),
            owner=self,
            done=partial(self._on_code_created, self.dialog, self._target),
            failed=partial(self._on_failed, self.dialog),
        )

    def _on_code_created(
        self, dialog: PhoneDialog, subject: tuple[str, str | None], code: NewPhoneCode
    ) -> None:
        self._codes[subject] = code
        if self.dialog is dialog:
            dialog.show_code(code)
            self._poll_timer.start()

    def _on_failed(self, dialog: PhoneDialog, error: Exception) -> None:
        if self.dialog is dialog:
            dialog.show_error(sentence(error))

    def _renew(self, open_network: bool) -> None:
        self._end_code()
        self._create_code(open_network=open_network)

    def _end_code(self) -> None:
        code = None if self._target is None else self._codes.pop(self._target, None)
        if code is not None:
            end = self._open_record.context.session.phones.end
            run(partial(end, code.code_id), owner=self, failed=self._on_end_failed)

    def _on_end_failed(self, error: Exception) -> None:
        if not isinstance(error, NotFound):
            self.notice.emit(sentence(error))

    def _end(self) -> None:
        dialog = self.dialog
        code = None if self._target is None else self._codes.get(self._target)
        if dialog is None or code is None:
            return
        end = self._open_record.context.session.phones.end
        run(
            partial(end, code.code_id),
            owner=self,
            done=lambda _: self._poll(),
            failed=partial(self._on_failed, dialog),
        )

    # -- following

    def _poll(self) -> None:
        code = None if self.dialog is None else self.dialog.code
        if code is None or self._poll_task is not None:
            return
        self._poll_timer.start()
        self._poll_task = run(
            partial(self._open_record.context.session.phones.get, code.code_id),
            owner=self,
            done=self._on_status_read,
            failed=self._on_status_failed,
        )

    def _on_status_read(self, status: PhoneCode) -> None:
        self._poll_task = None
        if status.ended is not None:
            self._codes = {
                subject: code for subject, code in self._codes.items() if code.code_id != status.code_id
            }
        if self.dialog is not None:
            self.dialog.show_status(status)
            if status.ended is not None and self.dialog.code is not None:
                self._poll_timer.stop()

    def _on_status_failed(self, error: Exception) -> None:
        self._poll_task = None
        if self.dialog is not None:
            self.dialog.show_error(sentence(error))
