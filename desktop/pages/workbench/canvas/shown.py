"""Keeps in step what is shown: which picture, the findings on all of them, the status line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.tools.tool_machine import Tool
from desktop.pages.workbench.canvas.comparing import AlignmentController, CompareController
from desktop.pages.workbench.canvas.photo_view import PhotoView
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.explained import explained_boxes
from desktop.pages.workbench.results.findings import finding_boxes
from desktop.pages.workbench.results.inspector import Inspector
from desktop.preferences import ReviewView
from desktop.record.edit_names import picture_status, selection_status
from desktop.record.item_rows import to_reference
from desktop.record.open_record import OpenRecord
from shared.record import results
from shared.record.suppression import SuppressedFinding


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
        photos.photo_changed.connect(self._show_best_view)
        photos.pair_changed.connect(lambda _pair: self._show_best_view())
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
            self._show_best_view()

    def _show_best_view(self) -> None:
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


class ShownFindings(QObject):
    """Shows the findings on the reference image, on the photo and on the compared pairs."""

    def __init__(
        self,
        open_record: OpenRecord,
        inspector: Inspector,
        photos: PhotoPairController,
        comparing: CompareController,
        correcting: CorrectionController,
        photo_view: PhotoView,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._inspector, self._photos = open_record, inspector, photos
        self._comparing, self._correcting, self._photo_view = comparing, correcting, photo_view
        self._boxes: Sequence[FindingBox] = ()
        inspector.findings.threshold_changed.connect(lambda _: self.show())
        inspector.findings.chosen.connect(self.choose)
        inspector.explained.unfolded.connect(lambda _: self.show())
        inspector.explained.report_wanted.connect(self._report)
        photo_view.editing.report_wanted.connect(self._report)
        photos.pair_changed.connect(lambda _: self.show())
        # A pair that was aligned before its detection does not change by it.
        photos.photo_changed.connect(self._read_heat)
        photos.photo_changed.connect(self._show_compared)
        correcting.changed.connect(self._on_correction_changed)
        comparing.changed.connect(self._show_heat)
        heat, commands = inspector.findings.heat, open_record.context.commands
        about = self.tr("Colours places that look unusual beside the passed photos, from yellow to red.")
        heat.setToolTip(f"{about}\n{commands.tooltip('view.heat')}")
        heat.clicked.connect(lambda _checked=False: commands.run("view.heat"))

    def show(self) -> None:
        """Show them as they are listed."""
        findings = self._inspector.findings
        shown = findings.shown_findings if self._open_record.item is not None else ()
        explained = self._inspector.explained
        explained.set_editable(self._correcting.can_correct)
        explained_findings = explained.shown_findings if self._open_record.item is not None else ()
        boxes = [*finding_boxes(shown, findings.list.current), *explained_boxes(explained_findings)]
        self._photos.show_boxes(boxes)
        self._boxes = boxes
        self._show_compared()
        back = to_reference(self._open_record.entry)
        # Without an alignment the place of a finding on the reference image is not known.
        self._comparing.views[0].set_findings(boxes if back is not None else (), back)
        self._photo_view.show_findings()
        self._photo_view.show_explained(explained_findings)
        self._read_heat()
        self._correcting.show(self._photos.finding_pair)

    def _show_compared(self) -> None:
        """Show the findings in the compared pair, unless it has another photo than theirs."""
        self._comparing.compare.set_findings(self._boxes if self._photos.of_item else ())

    def toggle_heat(self) -> None:
        """Show the heat on the photo, or hide it."""
        self._photo_view.toggle_heat()
        self._show_heat()

    def _read_heat(self) -> None:
        self._photo_view.show_heat(results.entry_appearance(self._open_record.entry))
        self._show_heat()

    def _show_heat(self) -> None:
        view, heat = self._photo_view, self._photo_view.canvas.heat
        self._inspector.findings.show_heat(heat.has_heat, heat.is_shown and view.is_on)

    def choose(self, place: int) -> None:
        """Mark the finding at this index of the list; -1 marks none."""
        self._inspector.findings.choose(place)
        self.show()

    def step(self, way: int) -> bool:
        """Mark the next finding of the item, wrapping around. Returns whether it has one."""
        count = len(self._inspector.findings.shown_findings)
        if count:
            self.choose((self._inspector.findings.list.current + way) % count)
        return bool(count)

    def _report(self, finding: SuppressedFinding) -> None:
        """Add a suppressed finding as one drawn by the user, and ask for its label."""
        if self._correcting.add([(finding.box, finding.label)]):
            self._correcting.ask_last_label()

    def _on_correction_changed(self) -> None:
        if self._open_record.item is not None:
            self._inspector.show_findings(self._open_record.item, self._open_record.entry)
            self.show()


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
            view.regions_changed.connect(self.show)
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
