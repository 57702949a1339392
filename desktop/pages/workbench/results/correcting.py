"""Lets the user accept, delete, relabel, move and add findings, saved together as a new version."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_tools import BoxTool
from desktop.localization.detection_terms import BUILT_IN_LABELS
from desktop.pages.workbench.results.findings import FindingsBox
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.record.correction import CorrectionDraft
from desktop.record.item_changes import ItemChanges
from desktop.record.open_record import OpenRecord
from desktop.widgets import Button, ButtonKind, column_of, label, row_of
from shared.record import results
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.detection import Severity

NEW = "difference"
"""The label of a drawn finding until the user names it."""

_Key = tuple[str, Rect, str]
"""What tells a finding from others whose places change: ID of the item, box, label."""


class LabelRequest(Protocol):
    """A view that has a field for the label of a finding."""

    def edit_label(self, place: int, labels: Sequence[str]) -> LabelEditor | None:
        """Open the field at the shown finding at `place`, with suggestions; None if it is not visible."""


class CorrectionBar(QWidget):
    """The row below the findings to draw one. `pending` shows unsaved changes, always in sight."""

    save_wanted = Signal()
    discard_wanted = Signal()
    draw_toggled = Signal(bool)
    """Whether the next drag on the photo draws a finding."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.draw = Button(self.tr("Draw finding"), icon="plus", kind=ButtonKind.QUIET)
        self.draw.setObjectName("finding-draw")
        self.draw.setCheckable(True)
        self._unsaved_label = label("", "small")
        self.save = Button(self.tr("Save as new version"), kind=ButtonKind.MAIN)
        self.save.setObjectName("correction-save")
        self.discard = Button(self.tr("Discard"), kind=ButtonKind.QUIET)
        self.discard.setObjectName("correction-discard")
        head = row_of(self.draw, 1)
        self.pending = QWidget()
        row = row_of(1, self.discard, self.save)
        column_of(self._unsaved_label, row, parent=self.pending, margins=0, spacing=4)
        column_of(head, parent=self, margins=0)
        self.draw.toggled.connect(self._on_draw_toggled)
        self.save.clicked.connect(lambda _checked=False: self.save_wanted.emit())
        self.discard.clicked.connect(lambda _checked=False: self.discard_wanted.emit())
        self.show_steps(0)

    def show_steps(self, steps: int) -> None:
        """Show how many changes are not saved yet."""
        self._unsaved_label.setText(self.tr("%n unsaved change(s)", "", steps) if steps else "")
        self.pending.setVisible(steps > 0)

    def _on_draw_toggled(self, on: bool) -> None:
        self.draw.kind = ButtonKind.LINK if on else ButtonKind.QUIET
        self.draw.update()
        self.draw_toggled.emit(on)


