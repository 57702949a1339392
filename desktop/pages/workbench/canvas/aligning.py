"""Aligns a photo by hand: three corresponding points in reference image and photo."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from desktop.canvas.views.alignment import AlignedPair, homography_from_points
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.canvas.views.pair_tools import PairTool, Place, ThreePointTool, map_point
from desktop.pages.workbench.canvas.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.photos.photo_pair import PhotoPairController


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
