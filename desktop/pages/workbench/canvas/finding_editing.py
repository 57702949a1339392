"""Shows findings on the photo, and converts edits of them to steps of a correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.background.workers import Task, run
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.model.regions import Region, RegionChange, RegionState, RegionStep, StoreEvent
from desktop.localization.detection_terms import finding_word
from desktop.pages.workbench.canvas.photo_canvas import PhotoCanvas
from desktop.pages.workbench.results.correcting import NEW, CorrectionController
from desktop.pages.workbench.results.findings import SURE, FindingsBox
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.record.correction import Boxes, boxes_of
from desktop.record.document import ItemView
from desktop.record.item_rows import findings_of, shown_detection
from desktop.record.open_record import OpenRecord
from desktop.widgets import confirm
from shared.ids import new_key
from shared.record import results
from shared.record.entries import Entry
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.record.suppression import SuppressedFinding

_SURROUNDINGS = 0.25
"""The surroundings of a region in parts of its longer side."""
_FINDING = (
    *("finding.accept", "finding.relabel", "finding.delete", ""),
    *("finding.minor", "finding.major", "finding.critical", ""),
)


class FindingEditController(QObject):
    """Synchronizes the findings on the photo canvas with those of the properties panel."""

    report_wanted = Signal(object)
    """Emits the `SuppressedFinding` on the photo that the user reports as a finding."""

    def __init__(
        self,
        open_record: OpenRecord,
        correcting: CorrectionController,
        box: FindingsBox,
        canvas: PhotoCanvas,
        region: Callable[[], Rect | None],
        parent: QObject,
    ) -> None:
        """`region` returns the region of the chosen item in px of the photo; None if it is unknown."""
        super().__init__(parent)
        self._open_record, self._correcting, self._box = open_record, correcting, box
        self._canvas, self._region, self._commands = canvas, region, open_record.context.commands
        self._regions = FindingRegions()
        self._showing = False
        self.explained: Sequence[SuppressedFinding] = ()
        """The findings on the photo that the memory of the region explains."""
        correcting.places.append(canvas)
        box.list.menu_wanted.connect(self.list_menu)
        canvas.regions_edited.connect(self._on_regions_edited)
        canvas.region_activated.connect(self._relabel)
        canvas.store.subscribe(self._on_store_changed)

    def show(self, *, is_of_item: bool, pan: bool) -> None:
        """Show the findings of the chosen item, or none if they belong to another photo.

        With `pan`, a newly chosen finding is made visible.
        """
        entry = self._open_record.entry if is_of_item else None
        of = None if entry is None else (self._open_record.current, results.entry_version(entry))
        shown = self._box.shown_findings if is_of_item and self._open_record.item is not None else []
        self._regions.set_boxes(of, boxes_of(entry))
        self._canvas.editor.editable = is_of_item and self._correcting.can_correct
        self._showing = True
        self._canvas.store.replace(self._regions.regions(shown))
        chosen = self._id_of(self._box.list.current)
        if not chosen:
            self._canvas.store.select(())
        elif chosen not in self._canvas.store.selected_ids:
            self._canvas.store.select((chosen,))
            if pan:
                self._canvas.ensure_visible(chosen)
        self._showing = False
        self._correcting.selected = self._selected()

    def edit_label(self, place: int, labels: Sequence[str]) -> LabelEditor | None:
        """Open a field for the label of a finding, beside it on the photo; None if it is not visible."""
        findings = self._box.shown_findings
        if not 0 <= place < len(findings):
            return None
        return self._canvas.edit_label(self._id_of(place), labels, findings[place].label)

    def menu(self, at: QPoint) -> None:
        """Choose the finding at a position of the canvas and show its menu."""
        canvas = self._canvas
        if canvas.editor.busy or canvas.source is None:
            return
        regions = canvas.store.hits(*canvas.viewport.to_image(at.x(), at.y()))
        if regions and not any(region.id in canvas.store.selected_ids for region in regions):
            canvas.store.select([regions[0].id])
        menu = self._menu(_FINDING if regions else (), canvas)
        if not regions:
            self._fill_explained_menu(menu, at)
        menu.popup(canvas.mapToGlobal(at))

    def list_menu(self, at: QPoint) -> None:
        """Show the menu of the chosen finding at a place of the screen."""
        self._menu(_FINDING, self._box.list).popup(at)

    def _menu(self, first: Sequence[str], parent: QWidget) -> QMenu:
        verdicts = ("item.pass", "item.fail", "item.unsure")
        always = (
            "comment.add",
            "item.detect",
            "item.versions",
            "",
            "edit.undo",
            "edit.redo",
            "",
            "view.photo",
            "view.fit",
        )
        ids = (*first, *verdicts, "", "tool.rectangle", "", *always)
        menu = self._commands.menu(ids, parent)
        # The tool draws regions on the reference image, and findings here.
        drawing = menu.actions()[ids.index("tool.rectangle")]
        self._set_text(drawing, "tool.rectangle", QCoreApplication.translate("CorrectionBar", "Draw finding"))
        if first:
            self._word_finding_menu(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _set_text(self, action: QAction, command_id: str, text: str) -> None:
        action.setText("\t".join(filter(None, (text, self._commands.keys_text(command_id)))))

    def _word_finding_menu(self, menu: QMenu) -> None:
        actions = dict(zip(_FINDING, menu.actions(), strict=False))
        shown, index = self._box.shown_findings, self._box.list.current
        if 0 <= index < len(shown) and shown[index].accepted:
            self._set_text(actions["finding.accept"], "finding.accept", self.tr("Withdraw acceptance"))
        menu.setToolTipsVisible(True)
        actions["finding.delete"].setToolTip(
            self.tr("Not a defect: it becomes a known variation when the item is decided")
        )

    def _fill_explained_menu(self, menu: QMenu, at: QPoint) -> None:
        """Offer to report the explained difference below the pointer."""
        x, y = self._canvas.viewport.to_image(at.x(), at.y())
        below = [finding for finding in self.explained if finding.box.contains(x, y)]
        if not below or not self._correcting.can_correct:
            return
        smallest = min(below, key=lambda finding: finding.box.area)
        first = menu.actions()[0]
        action = menu.addAction(self.tr("Report as finding"))
        action.triggered.connect(lambda _checked=False: self.report_wanted.emit(smallest))
        menu.insertAction(first, action)
        menu.insertSeparator(first)

    def _id_of(self, shown: int) -> str:
        findings = self._box.shown_findings
        return self._regions.region_id(findings[shown].index) if 0 <= shown < len(findings) else ""

    def _index_of(self, region_id: str) -> int:
        """The index of a finding among the shown ones; -1 if it is not shown."""
        index = self._regions.index_of(region_id)
        return next(
            (at for at, finding in enumerate(self._box.shown_findings) if finding.index == index >= 0), -1
        )

    def _selected(self) -> list[int]:
        return [self._index_of(region_id) for region_id in self._canvas.store.selected_ids]

    def _on_store_changed(self, event: StoreEvent) -> None:
        if not event.selection or self._showing:
            return
        self._correcting.selected = selected = self._selected()
        self._correcting.choose(selected[-1] if selected else -1)

    def _relabel(self, region_id: str) -> None:
        shown = self._index_of(region_id)
        self._correcting.choose(shown)
        self._correcting.ask_label(shown)

    def _on_regions_edited(self, change: RegionChange) -> None:
        if change.before:
            after = {self._regions.index_of(region.id): region.rect for region in change.after}
            self._correcting.reshape_places(after, change.merge_key or "")
        else:
            labels = {
                self._regions.region_id(finding.index): finding.label for finding in self._box.shown_findings
            }
            self._regions.expect([region.id for region in change.after])
            drawn = [(region.rect, labels.get(region.copy_of, NEW)) for region in change.after]
            if change.step is not RegionStep.DRAW:
                self._correcting.add(drawn)
            elif any(self._is_far_outside(rect) for rect, _ in drawn):
                # Later: the canvas is still in the event that ended the drawing.
                QTimer.singleShot(0, self, lambda: self._ask_and_add(drawn))
            else:
                self._add_drawn(drawn)

    def _add_drawn(self, drawn: Sequence[tuple[Rect, str]]) -> None:
        if self._correcting.add(drawn):
            self._correcting.ask_last_label()

    def _is_far_outside(self, rect: Rect) -> bool:
        """Whether a finding does not even touch the surroundings of the item's region."""
        region = self._region()
        if region is None:
            return False
        margin = _SURROUNDINGS * max(region.w, region.h)
        around = Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin)
        return around.intersection(rect).is_empty

    def _ask_and_add(self, drawn: Sequence[tuple[Rect, str]]) -> None:
        item_id = self._open_record.current
        title, verb = self.tr("Finding outside the region?"), self.tr("Draw it here")
        text = self.tr("This place is not in the region of item {n}. Other items have regions of their own.")
        text = text.format(n=self._open_record.number)
        may = confirm(self._canvas, title, text, verb, danger=False)
        if may and self._open_record.current == item_id:
            self._add_drawn(drawn)


