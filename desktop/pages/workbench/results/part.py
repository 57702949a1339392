"""The part of the workbench with the results of the chosen item: detection, findings, verdict, history."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.canvas.views.compare_view import CompareView
from desktop.pages.common.handover import open_handover
from desktop.pages.sealing.seal_actions import SealBar, SealController
from desktop.pages.workbench.memory import MemoryController
from desktop.pages.workbench.part import Needs, WorkbenchPart
from desktop.pages.workbench.results.comments import CommentsController, PhotoPlace
from desktop.pages.workbench.results.compare_versions import compare_versions
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.detecting import DetectionController, SkippedItemsBanner
from desktop.pages.workbench.results.findings import FIRST_SHOWN, FindingsBox
from desktop.pages.workbench.results.finishing import FinishController, show_folder
from desktop.pages.workbench.results.history import HistoryController
from desktop.pages.workbench.results.inspector import Inspector
from desktop.pages.workbench.trend import TrendController
from desktop.preferences import Preferences
from desktop.record.changes import Change
from desktop.record.detection_settings import item_detection_settings
from desktop.record.item_rows import run_of_photo
from desktop.record.live_changes import LiveChanges
from desktop.record.open_record import OpenRecord
from desktop.widgets import status_text
from shared.record import results
from shared.record.codes import Permission, Status, Verdict
from shared.record.entries import Entry
from shared.wire.detection import Severity
from shared.wire.inspection import Place

_SAVE_MS = 400


def least_confidence(entry: Entry | None, entries: tuple[Entry, ...]) -> float | None:
    """The threshold of confidence (0..1) that the findings of an entry reached; None if it is not stored.

    For a model with thresholds by label, it is the lowest one, so that no reported finding is hidden. For a
    correction, it is that of the corrected result.
    """
    by_version = {results.entry_version(each, at): each for at, each in enumerate(entries)}
    visited: set[int] = set()
    while entry is not None and results.is_correction(entry):
        of_version = entry["correction"].get("of_version")
        if of_version in visited:
            return None
        visited.add(of_version)
        entry = by_version.get(of_version)
    thresholds = ((entry or {}).get("provenance") or {}).get("thresholds") or {}
    per_label = thresholds.get("per_label") or {}
    values = [thresholds.get("confidence", thresholds.get("min_confidence")), *per_label.values()]
    numbers = [
        float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return min(max(min(numbers), 0.0), 1.0) if numbers else None


class ThresholdController(QObject):
    """Sets the slider for the displayed result, and stores its value for each model."""

    def __init__(
        self, open_record: OpenRecord, box: FindingsBox, preferences: Preferences, owner: QObject
    ) -> None:
        """Create it before the parts that show the findings of the chosen item."""
        super().__init__(owner)
        self._open_record, self._box, self._preferences = open_record, box, preferences
        self._moved: dict[str, float] = {}
        self._later = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._later.timeout.connect(self._save)
        open_record.current_changed.connect(self._on_item_changed)
        box.threshold_changed.connect(self._on_threshold_changed)
        open_record.context.closing.connect(self._save)

    def _on_item_changed(self) -> None:
        item = self._open_record.item
        if item is None:
            return
        model, entry = self._model(), self._open_record.stored_entry
        least = least_confidence(entry, item.result)
        first = FIRST_SHOWN if least is None else math.floor(least * 100 + 1e-9) / 100
        liked = {**self._preferences.values.confidence, **self._moved}
        self._box.begin_at(liked.get(model, first))

    def _on_threshold_changed(self, threshold: float) -> None:
        model = self._model()
        if model:
            self._moved[model] = threshold
            self._later.start()

    def _save(self) -> None:
        self._later.stop()
        if self._moved:
            stored = self._preferences.values.confidence
            self._preferences.change(confidence={**stored, **self._moved})
            self._moved = {}

    def _model(self) -> str:
        """The id of the model of the displayed findings; empty if there is none."""
        item, entry = self._open_record.item, self._open_record.stored_entry
        if item is None:
            return ""
        model_id = ((entry or {}).get("provenance") or {}).get("model_id")
        return str(model_id or item.model_id or "")


class ResultsPart(WorkbenchPart):
    """Detects, corrects findings, decides, comments, and finishes the record."""

    item_wanted = Signal(str)
    """The id of an item to go to."""
    open_wanted = Signal(str, str)
    """The ids of another record and of its item whose photo the user wants to compare."""
    decided = Signal(str)
    """A verdict was given by a key, as a sentence."""

    def __init__(
        self,
        open_record: OpenRecord,
        inspector: Inspector,
        views: Sequence[CompareView],
        live: LiveChanges,
        count_unassigned_photos: Callable[[], int],
        page: QWidget,
    ) -> None:
        """`views`: where findings can be corrected on a pair of pictures."""
        super().__init__(open_record, page)
        self._inspector = inspector
        findings, preferences = inspector.findings, self._context.preferences
        self.skipped = SkippedItemsBanner()
        self.detecting = DetectionController(open_record, live, page)
        self.threshold = ThresholdController(open_record, findings, preferences, page)
        self.correcting = CorrectionController(open_record, findings, inspector.correction, views, page)
        self.seal_bar = SealBar()
        self._sealing = SealController(self._context, self.seal_bar, page)
        self.history = HistoryController(open_record, inspector.history, page)
        self.comments = CommentsController(open_record, inspector.comments, page)
        self.trend = TrendController(open_record, page)
        self.memory = MemoryController(open_record, page)
        self.finishing = FinishController(open_record, count_unassigned_photos, page)
        self._show_notices_of(self.correcting, self.detecting, self.finishing, self._sealing, self.comments)
        live.memory_changed.connect(self.memory.read_if_of)
        live.record_changed.connect(self.comments.read)
        self._connect()
        self._bind_commands()

    def _connect(self) -> None:
        record, inspector, detecting = self._open_record, self._inspector, self.detecting
        verdict, run = inspector.verdict, inspector.run
        record.items_changed.connect(lambda: inspector.show_no_item(any_items=bool(record.rows)))
        record.current_edited.connect(self._show_edited)
        record.rows_changed.connect(self._hide_skipped)
        record.sealing.connect(self.commit)
        verdict.decided.connect(self.changes.decide_item)
        verdict.draft_changed.connect(record.verdict_drafts.store)
        verdict.reason_wanted.connect(inspector.show)
        verdict.completed.connect(self._advance)
        verdict.similar_wanted.connect(lambda files: self.memory.show(similar=files))
        run.wanted.connect(detecting.detect)
        run.cancelled.connect(detecting.cancel_item)
        run.place_chosen.connect(self._detect_at)
        detecting.running_changed.connect(lambda _: self._show_run())
        detecting.rest_changed.connect(self.skipped.show_count)
        self.skipped.action_chosen.connect(detecting.detect_again)
        inspector.photo.compare_versions_wanted.connect(self._compare_versions)
        inspector.history.trend_wanted.connect(self.trend.show)
        inspector.explained.memory_wanted.connect(self.memory.show)
        for opening in (inspector.history, self.trend, self.memory):
            opening.open_wanted.connect(self.open_wanted)
        self._sealing.changed.connect(record.update_seal)
        self.finishing.undecided.connect(self._complete)
        self.finishing.finished.connect(self._on_finished)
        self.finishing.written.connect(self._on_report_written)

    def _bind_commands(self) -> None:
        detecting = self.detecting
        self._bind(
            ("item.pass", lambda: self._decide(Verdict.PASSED), Needs.EDIT_ITEM),
            ("item.fail", lambda: self._decide(Verdict.FAILED), Needs.EDIT_ITEM),
            ("item.unsure", lambda: self._decide(Verdict.UNDECIDED), Needs.EDIT_ITEM),
            ("item.detect", detecting.detect, Needs.EDIT_ITEM),
            ("item.advance", self._toggle_advancing, Needs.RECORD),
            ("edit.rename", self._rename, Needs.EDIT_ITEM),
            ("record.detect", detecting.detect_all, Needs.EDIT),
            ("record.detect_again", detecting.detect_again, Needs.EDIT),
            ("record.finish", self._finish, Needs.EDIT),
            ("item.versions", self._compare_versions, Needs.ITEM),
            ("item.trend", self.trend.show, Needs.ITEM),
            ("item.memory", self.memory.show, Needs.ITEM),
            ("record.report", self.finishing.report, Needs.ITEMS),
        )
        self._commands.bind(
            "inspection.hand_over", self._hand_over, owner=self._page, enabled=lambda: self._may_hand_over
        )
        self._bind_findings()

    def _bind_findings(self) -> None:
        """Bind what is done with the chosen finding. The keys work wherever the focus is."""
        correcting = self.correcting
        for command, handler in (
            ("finding.accept", correcting.accept_chosen),
            ("finding.relabel", correcting.ask_chosen_label),
            ("finding.delete", correcting.reject_chosen),
            ("finding.minor", partial(correcting.grade, Severity.MINOR)),
            ("finding.major", partial(correcting.grade, Severity.MAJOR)),
            ("finding.critical", partial(correcting.grade, Severity.CRITICAL)),
        ):
            self._commands.bind(
                command,
                handler,
                owner=self._page,
                enabled=lambda: correcting.has_chosen,
                refused=self._ask_for_finding,
            )

    def _ask_for_finding(self) -> None:
        if self._open_record.may_edit() and self._inspector.findings.shown_findings:
            text = QCoreApplication.translate("WorkbenchPage", "Select a finding first ({keys}).")
            self.notice.emit(text.format(keys=self._commands.keys_text("finding.next")))

    # -- the record

    def commit(self) -> None:
        """Create edits of typed texts and corrections."""
        self._inspector.commit()
        self.correcting.save()

    def close(self) -> None:
        """Release what belongs to the record, which is left. Detections continue."""
        self.detecting.stop()
        self.skipped.hide()

    def set_editable(self, on: bool) -> None:
        """Enable or disable verdicts and detection, and show the state of the seal."""
        document = self._open_record.document
        if document is not None:
            self._sealing.show(self._open_record.seal, document.record.inspection_name or "")
        if not on:
            self.skipped.hide()
        self._inspector.verdict.set_editable(on)
        self._inspector.run.set_editable(on)

    def _finish(self) -> None:
        self.commit()
        self.finishing.finish()

    @property
    def _may_hand_over(self) -> bool:
        record, seal = self._open_record, self._open_record.seal
        is_void = seal is not None and seal.record_state is Status.CANCELLED
        may = self._context.may(Permission.INSPECTION_UPDATE)
        return record.document is not None and may and not record.sealed and not is_void

    def _hand_over(self) -> None:
        """Ask who goes on with the record, and hand it over with what was typed until now."""
        self.commit()
        open_handover(self._context, self._open_record.record_id, self._page, self.notice.emit)

    def _on_finished(self) -> None:
        self.notice.emit(QCoreApplication.translate("WorkbenchPage", "Record finished and sealed."))

    def _on_report_written(self, path: str) -> None:
        text = QCoreApplication.translate("WorkbenchPage", "Report saved: {path}")
        self.notice.emit(text.format(path=path))
        show_folder(path)

    # -- the chosen item

    def show_item(self) -> None:
        """Show the fields, findings and verdict of the chosen item."""
        record, inspector = self._open_record, self._inspector
        inspector.finding_context = record.finding_context
        inspector.newest_photo = inspector.verdict.newest_photo = self._newest_photo
        inspector.verdict.min_reason = record.min_reason
        draft = record.verdict_drafts.get(record.current)
        inspector.show_item(record.item, record.number, record.entry, draft)
        self._show_run()
        self.history.show()

    def show_newest_photo(self) -> None:
        """Show whether the newest photo of the chosen item was inspected, once its photos were read."""
        item, newest = self._open_record.item, self._newest_photo
        if item is not None and newest != self._inspector.newest_photo:
            self._inspector.newest_photo = self._inspector.verdict.newest_photo = newest
            self._inspector.verdict.show_item(item, self._open_record.verdict_drafts.get(item.item_id))
            self._inspector.show_findings(item, self._open_record.entry)
            self._show_run()

    @property
    def _newest_photo(self) -> str | None:
        photos = self._open_record.photos.get(self._open_record.current)
        return photos[-1] if photos else None

    def begin_comment(self, place: PhotoPlace | None) -> None:
        """Let the user type a comment on the chosen item, or on a place of its photo."""
        self._inspector.show()
        self.comments.begin(place)

    def _show_edited(self, change: Change) -> None:
        item = self._open_record.item
        if item is None:
            return
        if change & Change.VERDICTS:
            self._inspector.verdict.show_item(item, self._open_record.verdict_drafts.get(item.item_id))
        self.history.show()

    def _hide_skipped(self) -> None:
        if all(row.is_judged for row in self._open_record.rows):
            self.skipped.hide()

    def _show_run(self) -> None:
        item = self._open_record.item
        if item is not None:
            running = self.detecting.running_items.get(item.item_id)
            place = item_detection_settings(item.item_point).place
            self._inspector.run.show_run(run_of_photo(item.result, self._newest_photo), running, place)

    def _detect_at(self, place: Place) -> None:
        """Detect the chosen item again, with its region at this place of each photo."""
        self._inspector.fields.detection_settings.choose_place(place)
        self.detecting.detect()

    def _decide(self, verdict: Verdict) -> None:
        """Give the chosen item a verdict by a key."""
        record, item = self._open_record, self._open_record.item
        number, name = record.number, status_text(verdict.value)
        if item is None or not self._inspector.verdict.decide(verdict):
            return
        if record.document is not None and record.document.item(item.item_id) is item:
            # Nothing was stored: undo would undo an earlier edit.
            text = QCoreApplication.translate("WorkbenchPage", "Item {n} unchanged: {verdict}")
            self.notice.emit(text.format(n=number, verdict=name))
            return
        text = QCoreApplication.translate("WorkbenchPage", "Item {n}: {verdict}")
        self.decided.emit(text.format(n=number, verdict=name))

    def _advance(self) -> None:
        """Go to the next undecided item after a verdict, if the user wants it; stay at the last one."""
        if self._context.preferences.values.advances:
            self.item_wanted.emit(self._open_record.next_undecided())

    def _toggle_advancing(self) -> None:
        preferences = self._context.preferences
        preferences.change(advances=not preferences.values.advances)
        on = QCoreApplication.translate("WorkbenchPage", "The next undecided item follows a verdict.")
        off = QCoreApplication.translate("WorkbenchPage", "The item stays after a verdict.")
        self.notice.emit(on if preferences.values.advances else off)

    def _complete(self, item_id: str) -> None:
        """Go to an item, and let the user complete a verdict of it that waits."""
        self.item_wanted.emit(item_id)
        if self._open_record.verdict_drafts.get(item_id) is not None:
            self._inspector.show()
            self._inspector.verdict.reason.begin()

    def _rename(self) -> None:
        """Rename the chosen finding if it has the focus, else the item."""
        name = self._inspector.fields.name
        if self.correcting.has_focus:
            self.correcting.ask_chosen_label()
            return
        self._inspector.show()
        name.setFocus()
        name.selectAll()

    def _compare_versions(self) -> None:
        """Compare two versions of the chosen item's result. A notice is shown if there are fewer."""
        self.correcting.save()
        if compare_versions(self._open_record, self._page) is None:
            text = QCoreApplication.translate(
                "CompareController", "This item has fewer than two versions to compare."
            )
            self.notice.emit(text)
