"""The line at the bottom: the open file, which item of how many, the pointer and the chosen region."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.canvas.view import CanvasView
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.words import status_left, status_right


class StatusLine(QObject):
    """Says what is on view whenever it changes."""

    said = Signal(str, str)
    """The texts at the left and at the right."""

    def __init__(
        self,
        bench: Bench,
        canvases: tuple[CanvasView, CanvasView],
        front: Callable[[], CanvasView],
        parent: QObject,
    ) -> None:
        """`canvases` are that of the reference image and that of the photo, `front` is the one on view."""
        super().__init__(parent)
        self._bench, self._front = bench, front
        self._reference = canvases[0]
        self._cursor: tuple[int, int] | None = None
        for view in canvases:
            view.cursorMoved.connect(self._cursor_moved)
            view.store.subscribe(lambda _: self.show())

    def _cursor_moved(self, place: tuple[int, int] | None) -> None:
        self._cursor = place
        self.show()

    def show(self) -> None:
        """Say it anew."""
        bench, view = self._bench, self._front()
        selected = view.store.selected
        if view is self._reference:
            source, region, scale = bench.source, view.store.get(bench.current), bench.mm_per_pixel
        else:
            # What a px of the photo measures is not the same everywhere on it.
            source, region, scale = view.source, view.store.get(selected[-1]) if selected else None, None
        size = source.size if source is not None else None
        name = source.name if source is not None else ""
        self.said.emit(
            status_left(name, size, bench.number, len(bench.rows), view.tone, view.editor.snapping),
            status_right(self._cursor, region, scale, len(selected)),
        )
