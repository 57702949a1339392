"""Warns that the selected item is marked on another picture, and offers to move it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop.record.document import ItemView
from desktop.record.edit_names import EditName
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import item_file, same_file
from desktop.widgets import Banner


class OtherFileBanner(Banner):
    """Follows the chosen item. Detection compares with the image that an item names."""

    def __init__(self, open_record: OpenRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("own-file")
        self._open_record = open_record
        open_record.record_changed.connect(self.show_item)
        open_record.regions_changed.connect(self.show_item)
        open_record.current_changed.connect(self.show_item)
        self.action_chosen.connect(self.move_to_reference)

    def show_item(self) -> None:
        """Show the banner for the chosen item.

        It is hidden if the region is on the record's reference image.
        """
        open_record, home = self._open_record, self._open_record.link.record_file
        file = open_record.link.file
        if open_record.item is None or file is None or same_file(file, home):
            self.hide()
        elif home is None or not open_record.editable:
            text = self.tr("This item uses a different image: {name}.")
            self.show_message(text.format(name=file.name), closable=False)
        else:
            others = self._elsewhere()
            text = self.tr(
                "%n item(s) are not on the record's reference image. This item is on {name}.", "", others
            )
            self.show_message(
                text.format(name=file.name), "warn", self.tr("Move to reference image"), closable=False
            )

    def move_to_reference(self) -> None:
        """Move the regions of all items to the same place of the record's reference image, as one step."""
        open_record, home = self._open_record, self._open_record.link.record_file
        if open_record.document is None or home is None or not open_record.editable:
            return
        edits = []
        for item in open_record.document.items:
            if self._is_elsewhere(item):
                point = {**(item.item_point or {}), "fileInfo": dict(home.info)}
                edits.append(open_record.document.change(item.item_id, EditName.MARK, {"item_point": point}))
        done = [edit for edit in edits if edit is not None]
        if done:
            open_record.edits.do(*done)

    def _elsewhere(self) -> int:
        document = self._open_record.document
        return sum(self._is_elsewhere(item) for item in document.items) if document is not None else 0

    def _is_elsewhere(self, item: ItemView) -> bool:
        home = self._open_record.link.record_file
        return not same_file(item_file(item, home), home)
