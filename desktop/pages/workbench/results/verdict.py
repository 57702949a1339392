# ruff: noqa: N815 - Qt signals
"""Takes the user's verdict on an item and shows the model's opinion."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.commands.bindings import Commands
from desktop.localization.detection_terms import coverage_text
from desktop.pages.workbench.items.item_fields import TextEdit
from desktop.pages.workbench.model.document import ItemView
from desktop.widgets import Button, ButtonKind, label, status_text
from shared import results
from shared.codes import Verdict

_COMMANDS = {Verdict.PASSED: "item.pass", Verdict.FAILED: "item.fail", Verdict.UNDECIDED: "item.unsure"}
_KINDS = {
    Verdict.PASSED: ButtonKind.PASSED,
    Verdict.FAILED: ButtonKind.FAILED,
    Verdict.UNDECIDED: ButtonKind.UNDECIDED,
}


def differs(verdict: Verdict, opinion: bool | None) -> bool:
    """True when the verdict contradicts the model's opinion."""
    if verdict is Verdict.UNDECIDED or opinion is None:
        return False
    return (verdict is Verdict.PASSED) is not opinion


class VerdictBox(QWidget):
    """Three buttons, the model's opinion, and the reason."""

    decided = Signal(object, str)
    """A `Verdict` and its reason."""
    reasonWanted = Signal()
    """A verdict waits for its reason."""
    notice = Signal(str)
    """Emits why a verdict was not set: its reason is missing."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item_id = ""
        self._verdict = Verdict.UNDECIDED
        self._held: Verdict | None = None
        self._opinion: bool | None = None
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
        self.reason = TextEdit(self.tr("Reason or note for the report"), frameless=False)
        self.reason.setObjectName("verdict-reason")
        self._coverage_label = label("", "small", wrap=True)
        self._coverage_label.setObjectName("coverage")
        self._coverage_label.hide()
        self._ask = label("", "error", wrap=True)
        self._ask.hide()
        head = QHBoxLayout()
        head.addWidget(label(self.tr("Verdict"), "label"))
        head.addStretch(1)
        head.addWidget(self._opinion_label)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._coverage_label)
        column.addLayout(row)
        column.addWidget(self._ask)
        column.addWidget(self.reason)
        self.reason.committed.connect(self._on_reason_committed)

    @property
    def shown_request(self) -> str:
        """The request on show, or an empty string."""
        return "" if self._ask.isHidden() else self._ask.text()

    @property
    def opinion(self) -> str:
        """The text about the model's opinion."""
        return self._opinion_label.text()

    def show_item(self, item: ItemView) -> None:
        """Show the verdict and the opinion. A reason that the user is typing is not replaced."""
        if item.item_id != self._item_id:
            if self._held is not None:
                self.notice.emit(
                    self.tr("Cannot save the verdict. It differs from the model's; enter a reason.")
                )
            self._item_id, self._held = item.item_id, None
        self._verdict = item.verdict
        self._opinion = results.model_opinion(item.result)
        text = {True: status_text("passed"), False: status_text("failed"), None: "–"}[self._opinion]
        newest = results.newest_model_entry(item.result)
        if newest is not None and results.is_incomplete(newest):
            text = self.tr("not inspected completely")
        self._opinion_label.setText(self.tr("Model: {opinion}").format(opinion=text))
        coverage = coverage_text(results.entry_coverage(results.finished_detection(item.result)))
        self._coverage_label.setText(coverage)
        self._coverage_label.setVisible(bool(coverage))
        # No one has judged an item undecided that was never inspected.
        unseen = item.verdict is Verdict.UNDECIDED and item.pending_verdict is None and not item.result
        self._mark(None if unseen else item.verdict)
        if self._held is None:
            self.reason.show_text(item.reason)
        self._ask_for_reason()

    def commit(self) -> None:
        """Emit a typed reason that has not been emitted yet."""
        self.reason.commit()

    def set_editable(self, on: bool) -> None:
        """Enable or disable verdicts."""
        for button in self.buttons.values():
            button.setEnabled(on)
        self.reason.setReadOnly(not on)

    def decide(self, verdict: Verdict) -> None:
        """Set this verdict with the typed reason.

        A verdict that differs from the model's opinion waits for a reason.
        """
        if self.reason.isReadOnly():
            return
        reason = self.reason.toPlainText().strip()
        before = self._verdict if self._held is None else self._held
        if verdict is not before is not Verdict.UNDECIDED and not self.reason.dirty:
            # The reason was given for the verdict before.
            reason = ""
        if differs(verdict, self._opinion) and not reason:
            self._held = verdict
            self.reason.show_text("")
            self._mark(verdict)
            self._ask_for_reason()
            self.reasonWanted.emit()
            self.reason.setFocus()
            return
        self._give(verdict, reason)

    def _on_reason_committed(self, reason: str) -> None:
        verdict = self._verdict if self._held is None else self._held
        if reason or not differs(verdict, self._opinion):
            self._give(verdict, reason)
        else:
            self._ask_for_reason()

    def _give(self, verdict: Verdict, reason: str) -> None:
        self._held = None
        self._verdict = verdict
        self._mark(verdict)
        self.decided.emit(verdict, reason)
        self._ask_for_reason()

    def _mark(self, verdict: Verdict | None) -> None:
        shown = verdict if self._held is None else self._held
        for it, button in self.buttons.items():
            button.setChecked(it is shown)

    def _ask_for_reason(self) -> None:
        verdict = self._verdict if self._held is None else self._held
        wanted = differs(verdict, self._opinion) and not self.reason.toPlainText().strip()
        self._ask.setText(self.tr("Your verdict differs from the model's. Enter a reason."))
        self._ask.setVisible(wanted)
