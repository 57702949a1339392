"""Shows two versions of an item's result side by side, with common and different findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.layers.finding_layer import FindingBox, FindingLayer
from desktop.canvas.model.regions import RegionState
from desktop.canvas.model.viewport import Viewport
from desktop.client import Session
from desktop.localization.dates import format_minute
from desktop.localization.detection_terms import finding_word, model_word
from desktop.localization.language import join_sentences
from desktop.pages.workbench.photos.fetched_photo import FetchedPhotoView
from desktop.pages.workbench.photos.photo_box import VersionLine, version_lines
from desktop.pages.workbench.results.findings import SURE
from desktop.pages.workbench.results.pairing import Pairing, VersionSide, pairings, same_photo
from desktop.record.open_record import OpenRecord
from desktop.theme import theme_manager
from desktop.widgets import BaseDialog, Button, Column, Combo, ElidedLabel, Table, label, row_of, status_text
from shared.record import results
from shared.record.entries import Entry
from shared.record.findings import Finding
from shared.record.geometry import Rect

_ROW_PX = 32
_MARGIN_SHARE = 3.0
"""Margin shown around a chosen finding, as a multiple of its longer side."""


class VersionView(FetchedPhotoView):
    """A photo with the findings of one version."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._findings = FindingLayer()

    @property
    def boxes(self) -> Sequence[FindingBox]:
        """The boxes over the photo."""
        return self._findings.boxes

    def show_boxes(self, boxes: Sequence[FindingBox]) -> None:
        """Show these boxes, in px of the photo."""
        self._findings.boxes = tuple(boxes)
        self.setAccessibleDescription("; ".join(box.text for box in boxes))
        self.update()

    def center_on(self, rect: Rect) -> None:
        """Centre a place of the photo at a scale that shows it well."""
        longest = max(rect.w, rect.h, 8.0) * _MARGIN_SHARE
        view = self.viewport
        self.set_viewport(min(view.width, view.height) / longest, rect.x + rect.w / 2, rect.y + rect.h / 2)

    def _paint_overlay(self, painter: QPainter) -> None:
        self._findings.paint(painter, self.viewport, self._colours, self.font())


class VersionPane(QWidget):
    """One of the two versions: its choice, its data, and its findings on the photo."""

    chosen = Signal()
    """Another version is chosen."""

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.versions = Combo(name)
        self.versions.picked.connect(lambda _: self.chosen.emit())
        self._facts = label("", "small", wrap=True)
        self.view = VersionView(session)
        self.view.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.versions, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._facts)
        column.addWidget(self.view, 1)

    def show_entry(self, entry: Entry, boxes: Sequence[FindingBox]) -> None:
        """Show a version. Its photo is fetched if it differs from the shown one."""
        self._facts.setText(facts(entry))
        self.view.show_boxes(boxes)
        photo = entry.get("inputImage") or {}
        if not self.view.fetch(photo.get("ipfs_cid"), photo.get("file_id"), photo.get("download_url")):
            self.view.show_message(self.tr("This version has no photo."))


