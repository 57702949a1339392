"""Coordinates the first steps on the records page: bar, panel, dialogs, commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.context import Context
from desktop.exchange.registry import READABLE_NAMES
from desktop.localization.language import join_words
from desktop.pages.common.files.file_dialogs import Purpose, dropped_pictures, open_picture
from desktop.pages.first_steps.sample_bar import SampleBar, SampleController
from desktop.pages.first_steps.start_dialog import StartDialog, ask_region_file
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    IconButton,
    IconLabel,
    StateStack,
    accept_copy,
    column_of,
    label,
    row_of,
)
from shared.record.codes import Permission

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
    """Three ways to the first record, as cards on the empty list of records.

    A picture that is dropped anywhere on the panel starts a record.
    """

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
            accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        pictures = dropped_pictures(event.mimeData())
        if pictures:
            accept_copy(event)
            self.picture_dropped.emit(pictures[0])


_START_PERMISSIONS = (
    Permission.INSPECTION_ADD,
    Permission.INSPECTION_ITEM_ADD,
    Permission.CATALOGUE_MANAGE,
    Permission.FILE_ADD,
)
_COMMANDS = ("record.from_picture", "record.import", "", "sample.create", "sample.open", "sample.remove")


class FirstStepsController(QObject):
    """Offers to create a record from a picture or from imported regions, and the sample inspection."""

    record_requested = Signal(str)
    """The ID of the record to open."""
    form_requested = Signal()
    """The user wants to create a record with the form."""
    changed = Signal()
    """The list of records changed: the sample was created or deleted."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(self, context: Context, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page
        self.sample = SampleController.for_context(context)
        self.bar = SampleBar(self.sample)
        self.more_button = IconButton("more", self.tr("More ways to begin"))
        self.more_button.clicked.connect(lambda _checked=False: self._show_menu())
        self.bar.sample_requested.connect(self.record_requested)
        self.sample.created.connect(self._on_sample_created)
        self.sample.changed.connect(self._on_sample_changed)
        self.sample.notice.connect(self._show_notice)
        self._had_sample = self.sample.exists
        self._bind_commands()

    def _bind_commands(self) -> None:
        sample = self.sample
        handlers: tuple[tuple[str, Callable[[], object], Callable[[], bool]], ...] = (
            ("record.from_picture", self.start_from_picture, self.may_start),
            ("record.import", self.import_regions, self.may_start),
            ("sample.create", sample.create, sample.may_create),
            ("sample.open", self._open_sample, lambda: bool(sample.record_id)),
            ("sample.remove", sample.remove, sample.may_remove),
        )
        for command, handler, is_enabled in handlers:
            self._context.commands.bind(command, handler, owner=self._page, enabled=is_enabled)

    def _open_sample(self) -> None:
        self.record_requested.emit(self.sample.record_id)

    def may_start(self) -> bool:
        """Whether the user may create all objects that a record from a picture needs."""
        return all(map(self._context.may, _START_PERMISSIONS))

    def enter(self) -> None:
        """Update the page when it comes to the front, because another user may have logged in."""
        self.more_button.setVisible(self.may_start())
        self._had_sample = self.sample.exists
        self.bar.show_sample()

    def show_empty(self, stack: StateStack) -> None:
        """Show on the empty list what to do next, or who may create records."""
        if self.may_start():
            panel = FirstStepsPanel(self.sample)
            panel.picture_requested.connect(lambda: self.start_from_picture())
            panel.picture_dropped.connect(self.start_from_picture)
            panel.import_requested.connect(self.import_regions)
            panel.record_requested.connect(self.form_requested)
            stack.show_state(panel)
        elif self._context.may(Permission.INSPECTION_ADD):
            stack.show_empty(
                "list",
                self.tr(
                    "No records yet. Create the first one. Planners and administrators add tasks and "
                    "reference images in the catalogue."
                ),
                self.tr("New record…"),
                self.form_requested.emit,
            )
        else:
            stack.show_empty("list", self.tr("No records yet. Inspectors create them."))

    def start_from_picture(self, path: Path | None = None) -> None:
        """Open the dialog that creates a record from a picture; ask for a picture if `path` is None."""
        path = path or open_picture(self._page, self.tr("Choose reference image"), Purpose.REFERENCES)
        if path is not None:
            self._open_dialog(regions=False).set_picture(path)

    def import_regions(self) -> None:
        """Ask for a file of regions, and open the dialog that creates a record from it."""
        path = ask_region_file(self._page)
        if path is not None:
            self._open_dialog(regions=True).set_regions(path)

    def _open_dialog(self, regions: bool) -> StartDialog:
        dialog = StartDialog(self._context, regions, self._page)
        dialog.created.connect(self.record_requested)
        dialog.notice.connect(self.notice)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _show_menu(self) -> None:
        menu = self._context.commands.menu(_COMMANDS, self._page)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more_button.mapToGlobal(self.more_button.rect().bottomLeft()))

    def _on_sample_created(self, record_id: str) -> None:
        if self._page.isVisible():
            self.record_requested.emit(record_id)

    def _on_sample_changed(self) -> None:
        if self._had_sample != self.sample.exists:
            self._had_sample = self.sample.exists
            if self._page.isVisible():
                self.changed.emit()

    def _show_notice(self, text: str) -> None:
        if self._page.isVisible():
            self.notice.emit(text)
