"""Shows why edits are unsent and that a crash left edits, and lets the user decide conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.journal import EditKind
from desktop.journal.state import Conflict
from desktop.localization.dates import format_minute
from desktop.localization.detection_terms import finding_word, model_word
from desktop.record.document import BOXES, FIELDS
from desktop.record.edit_names import field_name, group_digits
from desktop.record.edits import RecordEdits
from desktop.record.open_record import OpenRecord
from desktop.record.outbox import MODIFIED_BY, RESULT, new_facts
from desktop.record.signing import OTHERS, VERDICT, sign_verdict
from desktop.widgets import (
    Banner,
    BaseDialog,
    Button,
    ButtonKind,
    label,
    row_of,
    separator,
    status_text,
    wrap_button_text,
)
from shared.names import user_label
from shared.record import results
from shared.record.codes import Verdict


class Notices(Banner):
    """Follows the journal of the account: offers to send or discard the edits from a crash, or to retry."""

    def __init__(self, edits: RecordEdits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edits = edits
        self._closed = ""
        self.closed.connect(self._on_closed)
        self.action_chosen.connect(self._send)
        self.second_action_chosen.connect(edits.discard_recovered)
        edits.saving_changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Update the notice."""
        edits = self._edits
        if edits.held:
            count = len(edits.unsent_edits())
            text = self.tr("The program closed unexpectedly. %n unsent change(s) are kept.", "", count)
            keep, discard = self.tr("Keep and send"), self.tr("Discard")
            self.show_message(text, action=keep, closable=False, second_action=discard)
            return
        text = edits.problem or edits.save_state.problem
        if not text or text == self._closed:
            self.hide()
            self._closed = text and self._closed
        else:
            self.show_message(text, "warn", "" if edits.problem else self.tr("Retry"))

    def _send(self) -> None:
        if self._edits.held:
            self._edits.send_recovered()
            self.show_state()
        else:
            self._edits.retry()

    def _on_closed(self) -> None:
        self._closed = self.text()


_CHOICE_PX = 280
"""Width of a line of a choice in px; it fits into half of the dialog."""


