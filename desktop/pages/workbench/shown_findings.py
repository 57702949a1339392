"""Shows the same findings and the same selection on every view of the selected item."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.inspector import Inspector
from desktop.pages.workbench.photo_view import PhotoView
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.explained import explained_boxes
from desktop.pages.workbench.results.findings import finding_boxes
from desktop.record.item_rows import to_reference
from desktop.record.open_record import OpenRecord
from shared.record import results
from shared.record.suppression import SuppressedFinding


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
        inspector.findings.threshold_changed.connect(lambda _: self.show())
        inspector.findings.chosen.connect(self.choose)
        inspector.explained.unfolded.connect(lambda _: self.show())
        inspector.explained.report_wanted.connect(self._report)
        photo_view.editing.report_wanted.connect(self._report)
        photos.pair_changed.connect(lambda _: self.show())
        correcting.changed.connect(self._on_correction_changed)

    def show(self) -> None:
        """Show them as they are listed."""
        findings = self._inspector.findings
        shown = findings.shown_findings if self._open_record.item is not None else ()
        explained = self._inspector.explained
        explained.set_editable(self._correcting.can_correct)
        explained_findings = explained.shown_findings if self._open_record.item is not None else ()
        boxes = [*finding_boxes(shown, findings.list.current), *explained_boxes(explained_findings)]
        self._photos.show_boxes(boxes)
        self._comparing.show_findings(boxes)
        back = to_reference(self._open_record.entry)
        # Without an alignment the place of a finding on the reference image is not known.
        self._comparing.views[0].set_findings(boxes if back is not None else (), back)
        self._photo_view.show_findings()
        self._photo_view.show_explained(explained_findings)
        self._photo_view.show_heat(results.entry_appearance(self._open_record.entry))
        self._correcting.show(self._photos.finding_pair)

    def choose(self, place: int) -> None:
        """Mark the finding at this index of the list; -1 marks none."""
        self._inspector.findings.choose(place)
        self.show()

    def step(self, way: int) -> None:
        """Mark the next finding of the item, wrapping around."""
        count = len(self._inspector.findings.shown_findings)
        if count:
            self.choose((self._inspector.findings.list.current + way) % count)

    def _report(self, finding: SuppressedFinding) -> None:
        """Add a suppressed finding as one drawn by the user, and ask for its label."""
        if self._correcting.add([(finding.box, finding.label)]):
            self._correcting.ask_last_label()

    def _on_correction_changed(self) -> None:
        if self._open_record.item is not None:
            self._inspector.show_findings(self._open_record.item, self._open_record.entry)
            self.show()
