"""Writes the status bar: file, item number, pointer and selected region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.record.edit_names import picture_status, selection_status
from desktop.record.open_record import OpenRecord


class StatusLine(QObject):
    """Updates the status bar whenever the view changes."""

    notice = Signal(str, str)
    """The texts at the left and at the right."""

    def __init__(
        self,
        open_record: OpenRecord,
        photos: PhotoPairController,
        comparing: CompareController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._photos, self._comparing = open_record, photos, comparing
        self._cursor: tuple[int, int] | None = None
        for view in comparing.views:
            view.cursor_moved.connect(self._on_cursor_moved)
            view.store.subscribe(lambda _: self.show())
        comparing.changed.connect(self.show)
        photos.photo_changed.connect(self.show)

    def _on_cursor_moved(self, place: tuple[int, int] | None) -> None:
        self._cursor = place
        self.show()

    def show(self) -> None:
        """Update the texts for the front picture."""
        open_record, view = self._open_record, self._comparing.front
        source, selected = view.source, view.store.selected_ids
        findings = view is not self._comparing.views[0]
        if findings:
            # What a px of the photo measures is not the same everywhere on it.
            name, scale = self._photos.name, None
            region = view.store.get(selected[-1]) if selected else None
        else:
            source = open_record.source
            # The source of a picture from the cache is named by the hash of its content.
            file = open_record.link.file
            name, scale = file.name if file is not None else "", open_record.mm_per_pixel
            region = view.store.get(open_record.current)
        size = source.size if source is not None else None
        self.notice.emit(
            picture_status(
                name, size, open_record.number, len(open_record.rows), view.tone, view.editor.is_snapping
            ),
            selection_status(self._cursor, region, scale, len(selected), findings=findings),
        )
