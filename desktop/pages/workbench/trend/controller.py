# ruff: noqa: N815 - Qt signals
"""Opens the trend of the chosen item's region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.pages.workbench.open_record.open_record import OpenRecord
from desktop.pages.workbench.trend.contents import Place
from desktop.pages.workbench.trend.window import TrendDialog


class TrendController(QObject):
    """Opens the window for the item that is chosen at the workbench."""

    openWanted = Signal(str, str)
    """The ids of a record and of its item whose photo the person wants to compare."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window

    def show(self) -> TrendDialog | None:
        """Open the window; None when no item is chosen."""
        open_record = self._open_record
        item = open_record.item
        if item is None:
            return None
        file, source = open_record.link.file, open_record.source
        region = None
        if source is not None and open_record.link.shows(item):
            region = item.region(*source.size)
        place = None
        if file is not None and source is not None and region is not None and not region.empty:
            place = Place.of(file, source.size, region)
        dialog = TrendDialog(
            open_record.context.session,
            open_record.edits.service_id(item.item_id),
            item.item_name,
            place,
            open_record.mm_per_pixel,
            self._window,
        )
        dialog.openWanted.connect(self.openWanted)
        dialog.open()
        return dialog