class ConflictDialog(BaseDialog):
    """Shows every conflict with both values of each field; the other user's value is preselected."""

    def __init__(self, open_record: OpenRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_record = open_record
        self._conflicts: Sequence[Conflict] = open_record.edits.conflicts()
        self._local_choices: dict[tuple[str, str], QRadioButton] = {}
        self._stored_choices: dict[tuple[str, str], QRadioButton] = {}
        self.setWindowTitle(self.tr("Conflicting changes"))
        self.setModal(True)
        self.setMinimumSize(760, 260)
        content = QWidget()
        content.setProperty("clear", True)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        for number, conflict in enumerate(self._conflicts):
            if number:
                self._column.addWidget(separator())
            self._add_conflict(conflict)
        self._column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(content)
        self.later = Button(self.tr("Later"))
        self.apply = Button(self.tr("Apply"), kind=ButtonKind.MAIN)
        self.apply.setObjectName("apply-decisions")
        self.later.clicked.connect(self.reject)
        self.apply.clicked.connect(self.decide)
        row = row_of(1, self.later, self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Changes that need a decision"), "item"))
        column.addWidget(scroll, 1)
        column.addLayout(row)
        # The arrows choose between the two values, Enter applies what is chosen.
        self.apply.setDefault(True)
        self.later.setAutoDefault(False)
        next(iter(self._stored_choices.values()), self.apply).setFocus()

    def local_choice(self, edit_id: str, field: str) -> QRadioButton:
        """The button that keeps the current user's value of a field."""
        return self._local_choices[edit_id, field]

    def stored_choice(self, edit_id: str, field: str) -> QRadioButton:
        """The button that keeps the other user's value of a field."""
        return self._stored_choices[edit_id, field]

    def decide(self) -> None:
        """Apply what is chosen."""
        for conflict in self._conflicts:
            edit = conflict.edit
            if edit.kind is not EditKind.UPDATE and self._local_choices[edit.id, ""].isChecked():
                self._open_record.edits.send_anyway(edit.id)
                continue
            chosen = {name for name in edit.after if (edit.id, name) in self._local_choices}
            after = {
                name: edit.after[name] for name in chosen if self._local_choices[edit.id, name].isChecked()
            }
            if BOXES in after and _withdraws_verdict(conflict):
                # Kept, so that it is known when this edit meets the verdict again, or is undone.
                after[VERDICT] = None
            self._open_record.edits.resolve(edit.id, after)
        self.accept()

    def _add_conflict(self, conflict: Conflict) -> None:
        edit = conflict.edit
        item = (
            self._open_record.document.item(edit.object_id)
            if self._open_record.document is not None
            else None
        )
        name = edit.after.get("item_name") or edit.before.get("item_name")
        name = item.item_name if item is not None else name
        self._column.addWidget(label(str(name) or self.tr("Item"), "strong"))
        refusal = self._open_record.edits.refusals.get(edit.id, "")
        if refusal or not conflict.current:
            text = refusal or self.tr("The service rejected this change.")
            self._column.addWidget(label(text, "error", wrap=True))
        else:
            text = self.tr("Another user modified this item. Select what to keep.")
            if conflict.current.get(MODIFIED_BY) and _fields_differ(conflict):
                text = self.tr("{name} modified this item. Select what to keep.").format(
                    name=conflict.current[MODIFIED_BY]
                )
            self._column.addWidget(label(text, "dim", wrap=True))
            if edit.kind is EditKind.DELETE:
                for line in self._change_lines(conflict):
                    self._column.addWidget(label(line, wrap=True))
            if edit.kind is EditKind.UPDATE and _withdraws_verdict(conflict):
                text = self.tr(
                    "The findings have changed, so the item becomes undecided. A verdict "
                    "applies only to the findings it was given for."
                )
                self._column.addWidget(label(text, "dim", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        self._column.addLayout(grid)
        if edit.kind is not EditKind.UPDATE:
            delete = edit.kind is EditKind.DELETE
            send = self.tr("Delete anyway") if delete else self.tr("Retry")
            keep = self.tr("Keep item") if delete and conflict.current else self.tr("Discard my change")
            self._add_choice(grid, 0, edit.id, "", send, keep)
            return
        verdict = conflict.current.get(VERDICT) or {}
        for row, (field, value) in enumerate(edit.after.items()):
            stored = conflict.current.get(field)
            stored_text = (
                self._value_text(field, stored) if conflict.current else self.tr("Discard my change")
            )
            local = self._value_text(field, value, by_user=True)
            if field == VERDICT and _withdraws_verdict(conflict):
                # It is decided with the findings.
                continue
            if field == VERDICT and isinstance(stored, Mapping):
                local = self._add_signature(local, self._user_name(), datetime.fromtimestamp(edit.at, UTC))
                stored_text = self._add_signature(
                    stored_text, stored.get("by_name"), _parse_time(stored.get("at"))
                )
            if field == BOXES and _withdraws_verdict(conflict):
                local = f"{local}\n{self._value_text(VERDICT, {'value': Verdict.UNDECIDED.value})}"
                signed = self._add_signature(
                    self._value_text(VERDICT, verdict), verdict.get("by_name"), _parse_time(verdict.get("at"))
                )
                stored_text = f"{stored_text}\n{signed}"
            self._add_choice(grid, row, edit.id, field, local, stored_text)

    def _add_choice(
        self, grid: QGridLayout, row: int, edit_id: str, field: str, local: str, stored: str
    ) -> None:
        grid.addWidget(label(field_name(field) if field else "", "label"), row, 0)
        group = QButtonGroup(self)
        texts = (
            self.tr("Mine: {value}").format(value=local),
            self.tr("Theirs: {value}").format(value=stored),
        )
        local_button, stored_button = (
            QRadioButton(wrap_button_text(text, self.fontMetrics(), _CHOICE_PX)) for text in texts
        )
        group.addButton(local_button)
        group.addButton(stored_button)
        stored_button.setChecked(True)
        self._local_choices[edit_id, field], self._stored_choices[edit_id, field] = (
            local_button,
            stored_button,
        )
        grid.addWidget(local_button, row, 1)
        grid.addWidget(stored_button, row, 2)

    def _change_lines(self, conflict: Conflict) -> list[str]:
        """Return what happened meanwhile to an item that the current user deleted, a line each."""
        edit, current = conflict.edit, conflict.current
        lines = [
            f"{field_name(name)}: {self._value_text(name, edit.before[name])}"
            f" → {self._value_text(name, current[name])}"
            for name in FIELDS
            if name in edit.before and current.get(name) != edit.before[name]
        ]
        payload = self._open_record.context.payload
        me = payload.user.user_id if payload is not None else ""
        for entry in new_facts(edit, current.get(RESULT) or (), me):
            decision = entry.get("verdict") or entry.get("correction")
            if results.is_verdict(entry):
                text = f"{field_name(VERDICT)}: {self._value_text(VERDICT, decision)}"
            else:
                correction = {"boxes": (entry.get("resultImage") or {}).get("boxes") or []}
                text = f"{field_name(BOXES)}: {self._value_text(BOXES, correction)}"
            signed = (
                self._add_signature(text, decision.get("by_name"), _parse_time(decision.get("at")))
                if decision
                else text
            )
            lines.append(signed.replace("\n", " – "))
        return lines

    def _user_name(self) -> str:
        payload = self._open_record.context.payload
        return user_label(payload.user.name, payload.user.username) if payload is not None else ""

    def _add_signature(self, verdict: str, name: Any, at: datetime | None) -> str:
        """A verdict with who gave it and when, on a line of their own."""
        when = format_minute(at)
        return f"{verdict}\n" + " · ".join(
            part for part in (str(name or self.tr("Another user")), when) if part
        )

    def _value_text(self, field: str, value: Any, by_user: bool = False) -> str:
        """A value of a field as a person reads it; `by_user`: as this person would write it."""
        if value is None or value == "":
            return self.tr("(empty)")
        if field == BOXES and isinstance(value, Mapping):
            return ", ".join(finding_word(str(box["label"])) for box in value["boxes"]) or self.tr("(none)")
        if field == VERDICT and isinstance(value, Mapping):
            verdict, reason = sign_verdict({**value, OTHERS: by_user and value.get(OTHERS)})
            word = status_text(verdict.value)
            return f"{word} – {reason}" if reason else word
        if field == "model_id":
            names = {m.model_id: model_word(m.model_id, m.model_name) for m in self._open_record.models}
            return names.get(str(value), str(value))
        if field == "item_point" and isinstance(value, Mapping) and value.get("point"):
            point, (width, height) = value["point"], self._open_record.link.size
            if width:
                numbers = (point["x"] * width, point["y"] * height, point["w"] * width, point["h"] * height)
                x, y, w, h = (group_digits(number) for number in numbers)
                return f"{w} × {h} px @ {x}, {y}"
        return str(value)


def _fields_differ(conflict: Conflict) -> bool:
    """True when another user changed a field other than the result, whose entries name their authors."""
    before, current = conflict.edit.before, conflict.current
    return any(name in before and current.get(name) != before[name] for name in FIELDS)


def _withdraws_verdict(conflict: Conflict) -> bool:
    """True when the edit's findings would withdraw a current verdict without setting another one."""
    after = conflict.edit.after
    return after.get(BOXES) is not None and after.get(VERDICT) is None and bool(conflict.current.get(VERDICT))


def _parse_time(moment: Any) -> datetime | None:
    """The moment that a result entry names, in UTC; None when it names none."""
    try:
        return datetime.fromisoformat(str(moment)).replace(tzinfo=UTC)
    except ValueError:
        return None
