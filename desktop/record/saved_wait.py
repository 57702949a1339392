"""Waits a short time until the edits of the open record are saved, and says why they are not."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop.record.open_record import OpenRecord

_LIMIT_MS = 5_000


class SavedWait(QObject):
    """Calls `callback` when all edits of the open record that can be sent were sent, possibly immediately.

    While the service is away, the edits can stay unsent for hours. What the user asked for must not happen
    then, in the middle of other work: `refused` is called with a sentence instead, as soon as it is known
    that the edits cannot be sent, and at the latest after 5 s. With `patient`, slow sending is waited for.
    """

    def __init__(
        self,
        open_record: OpenRecord,
        callback: Callable[[], None],
        refused: Callable[[str], None],
        owner: QObject,
        *,
        patient: bool = False,
    ) -> None:
        super().__init__(owner)
        self._open_record, self._callback, self._refused = open_record, callback, refused
        self._record_id = open_record.record_id
        self._is_over = False
        open_record.call_when_saved(self._on_saved, self)
        if self._is_over:
            return
        if open_record.edits.held:
            self._refuse(self.tr("Unsent changes wait for your decision: keep or discard them first."))
            return
        # The service may be back already: only what this attempt finds counts.
        open_record.edits.saving_changed.connect(self._on_saving_changed)
        if not patient:
            QTimer.singleShot(_LIMIT_MS, self, self._on_late)

    def _on_saved(self) -> None:
        if self._end():
            self._callback()

    def _on_saving_changed(self) -> None:
        state = self._open_record.edits.save_state
        if state.offline:
            self._refuse(
                self.tr(
                    "The service is not responding, and your last changes are saved on this computer only. "
                    "Try again when it responds."
                )
            )
        elif state.problem:
            self._refuse(state.problem)

    def _on_late(self) -> None:
        self._refuse(self.tr("Your changes are still being sent to the service. Try again in a moment."))

    def _refuse(self, why: str) -> None:
        if self._end() and self._open_record.record_id == self._record_id:
            self._refused(why)

    def _end(self) -> bool:
        """Whether the wait was not over before."""
        was_over, self._is_over = self._is_over, True
        if not was_over:
            self.deleteLater()
        return not was_over