class FindingRegions:
    """Assigns an id to each finding that stays the same while the findings of one result are corrected.

    Findings have only indexes, which change when one is deleted. The canvas would then select another
    finding.
    """

    def __init__(self) -> None:
        self._of: object = None
        self._boxes: Boxes = ()
        self._ids: list[str] = []
        self._expected: list[str] = []

    def expect(self, ids: Sequence[str]) -> None:
        """Set the ids that the next added findings already have on the canvas."""
        self._expected = list(ids)

    def set_boxes(self, of: object, boxes: Boxes) -> None:
        """Set the present boxes. `of` identifies their result; another result has other findings."""
        if of != self._of:
            self._of, self._boxes, self._ids = of, (), []
        if len(boxes) != len(self._boxes):
            free = list(zip(self._boxes, self._ids, strict=True))
            ids = []
            for box in boxes:
                at = next((index for index, (old, _) in enumerate(free) if old == box), -1)
                ids.append(free.pop(at)[1] if at >= 0 else self._new_id())
            self._ids = ids
        self._boxes = boxes

    def _new_id(self) -> str:
        return self._expected.pop(0) if self._expected else new_key()

    def index_of(self, region_id: str) -> int:
        """The index of a finding among the boxes; -1 if there is none."""
        return self._ids.index(region_id) if region_id in self._ids else -1

    def region_id(self, place: int) -> str:
        """The id of the finding at an index among the boxes; empty if there is none."""
        return self._ids[place] if 0 <= place < len(self._ids) else ""

    def regions(self, findings: Sequence[Finding]) -> list[Region]:
        """Convert findings to regions, numbered in their order from 1."""
        return [
            Region(
                self._ids[finding.index],
                finding.box,
                number,
                finding_word(finding.label),
                RegionState.FAILED if finding.confidence >= SURE else RegionState.UNDECIDED,
                source_of(finding),
            )
            for number, finding in enumerate(findings, 1)
            if finding.index < len(self._ids)
        ]


