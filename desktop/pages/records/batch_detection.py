"""Runs pending detections over all open records: start, progress, cancel, retry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError
from desktop.context import Context
from desktop.pages.common.messages.error_messages import sentence
from desktop.widgets import Button, IconButton, Panel, ProgressBar, label
from shared.wire.detection import Batch

_LOOK_EVERY = 0.5
_LOOK_LATER = 3.0


class BatchController(QObject):
    """The batch that this desktop started. It is followed while other pages are in front, too."""

    changed = Signal()
    """The state of `batch` changed."""
    moved = Signal()
    """Some of its detections ended since the last time."""
    notice = Signal(str)
    """Something to tell the person."""

    def __init__(self, context: Context) -> None:
        """Use `BatchController.for_context`."""
        super().__init__(context)
        self._context = context
        self._task: Task | None = None
        self.batch: Batch | None = None
        """Its progress; None before a batch is started and after it was closed."""
        context.loginChanged.connect(self._on_login_changed)
        context.closing.connect(self._stop)

    @classmethod
    def for_context(cls, context: Context) -> BatchController:
        """The controller of this desktop; made when there is none yet."""
        controller = context.findChild(BatchController)
        return controller if isinstance(controller, BatchController) else cls(context)

    @property
    def busy(self) -> bool:
        """True while detections of the batch wait or run."""
        return self._task is not None

    def start(self) -> None:
        """Detect the items of every open record that have no result yet."""
        self._begin(lambda session: session.detection.detect_pending())

    def retry(self) -> None:
        """Detect again what failed or was cancelled."""
        batch = self.batch
        if batch is not None:
            self._begin(lambda session: session.detection.retry_batch(batch.batch_id))

    def cancel(self) -> None:
        """Cancel what waits or runs."""
        if self.batch is not None:
            run(
                self._context.session.detection.cancel_batch,
                self.batch.batch_id,
                owner=self,
                done=self._show,
                failed=lambda error: self.notice.emit(sentence(error)),
            )

    def dismiss(self) -> None:
        """Hide it."""
        if not self.busy:
            self.batch = None
            self.changed.emit()

    def _begin(self, ask: Callable[[Session], Batch]) -> None:
        if self._task is None:
            self._task = run(
                _follow_batch,
                self._context.session,
                ask,
                owner=self,
                progress=self._show,
                done=lambda _: self._on_ended(),
                failed=self._on_failed,
                lane=Lane.LONG,
            )

    def _show(self, batch: Batch) -> None:
        before, self.batch = self.batch, batch
        if batch.total == 0:
            self.batch = None
            self.notice.emit(self.tr("No pending detections"))
        elif before is None or _finished_count(before) != _finished_count(batch):
            self.moved.emit()
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
    """A line above the records with the progress of the batch and its commands."""

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
        self.close_it = IconButton("close", self.tr("Close"), side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self.notice)
        row.addWidget(self.bar, 1)
        row.addWidget(self.detail)
        row.addStretch(1)
        for button in (self.cancel, self.retry, self.close_it):
            row.addWidget(button)
        self.cancel.clicked.connect(lambda _checked=False: batches.cancel())
        self.retry.clicked.connect(lambda _checked=False: batches.retry())
        self.close_it.clicked.connect(lambda _checked=False: batches.dismiss())
        batches.changed.connect(self.show_batch)
        self.show_batch()

    def show_batch(self) -> None:
        """Show the state of the batch; hidden when there is none."""
        batch, busy = self._batches.batch, self._batches.busy
        self.setVisible(batch is not None)
        if batch is None:
            return
        without = batch.failed + batch.canceled
        ended = batch.done + without
        if busy:
            self.notice.setText(self.tr("Detecting: {done} of {all}").format(done=ended, all=batch.total))
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
        self.retry.setVisible(not busy and without > 0)
        self.close_it.setVisible(not busy)


def _finished_count(batch: Batch) -> int:
    return batch.done + batch.failed + batch.canceled


def _follow_batch(report: ProgressReport, session: Session, ask: Callable[[Session], Batch]) -> None:
    batch = ask(session)
    report(batch)
    while batch.queued or batch.running:
        report.wait(_LOOK_EVERY if batch.total < 200 else _LOOK_LATER)
        batch = session.detection.batch(batch.batch_id)
        report(batch)
