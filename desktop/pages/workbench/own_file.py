"""Warns that the selected item is marked on another picture, and offers to move it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.document import ItemView
from desktop.pages.workbench.reference_file import of_item, same_file
from desktop.pages.workbench.words import Change
from desktop.widgets import Banner


class OwnFile(Banner):
    """Follows the bench. Detection compares with the picture that an item names: the person has to see it."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("own-file")
        self._bench = bench
        bench.changed.connect(self.show_item)
        bench.currentChanged.connect(self.show_item)
        self.acted.connect(self.move_to_reference)

    def show_item(self) -> None:
        """Say it of the chosen item; nothing when its picture is the record's reference image."""
        bench, home = self._bench, self._bench.link.home
        file = bench.link.file
        if bench.item is None or file is None or same_file(file, home):
            self.hide()
        elif home is None or not bench.editable:
            text = self.tr("This item uses a different image: {name}.")
            self.say(text.format(name=file.name), closable=False)
        else:
            others = self._elsewhere()
            text = self.tr(
                "%n item(s) are not on the record's reference image. This item is on {name}.", "", others
            )
            self.say(text.format(name=file.name), "warn", self.tr("Move to reference image"), closable=False)

    def move_to_reference(self) -> None:
        """Mark every item on the record's reference image, at the same place; one step of undo."""
        bench, home = self._bench, self._bench.link.home
        if bench.document is None or home is None or not bench.editable:
            return
        edits = []
        for item in bench.document.items:
            if self._is_elsewhere(item):
                point = {**(item.item_point or {}), "fileInfo": dict(home.info)}
                edits.append(bench.document.change(item.item_id, Change.MARK, {"item_point": point}))
        done = [edit for edit in edits if edit is not None]
        if done:
            bench.edits.do(*done)

    def _elsewhere(self) -> int:
        document = self._bench.document
        return sum(self._is_elsewhere(item) for item in document.items) if document is not None else 0

    def _is_elsewhere(self, item: ItemView) -> bool:
        home = self._bench.link.home
        return not same_file(of_item(item, home), home)
