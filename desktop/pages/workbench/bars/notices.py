"""Shows why edits are unsent, that a crash left edits, and which items detection skipped."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.record.edits import RecordEdits
from desktop.widgets import Banner, Button, ButtonKind, IconLabel, Panel, label


class RecoveryNotice(Panel):
    """Offers to send or discard the edits from a crash."""

    keep_wanted = Signal()
    discarded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self.setObjectName("recovered")
        self._text = label("", wrap=True)
        self.keep = Button(self.tr("Keep and send"), kind=ButtonKind.LINK)
        self.keep.setObjectName("recovered-keep")
        self.discard = Button(self.tr("Discard"), kind=ButtonKind.LINK)
        self.discard.setObjectName("recovered-discard")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(IconLabel("history", "accent"))
        row.addWidget(self._text, 1)
        row.addWidget(self.keep)
        row.addWidget(self.discard)
        self.keep.clicked.connect(lambda _checked=False: self.keep_wanted.emit())
        self.discard.clicked.connect(lambda _checked=False: self.discarded.emit())
        self.hide()

    def offer(self, count: int) -> None:
        """Show the number of edits."""
        text = self.tr("The program closed unexpectedly. %n unsent change(s) are kept.", "", count)
        self._text.setText(text)
        self.setAccessibleName(text)


class Notices(QWidget):
    """Follows the journal of the account."""

    def __init__(self, edits: RecordEdits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edits = edits
        self._closed = ""
        self.banner = Banner()
        self.recovery = RecoveryNotice()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.recovery)
        row.addWidget(self.banner)
        self.banner.closed.connect(self._on_closed)
        self.banner.action_chosen.connect(edits.retry)
        self.recovery.keep_wanted.connect(edits.keep)
        self.recovery.discarded.connect(edits.discard)
        self.recovery.keep_wanted.connect(self.follow)
        self.recovery.discarded.connect(self.follow)
        edits.saving_changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Update the notice."""
        edits = self._edits
        self.recovery.setVisible(edits.held)
        if edits.held:
            self.recovery.offer(len(edits.unsent_edits()))
        saving = edits.save_state
        text = "" if edits.held else edits.problem or saving.problem
        if not text or text == self._closed:
            self.banner.hide()
            self._closed = text and self._closed
        else:
            again = "" if edits.problem else self.tr("Retry")
            self.banner.show_message(text, "warn", again)
        self.setVisible(not self.banner.isHidden() or edits.held)

    def _on_closed(self) -> None:
        self._closed = self.banner.text()
        self.follow()


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
