"""The reference and the photo of the chosen item on the canvas, and two versions of its result."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.canvas.alignment import AlignedPair
from desktop.canvas.compare import CompareView
from desktop.canvas.pair_drawing import CompareMode
from desktop.canvas.tools import Tool
from desktop.canvas.view import CanvasView
from desktop.imaging.tone import Tone
from desktop.pages.workbench.aligning import Aligning
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.compare_bar import CompareBar
from desktop.pages.workbench.compare_versions import compare_versions
from desktop.pages.workbench.correcting import Correcting
from desktop.pages.workbench.photo_box import PhotoBox
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
        self._panes: tuple[CompareView, ...] = (self._compare,)
        self.bar = CompareBar(self._compare, bench.context.commands)
        photos.pairChanged.connect(self._pair_changed)
        strip.compareWanted.connect(self.show)
        strip.picked.connect(self.take)

    def follow(self, box: PhotoBox, aligning: Aligning) -> None:
        """Compare in the same way as in the inspector, and whatever it or the aligning by hand asks for."""
        self._panes = (self._compare, box.pane)
        box.pane.modeChanged.connect(self._compare.set_mode)
        self._compare.modeChanged.connect(box.set_mode)
        box.compareVersionsWanted.connect(self.versions)
        aligning.started.connect(lambda: self.show(True))

    @property
    def canvas(self) -> CanvasView | CompareView:
        """What is on view in the place of the canvas."""
        return self._compare if self._centre.currentWidget() is self._compare else self._view

    def take(self, tool: Tool) -> None:
        """Take a tool of the canvas; they work on the picture, which comes back to view."""
        self.picture()
        self._view.set_tool(tool)

    def picture(self) -> None:
        """Look at the picture again, if it was compared."""
        if self.canvas is self._compare:
            self.show(False)
            self._view.setFocus()

    def by(self, mode: CompareMode) -> None:
        """Compare in this way on the canvas; says so where that cannot be."""
        pair = self._photos.pair
        if pair is not None and not pair.aligned and mode is not CompareMode.SIDE_BY_SIDE:
            self.said.emit(self.tr("The photo is not aligned. Run detection, or align it by three points."))
            return
        self._compare.set_mode(mode)
        if self.canvas is not self._compare:
            self.toggle()

    def set_tone(self, tone: Tone) -> None:
        """Show the picture, the reference and the photo in this tone."""
        self._view.set_tone(tone)
        for pane in self._panes:
            pane.set_tone(tone)

    def show_labels(self, on: bool) -> None:
        """Paint numbers and names wherever there are regions or findings, or none of them."""
        self._view.show_labels(on)
        for pane in self._panes:
            pane.show_labels(on)

    def show(self, on: bool) -> None:
        """Compare reference and photo of the chosen item on the canvas, or look at the picture again."""
        self._awaited = False
        on = on and self._photos.pair is not None
        self._strip.compare.setChecked(on)
        # The tools work on the picture: none is in hand while it is not on view.
        self._strip.show_tool(None if on else self._view.editor.tool)
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
        self._compare.set_pair(pair)
        self.bar.show_pair(pair)
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
