"""Shows which photo of the record the item uses, and which other items share it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import PhotoList
from desktop.record.photo_terms import names_of, other_items, photo_name
from desktop.widgets import Button, escape_tooltip


class SharedPhotoController(QObject):
    """Updates the line below the photo of the chosen item."""

    opened = Signal(str)
    """Emits the ID of a photo of the record to show."""

    def __init__(
        self, open_record: OpenRecord, photos: PhotoPairController, photo_list: PhotoList, line: Button
    ) -> None:
        super().__init__(line)
        self._open_record, self._photos, self._photo_list, self._line = open_record, photos, photo_list, line
        self._photo_id = ""
        self._mapping: list[list[float]] | None = None
        photos.pair_changed.connect(self.show)
        photos.removed.connect(photo_list.read)
        photo_list.changed.connect(self._on_changed)
        open_record.current_changed.connect(self.show)
        line.clicked.connect(lambda _checked=False: self.opened.emit(self._photo_id))
        self.show()

    def _on_changed(self) -> None:
        mapping = self._photo_list.mapping_of(self._photos.file_id)
        if mapping != self._mapping:
            self._photos.show()
        self.show()

    def show(self) -> None:
        """Update the line for the shown photo."""
        photo = self._photo_list.of_file(self._photos.file_id)
        self._photo_id = "" if photo is None else photo.photo_id
        self._mapping = self._photo_list.mapping_of(self._photos.file_id)
        self._line.setVisible(photo is not None and self._open_record.item is not None)
        if photo is None:
            return
        others = other_items(photo, self._open_record.edits.service_id(self._open_record.current))
        name = photo_name(photo)
        if others:
            text = self.tr("{photo} · shared with %n other item(s)", "", len(others)).format(photo=name)
            self._line.setToolTip(
                escape_tooltip(self.tr("Also used for {names}").format(names=names_of(others)))
            )
        else:
            text = self.tr("{photo} · this item only").format(photo=name)
            self._line.setToolTip("")
        self._line.setText(text)
