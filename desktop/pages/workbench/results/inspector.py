"""Shows everything about the selected item, in the right panel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from desktop.commands.bindings import Commands
from desktop.localization.language import join_sentences
from desktop.pages.workbench.items.item_fields import ItemFields
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.results.comments import CommentsBox
from desktop.pages.workbench.results.correcting import CorrectionBar
from desktop.pages.workbench.results.detecting import RunBox
from desktop.pages.workbench.results.explained import ExplainedBox
from desktop.pages.workbench.results.findings import FindingsBox
from desktop.pages.workbench.results.history import HistoryBox
from desktop.pages.workbench.results.verdict import VerdictBox
from desktop.record.document import ItemView
from desktop.record.drafts import VerdictDraft
from desktop.record.item_rows import FindingContext, RunPhase, findings_of, run_of_photo
from desktop.widgets import Panel, column_of, label, separator
from shared.record import results, suppression
from shared.record.entries import Entry


class PreviewHeight(QObject):
    """Distributes the height whenever the panel or its content changes size."""

    def __init__(self, scroll: QScrollArea, content: QWidget, photo: PhotoBox) -> None:
        """`content` is the widget in `scroll`, and contains `photo`."""
        super().__init__(scroll)
        self._scroll, self._content, self._photo = scroll, content, photo
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._share)
        scroll.viewport().installEventFilter(self)
        content.installEventFilter(self)
        photo.pair_shown.connect(self._soon.start)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            # Before it is painted: a scroll bar would appear for a moment.
            self._share()
        elif event.type() is QEvent.Type.Resize:
            self._soon.start()
        return False

    def _share(self) -> None:
        content = self._content
        layout, photo_layout = content.layout(), self._photo.layout()
        if layout is None or photo_layout is None or not content.isVisible():
            return
        # The content learns of a new height of the preview only then.
        photo_layout.activate()
        tall = layout.hasHeightForWidth()
        needed = layout.totalHeightForWidth(content.width()) if tall else layout.totalSizeHint().height()
        self._photo.resize_pair(self._scroll.viewport().height() - needed)


WIDTH_PX = 336
_MIN_PX = 328
_SIDE = 14
_SETTLE_MS = 60
"""Time in ms until unfolded rows are laid out."""


class Inspector(Panel):
    """Shows fields, photo, findings and verdict of one item, or a sentence when none is chosen."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__("panel", "left", parent)
        self.setObjectName("inspector")
        self.setMinimumWidth(_MIN_PX)
        self.fields = ItemFields()
        self.photo = PhotoBox(commands)
        self.findings = FindingsBox()
        self.explained = ExplainedBox()
        self.correction = CorrectionBar()
        self.verdict = VerdictBox(commands)
        self.run = RunBox(commands)
        self.history = HistoryBox()
        self._item_id = ""
        self.comments = CommentsBox()
        self._none_label = label("", "dim", wrap=True)
        self.show_no_item(any_items=True)
        self.finding_context = FindingContext()
        """The context for displaying findings."""
        self.newest_photo: str | None = None
        """The file id of the newest photo of the item; None if it is unknown."""
        self._stack = QStackedWidget()
        self._build()

    def _build(self) -> None:
        content = QWidget()
        content.setProperty("clear", True)
        column = QVBoxLayout(content)
        column.setContentsMargins(_SIDE, 12, _SIDE, 12)
        column.setSpacing(10)
        # In a low window what does not fit is out of sight: the findings and the verdict belong to the photo,
        # which the canvas shows.
        found = (self.findings, self.explained, self.correction)
        for part in (self.fields, *found, self.photo, self.fields.detection, self.run):
            column.addWidget(part)
        column.addWidget(self.history)
        column.addWidget(self.comments)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        self._preview_height = PreviewHeight(scroll, content, self.photo)
        self.explained.unfolded.connect(
            lambda _on: QTimer.singleShot(_SETTLE_MS, self, lambda: self._show_explained(scroll))
        )
        self.comments.scroll_wanted.connect(
            lambda: QTimer.singleShot(_SETTLE_MS, self, lambda: scroll.ensureWidgetVisible(self.comments))
        )
        self.run.failed.connect(
            lambda: QTimer.singleShot(_SETTLE_MS, self, lambda: scroll.ensureWidgetVisible(self.run))
        )
        # Beside the scroll bar things stay as wide as the verdict below, which does not scroll.
        bar = scroll.verticalScrollBar()
        bar.rangeChanged.connect(
            lambda _least, most: column.setContentsMargins(
                _SIDE, 12, _SIDE - (bar.sizeHint().width() if most > 0 else 0), 16
            )
        )
        empty = QWidget()
        row = QHBoxLayout(empty)
        row.setContentsMargins(24, 24, 24, 24)
        self._none_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row.addWidget(self._none_label)
        self._stack.addWidget(empty)
        self._stack.addWidget(self._build_item_page(scroll))
        column_of(self._stack, parent=self, margins=(1, 0, 0, 0))

    def _show_explained(self, scroll: QScrollArea) -> None:
        """Scroll to the unfolded differences, or to their beginning if they do not fit."""
        if self.explained.is_open:
            scroll.ensureWidgetVisible(self.explained)
            scroll.ensureWidgetVisible(self.explained.fold)

    def _build_item_page(self, scroll: QScrollArea) -> QWidget:
        """Build the scrolling part, with the verdict and unsaved findings always visible below it."""
        column_widget = QWidget()
        rows = column_of((scroll, 1), separator(), parent=column_widget, margins=0, spacing=0)
        foot = column_of(self.correction.pending, self.verdict, margins=(_SIDE, 10, _SIDE, 12), spacing=10)
        rows.addLayout(foot)
        return column_widget

    def show_item(
        self, item: ItemView | None, number: int, entry: Entry | None, draft: VerdictDraft | None
    ) -> None:
        """Show an item with the findings of `entry`, a detection of it; None shows that none is chosen.

        draft: the verdict of the item that is not complete.
        """
        self._stack.setCurrentIndex(0 if item is None else 1)
        if item is None:
            return
        if item.item_id != self._item_id:
            # The chosen finding was one of another item.
            self._item_id, self.findings.list.current = item.item_id, -1
        self.fields.show_item(item, number)
        self.verdict.show_item(item, draft)
        self.show_findings(item, entry)

    def show_no_item(self, any_items: bool) -> None:
        """Set the text that is shown while no item is chosen."""
        self._none_label.setText(
            self.tr("Select an item in the list or on the image.")
            if any_items
            else self.tr("No items yet. Details of the selected item are shown here.")
        )

    def show_findings(self, item: ItemView, entry: Entry | None) -> None:
        """Show the findings of `entry`, which is an entry of the item or a draft."""
        nothing = self._no_findings_text(item, entry)
        self.findings.show_findings(
            findings_of(entry, self.finding_context), nothing, self.findings.list.current
        )
        self.explained.show_explained(item.item_id, suppression.read_suppressed_findings(entry, item.result))

    def _no_findings_text(self, item: ItemView, entry: Entry | None) -> str:
        is_finished = entry is not None and results.is_finished(entry)
        run = run_of_photo(item.result, self.newest_photo)
        newest = "" if is_finished else self.tr("Detection not run yet.")
        if run.run is RunPhase.FAILED:
            newest = self.tr("The newest detection failed.")
        elif run.run is RunPhase.NONE and results.newest_detection(item.result) is not None:
            newest = self.tr("The newest photo has not been inspected yet.")
        if not is_finished:
            return newest
        nothing = self.tr("No findings.")
        return join_sentences((nothing, newest)) if newest else nothing

    def forget_typing(self) -> bool:
        """Keep what is being typed from the next item. Returns whether something is being typed."""
        edits = (self.fields.name, self.fields.description, self.verdict.reason)
        is_typing = any(edit.hasFocus() and not edit.isReadOnly() for edit in edits)
        for edit in edits:
            edit.forget()
        return is_typing

    def commit(self) -> None:
        """Commit typed text."""
        self.fields.commit()
        self.verdict.commit()
