"""The line at the bottom: the open file, which item of how many, the pointer and the chosen region."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.canvas.view import CanvasView
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.words import status_left, status_right


class StatusLine(QObject):
    """Says what is on view whenever it changes."""

    said = Signal(str, str)
    """The texts at the left and at the right."""

    def __init__(self, bench: Bench, view: CanvasView, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._view = bench, view
        self._cursor: tuple[int, int] | None = None
        view.cursorMoved.connect(self._cursor_moved)
        view.store.subscribe(lambda _: self.show())

    def _cursor_moved(self, place: tuple[int, int] | None) -> None:
        self._cursor = place
        self.show()

    def show(self) -> None:
        """Say it anew."""
        bench = self._bench
        region = self._view.store.get(bench.current)
        size = bench.source.size if bench.source is not None else None
        name = bench.source.name if bench.source is not None else ""
        self.said.emit(
            status_left(
                name, size, bench.number, len(bench.rows), self._view.tone, self._view.editor.snapping
            ),
            status_right(
                self._cursor,
                region,
                bench.mm_per_pixel,
                len(self._view.store.selected),
            ),
        )
