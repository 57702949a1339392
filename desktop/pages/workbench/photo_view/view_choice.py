"""Chooses what fills the canvas: the reference image, the photo of the chosen item, or both side by side."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.canvas.tools.tool_machine import Tool
from desktop.pages.workbench.comparing.aligning import AlignmentController
from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.photo_view.photo_view import PhotoView
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.preferences import ReviewView
from desktop.record.open_record import OpenRecord
from shared.record import results


class ViewChoice(QObject):
    """Shows what a detection found as soon as it ends or its item is chosen.

    What the user last reviewed in, the photo alone or both pictures, is remembered. A view that the user
    switches to is kept for the following items until a detection ends. An item without a photo shows the
    reference image. The view never changes while the user draws, and the focus stays where it is.
    """

    def __init__(
        self,
        open_record: OpenRecord,
        photos: PhotoPairController,
        comparing: CompareController,
        photo_view: PhotoView,
        aligning: AlignmentController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._photos, self._comparing = open_record, photos, comparing
        self._photo_view, self._aligning = photo_view, aligning
        self._preferences = open_record.context.preferences
        self._wanted: ReviewView | None = None
        """The view that the user switched to; None while detections decide."""
        self._following = False
        self._last_view = ReviewView.REFERENCE
        self._detected = ("", 0)
        """The chosen item, and the version of its newest detection."""
        comparing.changed.connect(self._on_changed)
        photos.photo_changed.connect(self._follow)
        photos.pair_changed.connect(lambda _pair: self._follow())
        open_record.results_changed.connect(self._on_results_changed)
        open_record.current_changed.connect(self._on_results_changed)

    def reset(self) -> None:
        """Let detections decide again, for another record."""
        self._wanted, self._last_view, self._detected = None, self._view, ("", 0)

    @property
    def _view(self) -> ReviewView:
        if self._comparing.is_on:
            return ReviewView.BOTH
        return ReviewView.PHOTO if self._photo_view.is_on else ReviewView.REFERENCE

    def _best_view(self) -> ReviewView:
        if self._photos.ref is None:
            return ReviewView.REFERENCE
        if self._wanted is not None:
            return self._wanted
        return self._preferences.values.review_view if self._photos.of_item else ReviewView.REFERENCE

    def _on_changed(self) -> None:
        """Keep the view that the user switched to."""
        view = self._view
        if self._following or view is self._last_view or not self._open_record.current:
            return
        self._wanted = self._last_view = view
        if view is not ReviewView.REFERENCE and self._photos.of_item:
            self._preferences.change(review_view=view)

    def _on_results_changed(self) -> None:
        item = self._open_record.item
        detection = None if item is None else results.newest_model_entry(item.result)
        version = 0 if detection is None else results.entry_version(detection)
        before, self._detected = self._detected, (self._open_record.current, version)
        if before[0] == self._open_record.current and version > before[1]:
            self._wanted = None
            self._follow()

    def _follow(self) -> None:
        if self._following or self._is_busy or self._open_record.link.file is None:
            return
        self._following = True
        try:
            self._show(self._best_view())
        finally:
            self._following, self._last_view = False, self._view

    @property
    def _is_busy(self) -> bool:
        editor = self._comparing.front.editor
        return editor.busy or editor.tool not in (Tool.SELECT, Tool.PAN) or self._aligning.points is not None

    def _show(self, view: ReviewView) -> None:
        if view is self._view:
            return
        if view is not ReviewView.BOTH:
            self._photo_view.show(view is ReviewView.PHOTO, on_item=True)
        elif self._photos.pair is not None:
            self._comparing.show(True, focus=False)
