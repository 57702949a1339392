"""Writes the status bar: file, item number, pointer and selected region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.comparing import Comparing
from desktop.pages.workbench.photos import Photos
from desktop.pages.workbench.words import status_left, status_right


class StatusLine(QObject):
    """Updates the status bar whenever the view changes."""

    said = Signal(str, str)
    """The texts at the left and at the right."""

    def __init__(self, bench: Bench, photos: Photos, comparing: Comparing, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._photos, self._comparing = bench, photos, comparing
        self._cursor: tuple[int, int] | None = None
        for view in comparing.views:
            view.cursorMoved.connect(self._cursor_moved)
            view.store.subscribe(lambda _: self.show())
        comparing.changed.connect(self.show)
        photos.photoChanged.connect(self.show)

    def _cursor_moved(self, place: tuple[int, int] | None) -> None:
        self._cursor = place
        self.show()

    def show(self) -> None:
        """Say it again, of the picture in front."""
        bench, view = self._bench, self._comparing.front
        source, selected = view.source, view.store.selected
        findings = view is not self._comparing.views[0]
        if findings:
            # What a px of the photo measures is not the same everywhere on it.
            name, scale = self._photos.name, None
            region = view.store.get(selected[-1]) if selected else None
        else:
            source = bench.source
            name, scale = source.name if source is not None else "", bench.mm_per_pixel
            region = view.store.get(bench.current)
        size = source.size if source is not None else None
        self.said.emit(
            status_left(name, size, bench.number, len(bench.rows), view.tone, view.editor.snapping),
            status_right(self._cursor, region, scale, len(selected), findings=findings),
        )
