"""Shows the detection of the chosen item: its button, progress and failure, with what to do."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.commands.bindings import Commands
from desktop.record.item_rows import UNALIGNED, RunPhase, RunState
from desktop.widgets import Banner, Button, ButtonKind, ProgressBar, label


class RunBox(QWidget):
    """Starts, follows and retries a detection. Its texts follow from the result entries of the item."""

    wanted = Signal()
    """Detect the item, for the first time or again."""
    cancelled = Signal()
    """End the detection that waits or runs."""
    align_wanted = Signal()
    """Set three points, so that photo and reference can be compared by eye."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.start = Button(
            commands.title("item.detect"), icon="play", keys=commands.keys_text("item.detect")
        )
        self.start.setObjectName("item-detect")
        self.notice = label("", "dim", wrap=True)
        self.why = label("", "error", wrap=True)
        self.bar = ProgressBar(self.tr("Detection progress"))
        self.cancel = Button(self.tr("Cancel"), icon="close")
        self.cancel.setObjectName("item-detect-cancel")
        self.retry = Button(self.tr("Retry"), icon="refresh")
        self.retry.setObjectName("item-detect-retry")
        self.align = Button(self.tr("Align with three points"), kind=ButtonKind.LINK)
        self.align.setObjectName("item-detect-align")
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget in (self.retry, self.align, self.cancel):
            row.addWidget(widget)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.start, self.notice, self.bar, self.why):
            column.addWidget(part)
        column.addLayout(row)
        self.start.clicked.connect(lambda _checked=False: self.wanted.emit())
        self.retry.clicked.connect(lambda _checked=False: self.wanted.emit())
        self.cancel.clicked.connect(lambda _checked=False: self.cancelled.emit())
        self.align.clicked.connect(lambda _checked=False: self.align_wanted.emit())
        self.show_run(RunState(), None)

    def show_run(self, state: RunState, percent: int | None) -> None:
        """Show the state of the detection. `percent` is None unless it is requested or running."""
        requested = percent is not None
        running = requested or state.is_running
        ended = not running and state.run in (RunPhase.FAILED, RunPhase.CANCELED)
        self.start.setVisible(not running and not ended)
        self.notice.setText(self._text(state, percent) if running or ended else "")
        self.notice.setVisible(bool(self.notice.text()))
        self.bar.setVisible(running and state.run is RunPhase.RUNNING)
        self.bar.setValue(percent or 0)
        self.why.setText(state.message if ended else "")
        self.why.setVisible(bool(self.why.text()))
        self.cancel.setVisible(running and bool(state.job_id))
        self.retry.setVisible(ended)
        self.align.setVisible(ended and state.code in UNALIGNED)

    def set_editable(self, on: bool) -> None:
        """Enable or disable detection."""
        for button in (self.start, self.retry, self.cancel):
            button.setEnabled(on)

    def _text(self, state: RunState, percent: int | None) -> str:
        match state.run:
            case RunPhase.RUNNING:
                return self.tr("Detecting… {percent}%").format(percent=percent or 0)
            case RunPhase.FAILED if percent is None:
                return self.tr("Detection failed")
            case RunPhase.CANCELED if percent is None:
                return self.tr("Detection cancelled.")
        return self.tr("Detection queued…")


class SkippedItemsBanner(Banner):
    """Offers to detect the undecided items again that were skipped because their result is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detect-rest")

    def show_count(self, count: int) -> None:
        """Show the number of skipped items; 0 hides the banner."""
        text = self.tr("%n undecided item(s) skipped: the result is up to date.", "", count)
        if count:
            self.show_message(text, action=self.tr("Rerun detection"))
        else:
            self.hide()
