"""Runs the pending detections of all open records, with progress, cancel and retry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.widgets import Button, IconButton, Panel, ProgressBar, label
from shared.wire.detection import Batch

_POLL_SECONDS = 0.5
_SLOW_POLL_SECONDS = 3.0


class BatchController(QObject):
    """The batch that this desktop started. Its progress is read even while other pages are in front."""

    changed = Signal()
    """The state of `batch` changed."""
    detections_ended = Signal()
    """More detections of the batch have ended."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(self, context: Context) -> None:
        """Use `BatchController.for_context`."""
        super().__init__(context)
        self._context = context
        self._task: Task | None = None
        self.batch: Batch | None = None
        """The batch with its progress; None before a batch is started and after it was dismissed."""
        context.login_changed.connect(self._on_login_changed)
        context.closing.connect(self._stop)

    @classmethod
    def for_context(cls, context: Context) -> BatchController:
        """The controller of this desktop, which is created at the first call."""
        controller = context.findChild(BatchController)
        return controller if isinstance(controller, BatchController) else cls(context)

    @property
    def busy(self) -> bool:
        """Whether detections of the batch are queued or running."""
        return self._task is not None

    def start(self) -> None:
        """Run the pending detections of all open records."""
        self._start_batch(lambda session: session.detection.detect_pending())

    def retry(self) -> None:
        """Repeat the detections that failed or were cancelled."""
        batch = self.batch
        if batch is not None:
            self._start_batch(lambda session: session.detection.retry_batch(batch.batch_id))

    def cancel(self) -> None:
        """Cancel the queued and running detections."""
        if self.batch is not None:
            run(
                self._context.session.detection.cancel_batch,
                self.batch.batch_id,
                owner=self,
                done=self._show,
                failed=lambda error: self.notice.emit(sentence(error)),
            )

    def dismiss(self) -> None:
        """Hide the completed batch."""
        if not self.busy:
            self.batch = None
            self.changed.emit()

    def _start_batch(self, request_batch: Callable[[Session], Batch]) -> None:
        if self._task is None:
            self._task = run(
                _follow_batch,
                self._context.session,
                request_batch,
                owner=self,
                progress=self._show,
                done=lambda _: self._on_ended(),
                failed=self._on_failed,
                lane=Lane.LONG,
            )

    def _show(self, batch: Batch) -> None:
        previous, self.batch = self.batch, batch
        if batch.total == 0:
            self.batch = None
            self.notice.emit(self.tr("No undetected photos"))
        elif previous is None or _finished_count(previous) != _finished_count(batch):
            self.detections_ended.emit()
        self.changed.emit()

    def _on_ended(self) -> None:
        self._task = None
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        self.changed.emit()
        if not isinstance(error, ClientError):
            raise error
        self.notice.emit(sentence(error))

    def _on_login_changed(self) -> None:
        if self._context.payload is None:
            self._stop()
            self.batch = None
            self.changed.emit()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None


class BatchBar(Panel):
    """A bar above the records with the progress of the batch and its buttons."""

    def __init__(self, batches: BatchController, parent: QWidget | None = None) -> None:
        super().__init__("raised", "", parent)
        self.setObjectName("batch-bar")
        self._batches = batches
        self.notice = label("", "strong")
        self.detail = label("", "dim")
        self.bar = ProgressBar(self.tr("Detection progress"))
        self.bar.setMaximumWidth(260)
        self.cancel = Button(self.tr("Cancel"), icon="close")
        self.retry = Button(self.tr("Retry failed"), icon="refresh")
        self.close_button = IconButton("close", self.tr("Close"), side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self.notice)
        row.addWidget(self.bar, 1)
        row.addWidget(self.detail)
        row.addStretch(1)
        for button in (self.cancel, self.retry, self.close_button):
            row.addWidget(button)
        self.cancel.clicked.connect(lambda _checked=False: batches.cancel())
        self.retry.clicked.connect(lambda _checked=False: batches.retry())
        self.close_button.clicked.connect(lambda _checked=False: batches.dismiss())
        batches.changed.connect(self.show_batch)
        self.show_batch()

    def show_batch(self) -> None:
        """Show the state of the batch; hide the bar if there is none."""
        batch, busy = self._batches.batch, self._batches.busy
        self.setVisible(batch is not None)
        if batch is None:
            return
        unsuccessful = batch.failed + batch.canceled
        finished = batch.done + unsuccessful
        if busy:
            self.notice.setText(self.tr("Detecting: {done} of {all}").format(done=finished, all=batch.total))
        else:
            self.notice.setText(self.tr("%n detection(s) completed", "", batch.done))
        parts = []
        if batch.failed:
            parts.append(self.tr("%n failed", "", batch.failed))
        if batch.canceled:
            parts.append(self.tr("%n cancelled", "", batch.canceled))
        self.detail.setText(" · ".join(parts))
        self.bar.setValue(batch.progress)
        self.bar.setVisible(busy)
        self.cancel.setVisible(busy)
        self.retry.setVisible(not busy and unsuccessful > 0)
        self.close_button.setVisible(not busy)


def _finished_count(batch: Batch) -> int:
    return batch.done + batch.failed + batch.canceled


def _follow_batch(
    report: ProgressReport, session: Session, request_batch: Callable[[Session], Batch]
) -> None:
    batch = request_batch(session)
    report(batch)
    while batch.queued or batch.running:
        report.wait(_POLL_SECONDS if batch.total < 200 else _SLOW_POLL_SECONDS)
        batch = session.detection.batch(batch.batch_id)
        report(batch)
