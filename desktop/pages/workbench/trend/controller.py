"""Opens the trend of the chosen item's region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.pages.workbench.trend.contents import Place
from desktop.pages.workbench.trend.window import TrendDialog
from desktop.record.open_record import OpenRecord


def place_of(open_record: OpenRecord) -> Place | None:
    """The place of the chosen item's region; None if there is none or its image is not loaded."""
    item, file, source = open_record.item, open_record.link.file, open_record.source
    if item is None or file is None or source is None or not open_record.link.shows(item):
        return None
    region = item.region(*source.size)
    return None if region is None or region.is_empty else Place.of(file, source.size, region)


class TrendController(QObject):
    """Opens the window for the chosen item of the workbench."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window

    def show(self) -> TrendDialog | None:
        """Open the window. Returns None when no item is chosen."""
        open_record = self._open_record
        item = open_record.item
        if item is None:
            return None
        place = place_of(open_record)
        dialog = TrendDialog(
            open_record.context.session,
            open_record.edits.service_id(item.item_id),
            item.item_name,
            place,
            open_record.mm_per_pixel,
            self._window,
        )
        dialog.open_wanted.connect(self.open_wanted)
        dialog.open()
        return dialog
