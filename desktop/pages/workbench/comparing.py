"""The reference and the photo of the chosen item on the canvas, and two versions of its result."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.canvas.alignment import AlignedPair
from desktop.canvas.compare import CompareView
from desktop.canvas.view import CanvasView
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.compare_versions import compare_versions
from desktop.pages.workbench.correcting import Correcting
from desktop.pages.workbench.photos import Photos
from desktop.pages.workbench.tool_strip import ToolStrip


class Comparing(QObject):
    """Puts the comparison in the place of the picture, and the picture back."""

    said = Signal(str)
    """Why there is nothing to compare."""

    def __init__(
        self,
        bench: Bench,
        photos: Photos,
        correcting: Correcting,
        strip: ToolStrip,
        centre: QStackedWidget,
        canvases: tuple[CanvasView, CompareView],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._bench, self._photos, self._correcting = bench, photos, correcting
        self._strip, self._centre, self._window = strip, centre, window
        self._view, self._compare = canvases
        self._awaited = False
        photos.pairChanged.connect(self._pair_changed)

    def show(self, on: bool) -> None:
        """Compare reference and photo of the chosen item on the canvas, or look at the picture again."""
        self._awaited = False
        on = on and self._photos.pair is not None
        self._strip.compare.setChecked(on)
        if self._bench.link.file is not None:
            self._centre.setCurrentWidget(self._compare if on else self._view)
            self._strip.raise_()
        if on:
            self._compare.fit()
            self._compare.setFocus()

    def show_when_there(self) -> None:
        """Compare as soon as the photo of the chosen item is there."""
        self.show(True)
        self._awaited = self._photos.pair is None

    def _pair_changed(self, pair: AlignedPair | None) -> None:
        if self._awaited and pair is not None:
            self.show(True)

    def toggle(self) -> None:
        """Compare on the canvas, or not; says so when the item has no photo."""
        if self._photos.pair is None:
            self.said.emit(self.tr("This item has no photo to compare yet."))
        self.show(self._centre.currentWidget() is not self._compare)

    def versions(self) -> None:
        """Look at two versions of the chosen item's result; says so when there are no two."""
        self._correcting.save()
        if compare_versions(self._bench, self._window) is None:
            self.said.emit(self.tr("This item has no two versions to compare."))
