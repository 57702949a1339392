"""Shows reference image and photo alone or beside each other, and aligns a photo by three points."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.alignment import AlignedPair, homography_from_points
from desktop.canvas.views.canvas_view import CanvasView
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.canvas.views.pair_tools import PairTool, Place, ThreePointTool, map_point
from desktop.imaging.decoding.pixels import Tone
from desktop.pages.workbench.bars import CompareBar, ToolStrip
from desktop.pages.workbench.canvas.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.record.open_record import OpenRecord


class CompareController(QObject):
    """Switches the canvas between picture and comparison."""

    notice = Signal(str)
    """Why there is nothing to compare."""
    changed = Signal()
    """Another view is shown in the place of the canvas."""

    def __init__(
        self,
        open_record: OpenRecord,
        photos: PhotoPairController,
        box: PhotoBox,
        strip: ToolStrip,
        centre: QStackedWidget,
        canvases: tuple[CanvasView, CanvasView, CompareView],
        parent: QObject,
    ) -> None:
        """`box` shows the same pair, in the same mode."""
        super().__init__(parent)
        self._open_record, self._photos = open_record, photos
        self._strip, self._centre = strip, centre
        reference, photo, self.compare = canvases
        self.views = (reference, photo)
        """The canvases of the reference image and the photo."""
        self.front = reference
        """The canvas that is shown while nothing is compared: that of the reference image or of the photo."""
        self._awaited_item = False
        self._panes = (self.compare, box.pane)
        self.bar = CompareBar(self.compare, open_record.context.commands)
        self.compare.set_covered(self.bar.covered)
        photos.pair_changed.connect(self._on_pair_changed)
        strip.compare_wanted.connect(self.show)
        box.pane.mode_changed.connect(self.compare.set_mode)
        self.compare.mode_changed.connect(box.set_mode)

    @property
    def canvas(self) -> CanvasView | CompareView:
        """The view in the place of the canvas."""
        return self.compare if self.is_on else self.front

    @property
    def is_on(self) -> bool:
        """True while reference and photo are compared."""
        return self._centre.currentWidget() is self.compare

    def use_tool(self, tool: Tool) -> None:
        """Activate a tool, and show the picture that it works on."""
        self.picture()
        self.front.set_tool(tool)

    def picture(self, *, focus: bool = True) -> None:
        """Show the picture again, if it was compared."""
        if self.is_on:
            self.show(False)
            if focus:
                self.front.setFocus()

    def put_in_front(self, canvas: CanvasView, *, focus: bool = True) -> None:
        """Show this canvas in front, and cancel an unfinished action on the other one."""
        if self.front.editor.busy:
            self.front.cancel()
        self.front.set_tool(Tool.SELECT)
        self.front = canvas
        had_focus = self._has_focus
        self.show(False)
        if focus or had_focus:
            canvas.setFocus()

    def keep_front(self) -> None:
        """Show the front canvas again, if the other one is shown."""
        if self._centre.currentWidget() in self.views:
            self._centre.setCurrentWidget(self.front)

    def compare_by(self, mode: CompareMode) -> None:
        """Compare in this mode on the canvas. A notice is shown if that is not possible."""
        pair = self._photos.pair
        if pair is not None and not pair.aligned and mode is not CompareMode.SIDE_BY_SIDE:
            self.notice.emit(
                self.tr("The photo is not aligned. Run detection or align it with three points.")
            )
            return
        self.compare.set_mode(mode)
        if not self.is_on:
            self.toggle()

    def set_tone(self, tone: Tone) -> None:
        """Show the picture, the reference and the photo in this tone."""
        for view in self.views:
            view.set_tone(tone)
        for pane in self._panes:
            pane.set_tone(tone)

    def show_labels(self, on: bool) -> None:
        """Show or hide numbers and names in all views."""
        for view in self.views:
            view.show_labels(on)
        for pane in self._panes:
            pane.show_labels(on)

    def show_regions(self, on: bool) -> None:
        """Paint regions and findings on both canvases, or only the pictures."""
        for view in self.views:
            view.show_regions(on)

    def show_minimap(self, on: bool) -> None:
        """Let the minimap appear on both canvases, or never."""
        for view in self.views:
            view.show_minimap(on)

    def keep_tool(self, on: bool) -> None:
        """Let the tool for drawing stay until Esc on both canvases, or end with what it drew."""
        for view in self.views:
            view.keeps_tool = on

    def snap(self, on: bool) -> None:
        """Turn snapping on both canvases on or off."""
        for view in self.views:
            view.editor.is_snapping = on

    @property
    def _has_focus(self) -> bool:
        """Whether the view in the place of the canvas has the focus, which it loses when it is hidden."""
        return any(view.hasFocus() for view in (*self.views, self.compare))

    def show(self, on: bool, *, focus: bool = True) -> None:
        """Compare reference and photo of the chosen item on the canvas, or show the picture again."""
        focus = focus or self._has_focus
        self._awaited_item = False
        on = on and self._photos.pair is not None
        self._strip.compare.setChecked(on)
        # The tools work on the picture: none is active while it is hidden.
        self._strip.show_tool(None if on else self.front.editor.tool)
        if self._open_record.link.file is not None:
            self._centre.setCurrentWidget(self.compare if on else self.front)
        if on:
            self.compare.fit()
            if focus:
                self.compare.setFocus()
        self.changed.emit()

    def show_when_loaded(self) -> None:
        """Compare as soon as the photo of the chosen item is loaded."""
        self.show(True)
        self._awaited_item = self._photos.pair is None

    def _on_pair_changed(self, pair: AlignedPair | None) -> None:
        self.compare.set_pair(pair)
        self.bar.show_pair(pair)
        if self._awaited_item and pair is not None:
            self.show(True)

    def toggle(self) -> None:
        """Start or stop comparing on the canvas. A notice is shown if the item has no photo."""
        if self.is_on or self._photos.pair is not None:
            self.show(not self.is_on)
        elif self._photos.ref is not None:
            self.show_when_loaded()
        else:
            self.notice.emit(self.tr("This item has no photo to compare yet."))


class AlignmentController(QObject):
    """Lets the user align the shown photo by three points in the large compare view."""

    started = Signal()
    """The large compare view is wanted."""
    aligned = Signal(str, object)
    """An alignment was saved: the file id of the photo and the mapping, or None where it was removed."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(
        self,
        photos: PhotoPairController,
        settings: DetectionSettingsController,
        box: PhotoBox,
        view: CompareView,
        owner: QObject,
    ) -> None:
        super().__init__(owner)
        self._photos, self._settings, self._view = photos, settings, view
        self.points: ThreePointTool | None = None
        """The points that were set; None while the user is not aligning."""
        self._before: PairTool | None = None
        box.align_wanted.connect(self.start)
        box.forget_wanted.connect(self._forget_alignment)
        self._pair: AlignedPair | None = None
        self._awaited_file = ""
        photos.pair_changed.connect(self._on_pair_changed)

    def start(self) -> None:
        """Let the user set points."""
        self.cancel()
        if self._photos.pair is None or self._photos.pair.to_reference is None:
            self.notice.emit(self.tr("This item has no photo to align yet."))
            return
        self._pair = self._photos.pair
        self.points = ThreePointTool(self._on_points_set, self._hint_text)
        self._before = self._view.tool
        self._view.set_mode(CompareMode.SIDE_BY_SIDE)
        self._view.set_tool(self.points)
        self.started.emit()

    def start_when_loaded(self, file_id: str) -> None:
        """Let the user set points as soon as the photo with this file is shown."""
        self._awaited_file = file_id
        self._start_awaited()

    def _start_awaited(self) -> None:
        photos = self._photos
        if self._awaited_file and photos.pair is not None and photos.file_id == self._awaited_file:
            self._awaited_file = ""
            self.start()

    def save(self, file_id: str, homography: list[list[float]] | None) -> bool:
        """Save the alignment of a photo for detection, as `DetectionSettingsController.align` does."""
        is_saved = self._settings.align(file_id, homography)
        if is_saved:
            self.aligned.emit(file_id, homography)
        return is_saved

    def cancel(self) -> bool:
        """Stop aligning. Returns False when the user was not aligning."""
        if self.points is None:
            return False
        self.points = None
        self._view.set_tool(self._before)
        return True

    def _on_pair_changed(self, pair: AlignedPair | None) -> None:
        # The points stay when the same pictures are paired again in the same way.
        if self._pair is None or pair is None or not _is_same_pair(self._pair, pair):
            self.cancel()
        self._start_awaited()

    def undo(self) -> bool:
        """Remove the last point. Returns False when the user is not aligning."""
        if self.points is None:
            return False
        self.points.undo()
        self._view.update()
        return True

    def _hint_text(self, number: int, in_photo: bool) -> str:
        if in_photo:
            return self.tr("Click the same point {n} of 3 on the photo").format(n=number)
        return self.tr("Click point {n} of 3 on the reference image").format(n=number)

    def _on_points_set(self, reference: list[Place], photo: list[Place]) -> None:
        pair, points = self._photos.pair, self.points
        if pair is None or pair.to_reference is None or points is None:
            return
        to_photo = np.linalg.inv(pair.mapping).astype(np.float64)
        try:
            matrix = homography_from_points(
                [map_point(pair.to_reference, *place) for place in reference],
                [map_point(to_photo, *place) for place in photo],
            )
        except ValueError:
            points.undo()
            self.notice.emit(self.tr("The three points are on one line. Click a third point off that line."))
            return
        self.cancel()
        if self.save(self._photos.file_id, matrix.tolist()):
            self.notice.emit(
                self.tr("Aligned with three points. Detection now uses this alignment for this photo.")
            )
        else:
            self._photos.align_by_hand(matrix.tolist())
            self.notice.emit(self.tr("Aligned with three points."))

    def _forget_alignment(self) -> None:
        self._photos.align_by_hand(None)
        self.save(self._photos.file_id, None)


def _is_same_pair(first: AlignedPair, second: AlignedPair) -> bool:
    if first.to_reference is None or second.to_reference is None or first.photo_size != second.photo_size:
        return False
    return np.allclose(first.mapping, second.mapping) and np.allclose(first.to_reference, second.to_reference)
