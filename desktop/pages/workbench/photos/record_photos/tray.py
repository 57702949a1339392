"""The tray below the workbench: photos of the record that need a decision, and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from desktop.localization.language import join_sentences
from desktop.messages.seal_terms import unassigned_photos_sentence
from desktop.pages.workbench.photos.record_photos.thumbnails import Thumbnail, ThumbnailList
from desktop.widgets import (
    Banner,
    Button,
    ButtonKind,
    ElidedLabel,
    IconButton,
    Panel,
    ProgressBar,
    column_of,
    label,
    row_of,
)

_TEXT_PX = 250
_UNLIMITED_PX = 16_777_215
"""QWIDGETSIZE_MAX of Qt, which PySide does not export."""


@dataclass(frozen=True, slots=True)
class TrayState:
    """The state of the tray.

    `offered` items are proposed for `offering` photos. `sending` pictures are being sent, the first with the
    progress `share` (0..1). `away` is True if the service cannot be reached. `targets` is the number of
    selected items.
    """

    thumbnails: Sequence[Thumbnail] = ()
    matching: int = 0
    offered: int = 0
    offering: int = 0
    sending: int = 0
    share: float = 0.0
    away: bool = False
    failures: Sequence[str] = ()
    editable: bool = True
    targets: int = 0


class Tray(Panel):
    """Shows the photos that need a decision; hidden if there are none.

    The user can fold it to one line. It unfolds when photos are added or a photo gets a proposal, and
    folds when the record is sealed.
    """

    accept_wanted = Signal()
    """Assign every photo to the items that it is offered to."""
    review_wanted = Signal(str)
    """The id of the photo to show; empty for the first one."""
    assign_wanted = Signal(object)
    """Emits the IDs of photos to assign to the selected items."""
    remove_wanted = Signal(object)
    """Emits the IDs of photos to remove from the record."""
    match_wanted = Signal()
    """Emitted to match the photos again."""
    cancelled = Signal()
    """Emitted to cancel the uploads."""
    retry_wanted = Signal()
    """Emitted to retry the uploads now."""
    failures_read = Signal()
    """Emitted when the user has read the failures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "top", parent)
        self.setObjectName("photo-tray")
        self.state = TrayState()
        self._title = ElidedLabel(self.tr("Photos of the record"), "strong")
        self._summary_label = label("", "dim", wrap=True)
        self._summary_label.setObjectName("photo-tray-text")
        self._bar = ProgressBar(self.tr("Photo upload progress"))
        self.stop = IconButton("close", self.tr("Stop uploading photos"), side=22)
        self.retry_button = Button(self.tr("Retry"), kind=ButtonKind.LINK)
        self._error = label("", "error", wrap=True)
        self._error.setObjectName("photo-tray-error")
        self.read = IconButton("close", self.tr("Close"), side=22)
        self.thumbnails = ThumbnailList(self.tr("Unassigned photos"), in_row=True)
        self.thumbnails.setObjectName("photo-tray-list")
        self.accept = Button("", kind=ButtonKind.PLAIN, icon="check")
        self.accept.setObjectName("photo-tray-accept")
        self.review = Button(self.tr("Review…"), icon="eye")
        self.review.setObjectName("photo-tray-review")
        self.assign = Button("", icon="link")
        self.assign.setObjectName("photo-tray-assign")
        self.fold = IconButton("chevron-down", "", side=22)
        self.fold.setObjectName("photo-tray-fold")
        self._text_column = QWidget()
        self._buttons = QWidget()
        self._is_folded = False
        self._build()
        for button, signal in (
            (self.accept, self.accept_wanted),
            (self.stop, self.cancelled),
            (self.retry_button, self.retry_wanted),
            (self.read, self.failures_read),
        ):
            button.clicked.connect(lambda _checked=False, it=signal: it.emit())
        self.fold.clicked.connect(lambda _checked=False: self.set_folded(not self._is_folded))
        self.review.clicked.connect(lambda _checked=False: self.review_wanted.emit(self.thumbnails.current))
        self.assign.clicked.connect(
            lambda _checked=False: self.assign_wanted.emit(self.thumbnails.chosen_ids)
        )
        self.thumbnails.opened.connect(self.review_wanted)
        self.set_folded(False)
        self.thumbnails.chosen_changed.connect(self._offer)
        self.thumbnails.menu_wanted.connect(self.show_menu)
        self.show_state(self.state)

    def _build(self) -> None:
        sending = row_of((self._bar, 1), self.retry_button, self.stop)
        failed = row_of((self._error, 1), (self.read, 0, Qt.AlignmentFlag.AlignTop))
        column = QVBoxLayout()
        column.setSpacing(4)
        title = row_of((self._title, 1), self.fold)
        column.addLayout(title)
        column.addWidget(self._summary_label)
        column.addLayout(sending)
        column.addLayout(failed)
        column.addStretch(1)
        column.setContentsMargins(0, 0, 0, 0)
        self._text_column.setLayout(column)
        column_of(self.accept, self.review, self.assign, 1, parent=self._buttons, margins=0, spacing=6)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self._text_column)
        row.addWidget(self.thumbnails, 1)
        row.addWidget(self._buttons)

    @property
    def title(self) -> str:
        """The first line."""
        return self._title.text()

    @property
    def text(self) -> str:
        """The text about the photos."""
        return self._summary_label.text()

    @property
    def error(self) -> str:
        """The text about failed pictures; empty if there is none."""
        return self._error.text()

    @property
    def is_folded(self) -> bool:
        """Whether only the line with the title and the summary is shown."""
        return self._is_folded

    def set_folded(self, is_folded: bool) -> None:
        """Fold the tray to one line, or unfold it."""
        self._is_folded = is_folded
        self.fold.set_icon("chevron-up" if is_folded else "chevron-down")
        self.fold.set_name(
            self.tr("Show unassigned photos") if is_folded else self.tr("Hide unassigned photos")
        )
        for part in (self._summary_label, self.thumbnails, self._buttons):
            part.setVisible(not is_folded)
        self._fit_text()
        self._show_summary()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_text()

    def _fit_text(self) -> None:
        width = min(_TEXT_PX, self.width() // 4)
        self._text_column.setMinimumWidth(width)
        self._text_column.setMaximumWidth(_UNLIMITED_PX if self._is_folded else width)

    def _show_summary(self) -> None:
        summary = self._summary()
        title = self.tr("Photos of the record")
        self._summary_label.setText(summary)
        self._title.setText(f"{title}  ·  {summary}" if self._is_folded and summary else title)

    def show_state(self, state: TrayState) -> None:
        """Show the waiting photos and the progress of the others."""
        earlier = {thumbnail.photo_id for thumbnail in self.state.thumbnails}
        is_news = state.offered > self.state.offered or any(
            thumbnail.photo_id not in earlier for thumbnail in state.thumbnails
        )
        if not state.editable and self.state.editable:
            self.set_folded(True)
        elif self._is_folded and is_news:
            self.set_folded(False)
        self.state = state
        self._show_summary()
        self.thumbnails.show_thumbnails(state.thumbnails)
        self.thumbnails.drag(state.editable)
        sending = state.sending > 0
        self._bar.setVisible(sending and not state.away)
        self._bar.setValue(round(100 * state.share))
        self.retry_button.setVisible(sending and state.away)
        self.stop.setVisible(sending)
        self._error.setText("\n".join(state.failures[:3]) + ("\n…" if len(state.failures) > 3 else ""))
        self._error.setToolTip("\n".join(state.failures))
        self._error.setVisible(bool(state.failures))
        self.read.setVisible(bool(state.failures))
        self.accept.setText(self.tr("Accept for %n item(s)", "", state.offered))
        self.accept.setVisible(state.offered > 0 and state.editable)
        self.review.setVisible(bool(state.thumbnails))
        self._offer()
        self.setVisible(bool(state.thumbnails or sending or state.failures))

    def _offer(self) -> None:
        state = self.state
        self.assign.setText(self.tr("Assign to %n selected item(s)", "", state.targets))
        self.assign.setVisible(bool(state.thumbnails) and state.editable and state.targets > 0)
        self.assign.setEnabled(bool(self.thumbnails.chosen_ids))

    def _summary(self) -> str:
        state = self.state
        parts = []
        if state.sending and state.away:
            parts.append(
                self.tr(
                    "The service is not responding. %n file(s) will be uploaded when it is back.",
                    "",
                    state.sending,
                )
            )
        elif state.sending:
            parts.append(self.tr("Uploading %n file(s)…", "", state.sending))
        if state.matching:
            parts.append(self.tr("Searching %n photo(s) for regions…", "", state.matching))
        if state.offered and state.editable:
            photos = self.tr("%n photo(s)", "", state.offering)
            parts.append(
                self.tr("Regions of %n item(s) found in {photos}.", "", state.offered).format(photos=photos)
            )
        rest = len(state.thumbnails) - state.matching - state.offering
        if not state.editable and state.thumbnails:
            parts.append(unassigned_photos_sentence(len(state.thumbnails)))
        elif rest > 0:
            parts.append(self.tr("%n photo(s) to assign manually.", "", rest))
        return join_sentences(parts)

    def show_menu(self, at: QPoint) -> None:
        """Show the actions for the chosen photos."""
        chosen, state = self.thumbnails.chosen_ids, self.state
        menu = QMenu(self)
        menu.addAction(self.tr("Review…")).triggered.connect(
            lambda _checked=False: self.review_wanted.emit(chosen[0])
        )
        if state.editable:
            if state.targets:
                assign = self.tr("Assign to %n selected item(s)", "", state.targets)
                menu.addAction(assign).triggered.connect(
                    lambda _checked=False: self.assign_wanted.emit(chosen)
                )
            menu.addAction(self.tr("Match all again")).triggered.connect(
                lambda _checked=False: self.match_wanted.emit()
            )
            menu.addSeparator()
            menu.addAction(self.tr("Remove from record…")).triggered.connect(
                lambda _checked=False: self.remove_wanted.emit(chosen)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)


class AcceptedBar(Banner):
    """The line after an assignment: offers to detect its items, or to undo it."""

    def show_counts(self, photos: int, items: int) -> None:
        """Show how many photos were assigned to how many items."""
        counted = self.tr("%n photo(s)", "", photos)
        self.show_message(
            self.tr("{photos} assigned to %n item(s).", "", items).format(photos=counted),
            action=self.tr("Run detection on %n item(s)", "", items),
            second_action=self.tr("Undo"),
        )
