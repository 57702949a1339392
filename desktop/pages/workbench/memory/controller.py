"""Opens the memory of the chosen item's region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.imaging.sources.cut import map_rect
from desktop.pages.workbench.memory.contents import ExplainedDifference
from desktop.pages.workbench.memory.window import MemoryDialog
from desktop.pages.workbench.trend.controller import place_of
from desktop.record.item_rows import to_reference
from desktop.record.open_record import OpenRecord
from shared.record.suppression import SuppressedFinding


class MemoryController(QObject):
    """Opens the window for the chosen item of the workbench."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._dialog: MemoryDialog | None = None

    def show(self, difference: SuppressedFinding | None = None) -> MemoryDialog | None:
        """Open the window at the photos that explain a difference, or at the newest photo.

        Returns None when no item is chosen.
        """
        open_record = self._open_record
        item = open_record.item
        if item is None:
            return None
        back = to_reference(open_record.entry)
        marked = None
        if difference is not None:
            where = None if back is None else map_rect(difference.box, back)
            marked = ExplainedDifference(difference.label, difference.photos, where)
        dialog = MemoryDialog(
            open_record.context.session,
            open_record.edits.service_id(item.item_id),
            item.item_name,
            item.model_id,
            place_of(open_record),
            marked,
            self._window,
        )
        dialog.open_wanted.connect(self.open_wanted)
        dialog.finished.connect(self._on_closed)
        self._dialog = dialog
        dialog.open()
        return dialog

    def follow(self, file_id: str) -> None:
        """Read the memory again after a change on the reference image of this file; an empty id stands for
        any file."""
        if self._dialog is not None:
            self._dialog.follow(file_id)

    def _on_closed(self) -> None:
        self._dialog = None
