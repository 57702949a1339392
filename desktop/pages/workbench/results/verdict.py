"""Takes the user's verdict on an item and shows the model's opinion."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.commands.bindings import Commands
from desktop.localization.detection_terms import appearance_text, coverage_text, other_light_text
from desktop.pages.workbench.items.item_fields import TextEdit
from desktop.record.document import ItemView
from desktop.record.drafts import VerdictDraft
from desktop.widgets import Button, ButtonKind, IconButton, is_enter_key, label, row_of
from shared.record import results
from shared.record.codes import Verdict

_COMMANDS = {Verdict.PASSED: "item.pass", Verdict.FAILED: "item.fail", Verdict.UNDECIDED: "item.unsure"}
_KINDS = {
    Verdict.PASSED: ButtonKind.PASSED,
    Verdict.FAILED: ButtonKind.FAILED,
    Verdict.UNDECIDED: ButtonKind.UNDECIDED,
}


class ReasonEdit(TextEdit):
    """Takes the reason of a verdict. It is committed once: by Enter, or when the field is left.

    Enter does not leave the field while the reason is refused. Escape leaves a verdict that waits a draft.
    """

    typed = Signal(str)
    """The text after a pause in typing, which is not committed yet."""
    ended = Signal()
    """Enter or Escape left the field: the focus moves on."""
    entered = Signal()
    """Enter left the field; emitted after `ended`."""

    is_draft: bool = False
    """Whether the text belongs to a verdict that is not complete, and has to be committed even unchanged."""
    waits: bool = False
    """Whether the verdict is given only with this reason: Escape must not give it."""
    _is_visited = False
    """Whether the user is in the field and has not pressed Escape: an unchanged draft is committed."""

    def on_pause(self) -> None:
        self.typed.emit(self.toPlainText().strip())

    def commit(self) -> None:
        if self.is_draft and self._is_visited and not self.dirty:
            self.committed.emit(self.toPlainText().strip())
        super().commit()

    def begin(self, *, replacing: bool = False) -> None:
        """Let the user go on typing at the end, or replace the text."""
        self.setFocus()
        self.moveCursor(QTextCursor.MoveOperation.End)
        if replacing:
            self.selectAll()

    def forget(self) -> None:
        """Keep the typed text as a draft that only another visit of the field commits."""
        if self.dirty:
            self.on_pause()
        super().forget()
        self._is_visited = False

    def event(self, event: QEvent) -> bool:
        # Else Escape is a command of the page, which takes the focus away and so commits the reason.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._is_visited = True

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._is_visited = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_line_break = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            if self.waits:
                self.forget()
            self._leave()
        elif is_enter_key(event) and not is_line_break:
            self.commit()
            # Without the focus the next letters would be commands, also verdicts on other items.
            if not self.is_draft:
                self._leave()
                self.entered.emit()
        else:
            super().keyPressEvent(event)

    def _leave(self) -> None:
        self.commit()
        self.clearFocus()
        self.ended.emit()


class VerdictBox(QWidget):
    """Three buttons, the model's opinion, and the reason."""

    decided = Signal(str, object, str)
    """The item, its `Verdict` and the reason."""
    draft_changed = Signal(str, object)
    """The item and its `VerdictDraft`, or None when nothing waits any more."""
    reason_wanted = Signal()
    """A verdict waits for its reason."""
    ended = Signal()
    """The user left the reason by a key."""
    similar_wanted = Signal(list)
    """The ids of the files of the passed photos that resemble this one most, which the user wants to see."""
    completed = Signal()
    """A verdict is given and nothing more is to be typed: "Pass" at once, others by Enter in the reason."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item_id = ""
        self._verdict = Verdict.UNDECIDED
        self._saved_reason = ""
        self._is_entered = False
        self._draft: VerdictDraft | None = None
        self._opinion: bool | None = None
        self._is_of_other = False
        """Whether the reason was typed for another verdict, and the user has to confirm or replace it."""
        self.min_reason = 1
        """The least number of characters of a reason that is needed."""
        self.newest_photo: str | None = None
        """The file id of the newest photo of the item; None if it is unknown."""
        self._opinion_label = label("", "small")
        self.buttons: dict[Verdict, Button] = {}
        row = QHBoxLayout()
        row.setSpacing(6)
        for verdict, text in (
            (Verdict.PASSED, self.tr("Pass")),
            (Verdict.FAILED, self.tr("Fail")),
            (Verdict.UNDECIDED, self.tr("Undecided")),
        ):
            button = Button(text, kind=_KINDS[verdict], keys=commands.keys_text(_COMMANDS[verdict]))
            button.setObjectName(f"verdict-{verdict.value}")
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _checked=False, it=verdict: self.decide(it))
            self.buttons[verdict] = button
            row.addWidget(button, 1)
        self.reason = ReasonEdit(self.tr("Reason or note for the report"), frameless=False)
        self.reason.setObjectName("verdict-reason")
        self._coverage_label = label("", "small", wrap=True)
        self._coverage_label.setObjectName("coverage")
        self._coverage_label.hide()
        self._similar: list[str] = []
        self.similar = Button(self.tr("Most similar passed photos"), kind=ButtonKind.LINK)
        self.similar.setObjectName("similar")
        self.similar.clicked.connect(lambda _checked=False: self.similar_wanted.emit(self._similar))
        self.similar.hide()
        self._ask = label("", "error", wrap=True)
        self._ask.hide()
        title, keys = commands.title("item.undecided"), commands.keys_text("item.undecided")
        self.next = IconButton("chevron-right", title, keys=keys, side=22)
        self.next.clicked.connect(lambda _checked=False: commands.run("item.undecided"))
        head = row_of(label(self.tr("Verdict"), "label"), 1, self._opinion_label, self.next)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._coverage_label)
        column.addWidget(self.similar, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(row)
        column.addWidget(self._ask)
        column.addWidget(self.reason)
        self.reason.committed.connect(self._on_reason_committed)
        self.reason.typed.connect(self._on_reason_typed)
        self.reason.ended.connect(self.ended)
        self.reason.entered.connect(self._on_reason_entered)

    @property
    def shown_request(self) -> str:
        """The request on show, or an empty string."""
        return "" if self._ask.isHidden() else self._ask.text()

    @property
    def opinion(self) -> str:
        """The text about the model's opinion."""
        return self._opinion_label.text()

    @property
    def shown_verdict(self) -> Verdict:
        """The verdict that the buttons show: the one that waits for its reason, else the item's."""
        return self._verdict if self._draft is None else self._draft.verdict

    def show_item(self, item: ItemView, draft: VerdictDraft | None) -> None:
        """Show the verdict and the opinion, or the draft. A reason that is being typed is not replaced."""
        if item.item_id != self._item_id:
            # A text that was typed for the other item belongs to it.
            self.commit()
            self._item_id, self._is_of_other = item.item_id, False
        self._verdict, self._saved_reason = item.verdict, item.reason
        self._set_draft(draft)
        self._opinion = results.model_opinion(item.result)
        self._opinion_label.setText(self._opinion_text(item))
        detection = results.finished_detection(item.result)
        if detection is not None and results.detection_of_photo((detection,), self.newest_photo) is None:
            # It says nothing about the photo on view.
            detection = None
        appearance = results.entry_appearance(detection)
        coverage = appearance_text(appearance) or coverage_text(results.entry_coverage(detection))
        light = other_light_text() if results.entry_other_light(detection) else ""
        self._coverage_label.setText("\n".join(filter(None, (coverage, light))))
        self._coverage_label.setVisible(bool(coverage or light))
        self._similar = [] if appearance is None else appearance.get("nearest", [])
        self.similar.setVisible(bool(self._similar))
        entry = results.current_entry(item.result)
        self._is_entered = item.pending_verdict is not None or (
            entry is not None and results.is_verdict(entry)
        )
        self._mark()
        self.reason.show_text(item.reason if draft is None else draft.reason)
        self._ask_for_reason()

    def _opinion_text(self, item: ItemView) -> str:
        newest = results.newest_model_entry(item.result)
        if newest is not None and results.is_incomplete(newest):
            return self.tr("Model: not inspected completely")
        if self._opinion is None and results.has_client_result(item.result):
            return self.tr("Model: – (entered by a client)")
        text = {True: self.tr("pass"), False: self.tr("fail"), None: "–"}[self._opinion]
        return self.tr("Model's opinion: {opinion}").format(opinion=text)

    def commit(self) -> None:
        """Commit a typed reason, if it is complete. Otherwise it stays a draft."""
        self.reason.commit()

    def set_editable(self, on: bool) -> None:
        """Enable or disable verdicts."""
        for button in self.buttons.values():
            button.setEnabled(on)
        self.reason.setReadOnly(not on)

    def decide(self, verdict: Verdict) -> bool:
        """Set this verdict with the typed reason. Returns False if it waits for a reason.

        After "Fail" the reason has the focus, so that a typed word never becomes other verdicts.
        """
        if self.reason.isReadOnly():
            return False
        reason = self.reason.toPlainText().strip()
        before = self.shown_verdict
        if verdict is not before is not Verdict.UNDECIDED and not self.reason.dirty and self._draft is None:
            # The reason was given for the verdict before.
            reason = ""
        is_other = self._draft is not None and verdict is not before is not Verdict.UNDECIDED
        self._is_of_other = is_other and bool(reason)
        is_complete = self._has_reason(verdict, reason) and not self._is_of_other
        if is_complete:
            self._give(verdict, reason)
        else:
            self.reason.show_text(reason)
            self._store_draft(VerdictDraft(verdict, reason))
        if verdict is Verdict.FAILED or not is_complete:
            self.reason_wanted.emit()
            self.reason.begin(replacing=self._is_of_other)
        elif verdict is Verdict.PASSED:
            self.completed.emit()
        return is_complete

    def _has_reason(self, verdict: Verdict, reason: str) -> bool:
        """Whether the reason is long enough, or missing where it is not needed."""
        return results.reason_length(reason) >= self.min_reason or (
            not reason and not results.differs(verdict, self._opinion)
        )

    def _on_reason_typed(self, text: str) -> None:
        if self.reason.isReadOnly():
            return
        self._is_of_other = self._is_of_other and not self.reason.dirty
        verdict = self.shown_verdict
        is_saved = (verdict, text) == (self._verdict, self._saved_reason)
        self._store_draft(None if is_saved else VerdictDraft(verdict, text))

    def _on_reason_committed(self, text: str) -> None:
        verdict = self.shown_verdict
        if self.reason.isReadOnly():
            return
        self._is_of_other = False
        if self._has_reason(verdict, text):
            self._give(verdict, text)
        else:
            self._store_draft(VerdictDraft(verdict, text))

    def _on_reason_entered(self) -> None:
        if self._draft is None and self._verdict is not Verdict.UNDECIDED:
            self.completed.emit()

    def _set_draft(self, draft: VerdictDraft | None) -> None:
        self._draft, self.reason.is_draft = draft, draft is not None
        self.reason.waits = draft is not None and draft.verdict is not self._verdict

    def _store_draft(self, draft: VerdictDraft | None) -> None:
        self._set_draft(draft)
        self.draft_changed.emit(self._item_id, draft)
        self._mark()
        self._ask_for_reason()

    def _give(self, verdict: Verdict, reason: str) -> None:
        is_new = (verdict, reason) != (self._verdict, self._saved_reason) or self._draft is not None
        self._verdict, self._saved_reason = verdict, reason
        # An item without a verdict is undecided already: nothing is stored for it.
        self._is_entered = self._is_entered or (verdict, reason) != (Verdict.UNDECIDED, "")
        self._store_draft(None)
        self.reason.show_text(reason)
        if is_new:
            self.decided.emit(self._item_id, verdict, reason)

    def _mark(self) -> None:
        """Fill the button of the verdict that a person entered. An item without one is only to be decided."""
        is_entered = self._is_entered or self._draft is not None
        for verdict, button in self.buttons.items():
            button.setChecked(is_entered and verdict is self.shown_verdict)

    def _ask_for_reason(self) -> None:
        is_waiting = self._is_of_other or not self._has_reason(
            self.shown_verdict, self.reason.toPlainText().strip()
        )
        if self._is_of_other:
            text = self.tr("This reason was for another verdict. Replace it, or keep it with Enter.")
        elif self.reason.toPlainText().strip():
            text = self.tr("The reason needs at least %n character(s).", "", self.min_reason)
        else:
            text = self.tr("Your verdict differs from the model's. Enter a reason.")
        self._ask.setText(text)
        self._ask.setVisible(is_waiting)