class CorrectionController(QObject):
    """Edits the draft of the chosen item's findings, and saves it when the user leaves the item."""

    changed = Signal()
    """Other findings are to be shown."""
    notice = Signal(str)
    """A short notice for the user."""

    def __init__(
        self,
        open_record: OpenRecord,
        box: FindingsBox,
        bar: CorrectionBar,
        views: Sequence[CompareView],
        owner: QObject,
    ) -> None:
        super().__init__(owner)
        self._open_record, self._box, self._bar = open_record, box, bar
        self._views = tuple(views)
        self.places: list[QWidget] = [box.list, *views]
        """The views whose keys act on the chosen finding."""
        self.selected: Collection[int] = ()
        """The selected findings. Commands for the chosen finding apply to them, too."""
        self.on_canvas = False
        """Whether findings can be drawn on the photo that fills the canvas."""
        self.labelling: LabelRequest = box.list
        """The view that asks for the label of a finding."""
        self._label_editor: tuple[LabelEditor, _Key] | None = None
        """The field for a label that was opened last, and its finding."""
        self._tools = [BoxTool(self.choose, self._on_reshaped, self._on_added) for _ in views]
        for view, tool in zip(self._views, self._tools, strict=True):
            view.set_tool(tool)
        box.list.accept_wanted.connect(self.accept)
        box.list.relabel_wanted.connect(self.ask_label)
        bar.save_wanted.connect(self.save)
        bar.discard_wanted.connect(self.discard)
        bar.draw_toggled.connect(self._set_drawing)
        open_record.current_changed.connect(self._on_current_changed)
        open_record.drafts_restored.connect(self._on_drafts_restored)

    # -- showing

    def show(self, pair: AlignedPair | None) -> None:
        """Allow editing of the displayed findings on this pair."""
        shown = [finding.box for finding in self._box.shown_findings]
        editable = self.can_correct
        self._close_label_editor()
        for view, tool in zip(self._views, self._tools, strict=True):
            tool.rects, tool.current = shown, self._box.list.current
            tool.mapping = None if pair is None else pair.mapping
            tool.size = (0, 0) if pair is None else pair.photo_size
            tool.editable = editable
            view.update()
        self._bar.draw.setEnabled(editable and (pair is not None or self.on_canvas))
        self._bar.setVisible(editable)
        self._bar.show_steps(self._draft.steps if self._draft is not None else 0)

    @property
    def has_focus(self) -> bool:
        """True when keys go to the chosen finding."""
        widget = QApplication.focusWidget()
        return self.has_chosen and widget in self.places

    @property
    def has_chosen(self) -> bool:
        """True when a finding is chosen that may be corrected."""
        return self.can_correct and self._box.list.current >= 0

    def choose(self, place: int) -> None:
        """Choose one of the displayed findings."""
        self._box.list.chosen.emit(place)

    # -- the draft

    @property
    def _draft(self) -> CorrectionDraft | None:
        return self._open_record.drafts.get(self._open_record.current)

    @property
    def can_correct(self) -> bool:
        """Whether the findings of the chosen item may be changed now."""
        return self._open_record.editable and self._open_record.stored_entry is not None

    def _open(self) -> CorrectionDraft | None:
        """The draft, which is begun if there is none; None if the findings cannot be corrected."""
        if not self.can_correct:
            return None
        item, base = self._open_record.item, self._open_record.stored_entry
        if self._draft is None and item is not None and base is not None:
            newest = results.finished_detection(item.result)
            self._open_record.drafts.begin(item.item_id, base, newest)
        return self._draft

    def _place(self, shown: int) -> int:
        """The index of a displayed finding among the boxes of the entry; -1 if there is none."""
        findings = self._box.shown_findings
        return findings[shown].index if 0 <= shown < len(findings) else -1

    def accept(self, shown: int) -> None:
        """Accept a finding, or withdraw the acceptance."""
        index, draft = self._place(shown), self._open()
        if draft is not None and index >= 0:
            draft.accept(index)
            self.changed.emit()
            if not draft.boxes[index]["accepted"]:
                self.notice.emit(self.tr("The finding is no longer accepted."))

    def remove(self, shown: int) -> None:
        """Delete a displayed finding."""
        self.remove_places([self._place(shown)])

    def remove_chosen(self) -> None:
        """Delete the chosen finding and the other selected ones."""
        current = self._box.list.current
        together = self.selected if current in self.selected else [current]
        self.remove_places([self._place(shown) for shown in together])

    def reject_chosen(self) -> None:
        """Delete the chosen finding and choose the next one, so that one key deletes a row of them."""
        chosen = self._box.list.current
        self.remove_chosen()
        self.choose(min(chosen, len(self._box.shown_findings) - 1))

    def remove_places(self, places: Collection[int]) -> None:
        """Delete the findings at these places among the boxes of the entry."""
        existing = [place for place in places if place >= 0]
        draft = self._open() if existing else None
        if draft is not None:
            draft.remove(existing)
            self.changed.emit()

    def reshape_places(self, rects: Mapping[int, Rect], merge_key: str = "") -> None:
        """Set the rectangles of findings (px of the photo) by their places among the boxes of the entry."""
        draft = self._open() if rects else None
        if draft is not None:
            draft.reshape(rects, merge_key)
            self.changed.emit()

    def add(self, findings: Sequence[tuple[Rect, str]]) -> bool:
        """Add findings: rectangle in px of the photo, and label. False when that is not possible."""
        draft = self._open()
        if draft is None:
            return False
        draft.add(findings)
        self.changed.emit()
        return True

    def ask_label(self, shown: int) -> None:
        """Ask for the label of a finding."""
        findings = self._box.shown_findings
        if not self.can_correct or not 0 <= shown < len(findings):
            return
        editor = self.labelling.edit_label(shown, self.labels())
        if editor is not None:
            # The places of the findings change while the field is open: another is deleted, a result arrives.
            key = self._key(findings[shown])
            editor.labelled.connect(lambda text: self.relabel(self._shown_at(key), text))
            self._label_editor = editor, key

    def _key(self, finding: Finding) -> _Key:
        return self._open_record.current, finding.box, finding.label

    def _shown_at(self, key: _Key) -> int:
        """The place of a finding among the shown ones; -1 if it is not shown."""
        shown = [self._key(finding) for finding in self._box.shown_findings]
        return shown.index(key) if key in shown else -1

    def _close_label_editor(self) -> None:
        """Close the field for a label if its finding is not shown any more."""
        if self._label_editor is None:
            return
        editor, key = self._label_editor
        if isValid(editor) and self._shown_at(key) < 0:
            editor.close_without_label()
            self._label_editor = None

    def ask_chosen_label(self) -> None:
        """Ask for the label of the selected finding."""
        self.ask_label(self._box.list.current)

    def labels(self) -> list[str]:
        """The labels that are offered: of the item's model, of the built-in one, of the catalogue."""
        item = self._open_record.item
        model_id = item.model_id if item is not None else None
        of_model = [
            name for model in self._open_record.models if model.model_id == model_id for name in model.labels
        ]
        return list(dict.fromkeys([*of_model, *BUILT_IN_LABELS, *self._open_record.severities]))

    def relabel(self, shown: int, text: str) -> None:
        """Set the label of a displayed finding."""
        index, draft = self._place(shown), self._open()
        if draft is not None and index >= 0:
            draft.relabel(index, text, self._open_record.severities.get(text))
            self.changed.emit()

    def grade(self, severity: Severity) -> None:
        """Set the severity of the chosen finding, or withdraw it if it has that one."""
        index, draft = self._place(self._box.list.current), self._open()
        if draft is not None and index >= 0:
            draft.grade(index, severity.value)
            self.changed.emit()

    def accept_chosen(self) -> None:
        """Accept the chosen finding, or withdraw the acceptance."""
        self.accept(self._box.list.current)

    def _on_reshaped(self, shown: int, rect: Rect) -> None:
        index = self._place(shown)
        if index >= 0:
            self.reshape_places({index: rect})

    def _on_added(self, rect: Rect) -> None:
        self._bar.draw.setChecked(False)
        if self.add([(rect, NEW)]):
            self.ask_last_label()

    def ask_last_label(self) -> None:
        """Choose the finding that was added last, and ask for its label."""
        last = max((finding.index for finding in self._box.shown_findings), default=-1)
        shown = next((at for at, finding in enumerate(self._box.shown_findings) if finding.index == last), -1)
        self.choose(shown)
        self.ask_label(shown)

    def _set_drawing(self, on: bool) -> None:
        for tool in self._tools:
            tool.drawing = on

    def cancel(self) -> bool:
        """Stop drawing a finding (Esc). Returns False if none was being drawn."""
        drawing = self._bar.draw.isChecked()
        self._bar.draw.setChecked(False)
        return drawing

    def undo(self) -> bool:
        """Undo the last change of the draft. Returns False if there is none."""
        done = self._draft is not None and self._draft.undo()
        self._after_step(done)
        return done

    def redo(self) -> bool:
        """Redo the last undone change. Returns False if there is none."""
        done = self._draft is not None and self._draft.redo()
        self._after_step(done)
        return done

    def _after_step(self, done: bool) -> None:
        if done:
            self.changed.emit()

    def discard(self) -> None:
        """Discard the draft."""
        self._open_record.drafts.discard(self._open_record.current)
        self.changed.emit()

    def save(self) -> None:
        """Save every draft as a new version of its item."""
        self._bar.draw.setChecked(False)
        drafts = self._open_record.drafts.all()
        for draft in drafts:
            self._save(draft)
        if drafts:
            self.changed.emit()

    def _save(self, draft: CorrectionDraft) -> None:
        if ItemChanges(self._open_record).correct(draft):
            document = self._open_record.document
            number = 0 if document is None else document.index_of(draft.item_id) + 1
            text = self.tr("The verdict of item {number} ended, because its findings changed. Decide again.")
            self.notice.emit(text.format(number=number))

    def _on_drafts_restored(self, steps: int) -> None:
        self.notice.emit(self.tr("%n unsaved change(s) to findings restored.", "", steps))

    def _on_current_changed(self) -> None:
        stored = self._open_record.stored_entry
        for draft in self._open_record.drafts.all():
            same = stored is not None and results.entry_version(stored) == results.entry_version(draft.base)
            if draft.item_id != self._open_record.current or not same:
                self._bar.draw.setChecked(False)
                self._save(draft)