class CompareVersions(BaseDialog):
    """Compares two chosen versions. Both views move together, and a chosen finding is shown in both."""

    def __init__(
        self,
        session: Session,
        title: str,
        lines: Sequence[VersionLine],
        entries: Mapping[int, Entry],
        shown: int,
        parent: QWidget | None = None,
    ) -> None:
        """Create the dialog.

        `lines` names the versions of `entries`, `shown` is the version on the workbench.
        """
        super().__init__(parent)
        self.setObjectName("compare-versions")
        self.setWindowTitle(self.tr("Compare versions"))
        self.setModal(True)
        self.setMinimumSize(760, 520)
        room = QSize(1180, 760) if parent is None else parent.window().size() - QSize(40, 40)
        self.resize(QSize(1180, 760).boundedTo(room))
        self._entries = entries
        self.sides = (
            VersionPane(session, self.tr("First version")),
            VersionPane(session, self.tr("Second version")),
        )
        self._following = False
        self._summary_label = label("", "dim", wrap=True)
        self.table: Table[Pairing] = Table(
            self.tr("Findings of both versions"),
            [
                Column(self.tr("Finding"), _label_text, 240, stretch=True, kind="strong"),
                Column(self.tr("Present in"), self._place_text, 190, tone=_tone),
                Column(self.tr("First"), lambda row: _confidence(row.first), 110),
                Column(self.tr("Second"), lambda row: _confidence(row.second), 110),
            ],
            row_px=_ROW_PX,
        )
        self.table.setMinimumHeight(5 * _ROW_PX)
        self.close_button = Button(self.tr("Close"))
        self._build(title)
        names = [(line.version, line.text) for line in lines if line.version in entries]
        numbers = [version for version, _ in names]
        second = shown if shown in numbers[1:] else numbers[-1]
        first = numbers[max(numbers.index(second) - 1, 0)]
        for side, version in zip(self.sides, (first, second), strict=True):
            side.versions.set_choices(names)
            side.versions.set_value(version)
            side.chosen.connect(self.show_versions)
            side.view.viewport_changed.connect(partial(self._sync_viewport, side))
        self.table.selection_changed.connect(self._on_finding_chosen)
        self.close_button.clicked.connect(self.accept)
        self.finished.connect(self._on_finished)
        self._update_colours()
        theme_manager().theme_changed.connect(self._update_colours)
        self.show_versions()

    def _build(self, title: str) -> None:
        pair = QHBoxLayout()
        pair.setSpacing(12)
        for side in self.sides:
            pair.addWidget(side, 1)
        below = row_of((self._summary_label, 1), self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        column.addWidget(ElidedLabel(title, "item"))
        column.addLayout(pair, 3)
        column.addWidget(self.table, 1)
        column.addLayout(below)

    @property
    def entries(self) -> tuple[Entry, Entry]:
        """The entries of the two versions."""
        first, second = (self._entries[_number(side.versions.value())] for side in self.sides)
        return first, second

    def show_versions(self) -> None:
        """Show the two chosen versions with their common and different findings."""
        first, second = self.entries
        rows = pairings(first, second)
        self.table.rows_model.set_rows(rows)
        self._show_boxes(rows, None)
        matched = same_photo(first, second) or any(row.first and row.second for row in rows)
        counts = {within: sum(row.within is within for row in rows) for within in VersionSide}
        text = self.tr("{both} in both, {first} in the first only, {second} in the second only.").format(
            both=counts[VersionSide.BOTH] + counts[VersionSide.RELABELLED],
            first=counts[VersionSide.FIRST],
            second=counts[VersionSide.SECOND],
        )
        if not matched and rows:
            text = join_sentences((text, self.tr("The versions use different photos.")))
        self._summary_label.setText(text)

    def _show_boxes(self, rows: Sequence[Pairing], current: Pairing | None) -> None:
        first, second = self.entries
        self.sides[0].show_entry(first, [_box(row.first, row, row is current) for row in rows if row.first])
        self.sides[1].show_entry(
            second, [_box(row.second, row, row is current) for row in rows if row.second]
        )

    def _on_finding_chosen(self) -> None:
        row = self.table.selected_row
        self._show_boxes(self.table.rows_model.rows(), row)
        if row is None:
            return
        for side, finding in zip(self.sides, (row.first, row.second), strict=True):
            if finding is not None:
                side.view.center_on(finding.box)

    def _sync_viewport(self, side: VersionPane, viewport: Viewport) -> None:
        """Move the other view along where both show pictures of one size."""
        other = self.sides[1] if side is self.sides[0] else self.sides[0]
        size = (viewport.image_width, viewport.image_height)
        target = other.view.viewport
        if self._following or size != (target.image_width, target.image_height) or 0 in size:
            return
        self._following = True
        try:
            centre = viewport.to_image(viewport.width / 2, viewport.height / 2)
            other.view.set_viewport(viewport.scale, *centre)
        finally:
            self._following = False

    def _place_text(self, row: Pairing) -> str:
        return {
            VersionSide.BOTH: self.tr("Both"),
            VersionSide.RELABELLED: self.tr("Relabelled"),
            VersionSide.FIRST: self.tr("First only"),
            VersionSide.SECOND: self.tr("Second only"),
        }[row.within]

    def _update_colours(self) -> None:
        colours = theme_colours(theme_manager().theme.dark)
        for side in self.sides:
            side.view.set_colours(colours)

    def _on_finished(self) -> None:
        for side in self.sides:
            side.view.close_photo()
            side.view.close_picture()
        self.deleteLater()


def compare_versions(open_record: OpenRecord, window: QWidget) -> CompareVersions | None:
    """Open the comparison of the chosen item's versions. Returns None if it has fewer than two."""
    item, shown = open_record.item, open_record.stored_entry
    if item is None or shown is None:
        return None
    lines = [line for line in version_lines(item) if line.findings]
    if len(lines) < 2:
        return None
    numbers = {line.version for line in lines}
    entries = {
        results.entry_version(entry): entry
        for entry in results.sort_by_version(item.result)
        if results.entry_version(entry) in numbers and not results.is_verdict(entry)
    }
    dialog = CompareVersions(
        open_record.context.session, item.item_name, lines, entries, results.entry_version(shown), window
    )
    dialog.open()
    return dialog


def facts(entry: Entry) -> str:
    """The data of a version: model, time, threshold and outcome."""
    origin = entry.get("provenance") or {}
    parts = []
    if origin.get("model_id"):
        name = model_word(str(origin["model_id"]), origin.get("model_name"))
        version = origin.get("model_version")
        parts.append(f"{name} v{version}" if version else name)
    correction = entry.get("correction")
    at = (correction and correction.get("at")) or origin.get("finished_at")
    if isinstance(at, str):
        parts.append(format_minute(datetime.fromisoformat(at)))
    least = (origin.get("thresholds") or {}).get("min_confidence")
    if isinstance(least, int | float):
        parts.append(f"≥ {least:.2f}")
    passed = entry.get("isPassed")
    if isinstance(passed, bool):
        parts.append(status_text("passed" if passed else "failed"))
    return " · ".join(parts)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _box(finding: Finding, row: Pairing, current: bool) -> FindingBox:
    shared = row.within in (VersionSide.BOTH, VersionSide.RELABELLED)
    state = RegionState.FAILED if finding.confidence >= SURE else RegionState.UNDECIDED
    # A finding of one version only is what the user looks for: it stands out.
    stands_out = current or not shared
    return FindingBox(
        finding.box,
        finding_word(finding.label),
        None if finding.is_drawn else finding.confidence,
        state,
        highlighted=stands_out,
        author=finding.author_name,
    )


def _label_text(row: Pairing) -> str:
    labels = [finding_word(finding.label) for finding in (row.first, row.second) if finding is not None]
    return " → ".join(dict.fromkeys(labels))


def _tone(row: Pairing) -> str:
    return "dim" if row.within is VersionSide.BOTH else "accent"


def _confidence(finding: Finding | None) -> str:
    if finding is None:
        return "–"
    return finding.author_name or "–" if finding.is_drawn else f"{finding.confidence:.2f}"
