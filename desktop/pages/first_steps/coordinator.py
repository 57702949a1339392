"""Coordinates the first steps on the records page: bar, panel, dialogs, commands."""

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
from shared.record.codes import Permission

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