def source_of(finding: Finding) -> str:
    """The confidence or the author of a finding, with a separator, to be appended to its label."""
    if not finding.is_drawn:
        return f"{finding.confidence:.2f}"
    return "· " + (finding.author_name or QCoreApplication.translate("FindingList", "drawn manually"))


@dataclass(slots=True)
class _CachedFindings:
    """The photo of an item's findings, and the findings once they are needed."""

    item: ItemView
    entry: Entry | None
    content_id: str
    findings: tuple[Finding, ...] | None = None


class NeighbourFindings:
    """Caches the findings of items until an item changes, because a record may have thousands."""

    def __init__(self) -> None:
        self._cache: dict[str, _CachedFindings] = {}
        self._reading: Task | None = None

    def read(
        self,
        wanted: tuple[Sequence[ItemView], str, str | None, float],
        *,
        owner: QObject,
        done: Callable[[list[FindingBox]], None],
    ) -> None:
        """Call `done` with the `boxes` of `wanted`, found off the GUI thread. Replaces an earlier call."""
        self.stop()
        self._reading = run(self.boxes, *wanted, owner=owner, done=done)

    def stop(self) -> None:
        """Cancel `read`."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None

    def boxes(
        self, items: Iterable[ItemView], chosen: str, content_id: str | None, threshold: float
    ) -> list[FindingBox]:
        """The findings of all other items in the photo `content_id` with at least this confidence (0..1).

        Each is labelled with the number of its item. Blocks for a record with thousands of items.
        """
        shown = []
        for number, item in enumerate(items, 1):
            if not content_id or not item.result or item.item_id == chosen:
                continue
            read = self._cache.get(item.item_id)
            if read is None or read.item is not item:
                read = self._cache[item.item_id] = _read_findings(item)
            if read.content_id != content_id:
                continue
            if read.findings is None:
                read.findings = findings_of(read.entry)
            for finding in read.findings:
                if finding.confidence >= threshold:
                    shown.append(
                        FindingBox(finding.box, f"{number} · {finding_word(finding.label)}", read_only=True)
                    )
        return shown

    def clear(self) -> None:
        """Clear the cache when another record is opened."""
        self._cache.clear()


def _read_findings(item: ItemView) -> _CachedFindings:
    entry = shown_detection(item)
    photo = (entry or {}).get("inputImage") or {}
    return _CachedFindings(item, entry, str(photo.get("ipfs_cid") or ""))
