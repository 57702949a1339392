"""Coordinates the first steps on the page of the records: bar, panel, dialogs, commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.context import Context
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.pages.first_steps.panel import FirstStepsPanel
from desktop.pages.first_steps.sample_bar import SampleBar, SampleController
from desktop.pages.first_steps.start_dialog import StartDialog, ask_region_file
from desktop.widgets import IconButton, StateStack
from shared.codes import Permission

_START = (
    Permission.INSPECTION_ADD,
    Permission.INSPECTION_ITEM_ADD,
    Permission.CATALOGUE_MANAGE,
    Permission.FILE_ADD,
)
_COMMANDS = ("record.from_picture", "record.import", "", "sample.create", "sample.open", "sample.remove")


class FirstStepsController(QObject):
    """Offers the ways to create a record besides the form, and the sample."""

    record_wanted = Signal(str)
    """The record with this id is to be opened."""
    form_wanted = Signal()
    """The person wants a record by the form."""
    changed = Signal()
    """The list of records changed: the sample was created or deleted."""
    notice = Signal(str)
    """Something to tell the person."""

    def __init__(self, context: Context, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page
        self.sample = SampleController.for_context(context)
        self.bar = SampleBar(self.sample)
        self.more = IconButton("more", self.tr("More ways to begin"))
        self.more.clicked.connect(lambda _checked=False: self._menu())
        self.bar.open_wanted.connect(self.record_wanted)
        self.sample.created.connect(self._on_sample_made)
        self.sample.changed.connect(self._on_sample_changed)
        self.sample.notice.connect(self._say)
        self._exists = self.sample.exists
        self._bind()

    def _bind(self) -> None:
        sample = self.sample
        handlers: tuple[tuple[str, Callable[[], object], Callable[[], bool]], ...] = (
            ("record.from_picture", self.start_from_picture, self.may_start),
            ("record.import", self.import_regions, self.may_start),
            ("sample.create", sample.create, sample.may_create),
            ("sample.open", self._open_sample, lambda: bool(sample.record_id)),
            ("sample.remove", sample.remove, sample.may_remove),
        )
        for command, handler, enabled in handlers:
            self._context.commands.bind(command, handler, owner=self._page, enabled=enabled)

    def _open_sample(self) -> None:
        self.record_wanted.emit(self.sample.record_id)

    def may_start(self) -> bool:
        """True when the person may make everything that a record from a picture needs."""
        return all(map(self._context.may, _START))

    def enter(self) -> None:
        """Update the page when it comes to the front; another user may be logged in now."""
        self.more.setVisible(self.may_start())
        self._exists = self.sample.exists
        self.bar.show_sample()

    def show_empty(self, stack: StateStack) -> None:
        """Say on the empty list what to do next, or who can."""
        if self.may_start():
            panel = FirstStepsPanel(self.sample)
            panel.picture_wanted.connect(lambda: self.start_from_picture())
            panel.picture_dropped.connect(self.start_from_picture)
            panel.import_wanted.connect(self.import_regions)
            panel.record_wanted.connect(self.form_wanted)
            stack.show_state(panel)
        elif self._context.may(Permission.INSPECTION_ADD):
            stack.show_empty(
                "list",
                self.tr(
                    "No records yet. Create the first one. Planners and administrators add tasks and "
                    "reference images in the catalogue."
                ),
                self.tr("New record"),
                self.form_wanted.emit,
            )
        else:
            stack.show_empty("list", self.tr("No records yet. Inspectors create them."))

    def start_from_picture(self, path: Path | None = None) -> None:
        """Ask for a picture, unless it is known, and for what goes with it; make a record."""
        path = path or open_picture(self._page, self.tr("Choose reference image"), Purpose.REFERENCES)
        if path is not None:
            self._open_dialog(regions=False).take_picture(path)

    def import_regions(self) -> None:
        """Ask for a file of regions and for its picture; make a record."""
        path = ask_region_file(self._page)
        if path is not None:
            self._open_dialog(regions=True).take_regions(path)

    def _open_dialog(self, regions: bool) -> StartDialog:
        dialog = StartDialog(self._context, regions, self._page)
        dialog.created.connect(self.record_wanted)
        dialog.notice.connect(self.notice)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _menu(self) -> None:
        menu = self._context.commands.menu(_COMMANDS, self._page)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _on_sample_made(self, record_id: str) -> None:
        if self._page.isVisible():
            self.record_wanted.emit(record_id)

    def _on_sample_changed(self) -> None:
        if self._exists != self.sample.exists:
            self._exists = self.sample.exists
            if self._page.isVisible():
                self.changed.emit()

    def _say(self, text: str) -> None:
        if self._page.isVisible():
            self.notice.emit(text)
