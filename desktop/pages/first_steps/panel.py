"""Shows three ways to the first record on the empty list of records."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.exchange.registry import READABLE_NAMES
from desktop.localization.language import join_words
from desktop.pages.first_steps.picture_drop import dropped_pictures
from desktop.pages.first_steps.sample_bar import SampleController
from desktop.widgets import Button, ButtonKind, Card, IconLabel, column_of, label, row_of

_CARD_PX = 280
_MAX_WIDTH_PX = 1080
_WIDTH_SHARE = 0.6


class _StartCard(Card):
    """One way: an icon, a title, an explanation and a button."""

    def __init__(self, icon: str, title: str, text: str, button_text: str, kind: ButtonKind) -> None:
        super().__init__()
        self.setMinimumWidth(_CARD_PX - 60)
        self.button = Button(button_text, kind=kind, large=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 20)
        column.setSpacing(10)
        column.addWidget(IconLabel(icon, "accent", 28))
        column.addWidget(label(title, "item", wrap=True))
        column.addWidget(label(text, "dim", wrap=True))
        column.addStretch(1)
        column.addSpacing(6)
        column.addWidget(self.button)


class FirstStepsPanel(QWidget):
    """Three cards. A picture that is dropped anywhere on the panel starts a record."""

    picture_requested = Signal()
    """The user wants to start from a picture."""
    picture_dropped = Signal(object)
    """The `Path` of a picture that was dropped."""
    import_requested = Signal()
    """The user wants to import regions."""
    record_requested = Signal()
    """The user wants to create a record with the form."""

    def __init__(self, sample: SampleController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sample = sample
        self.setAcceptDrops(True)
        self.heading_label = label(self.tr("No records yet"), "title")
        self.heading_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sample = _StartCard(
            "play",
            self.tr("Try the sample inspection"),
            self.tr("An aircraft, a record with regions and a photo, ready to detect. One click deletes it."),
            self.tr("Create sample inspection"),
            ButtonKind.MAIN,
        )
        self.picture = _StartCard(
            "photo",
            self.tr("Start from an image"),
            self.tr("Choose or drop an image of the correct condition. Task and record are created with it."),
            self.tr("Choose image…"),
            ButtonKind.PLAIN,
        )
        self.import_ = _StartCard(
            "upload",
            self.tr("Import regions"),
            self.tr("Regions from {formats} or an export of Walkaround, with their image.").format(
                formats=join_words(READABLE_NAMES)
            ),
            self.tr("Choose file…"),
            ButtonKind.PLAIN,
        )
        self.form = Button(self.tr("New record…"), kind=ButtonKind.LINK)
        self.setAccessibleName(self.heading_label.text())
        self._build()
        self.sample.button.clicked.connect(lambda _checked=False: sample.create())
        self.picture.button.clicked.connect(lambda _checked=False: self.picture_requested.emit())
        self.import_.button.clicked.connect(lambda _checked=False: self.import_requested.emit())
        self.form.clicked.connect(lambda _checked=False: self.record_requested.emit())
        sample.changed.connect(self._show_sample)
        self._show_sample()

    def _build(self) -> None:
        self._inner = inner = QWidget()
        cards = QHBoxLayout()
        cards.setSpacing(16)
        for card in (self.sample, self.picture, self.import_):
            cards.addWidget(card, 1)
        column = column_of(self.heading_label, parent=inner, margins=0, spacing=8)
        text = label(self.tr("Choose how to begin. Everything can be changed or deleted later."), "dim")
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(text)
        column.addSpacing(16)
        column.addLayout(cards)
        column.addSpacing(12)
        row = row_of(
            1, label(self.tr("Already have tasks and reference images?"), "dim"), self.form, 1, spacing=6
        )
        column.addLayout(row)
        outer = row_of(1, parent=self, margins=0)
        middle = column_of(2, inner, 3)
        outer.addLayout(middle, 20)
        outer.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # On a large screen the cards become wider.
        self._inner.setMaximumWidth(max(_MAX_WIDTH_PX, round(self.width() * _WIDTH_SHARE)))
        super().resizeEvent(event)

    def _show_sample(self) -> None:
        self.sample.button.setEnabled(self._sample.may_create())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_pictures(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        pictures = dropped_pictures(event.mimeData())
        if pictures:
            event.acceptProposedAction()
            self.picture_dropped.emit(pictures[0])
