"""Edits the classes of a model: names, thresholds and severities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from desktop.localization.detection_terms import BUILT_IN_LABELS, finding_word, severity_word
from desktop.widgets import Button, ButtonKind, Combo, column_of, row_of, title_width
from shared.wire.detection import DetectionModel, ModelKind, Severity

_MAX_ROWS = 200
"""The most classes with a threshold and a severity in the table; further classes only have a name."""
_TABLE_HEIGHT_PX = 200
_ROW_PX = 36
_COLUMN_PX = 104
_SEVERITY_PX = 124
_MAX_NAME_LENGTH = 255
NAME, THRESHOLD, FAILS, SEVERITY = range(4)


class ClassTable(QWidget):
    """A row for each class, in the order of the model's outputs."""

    changed = Signal()
    """Emitted when the user changed something."""

    def __init__(self, entry: DetectionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        self._editable = entry.kind is not ModelKind.REFERENCE_DIFFERENCE
        """Whether names and thresholds of this model can be changed."""
        self._labels: list[str] = list(entry.labels if self._editable else BUILT_IN_LABELS)
        """The labels of the rows before they were edited."""
        self._severities: Mapping[str, Severity] = {}
        self._is_filling = False
        self.table = QTableWidget(0, 4)
        self.paste = Button(self.tr("Paste names (one per line)"), icon="copy", kind=ButtonKind.LINK)
        self.paste.setObjectName("paste-classes")
        self.paste.setVisible(self._editable)
        self.add_button = Button(self.tr("Add label"), icon="plus", kind=ButtonKind.LINK)
        self.add_button.setObjectName("add-label")
        self.add_button.setVisible(not self._editable)
        self._build()
        self._fill(self._labels)
        self.table.itemChanged.connect(lambda _: self._emit_changed())
        self.paste.clicked.connect(lambda _checked=False: self.paste_names())
        self.add_button.clicked.connect(lambda _checked=False: self.add_label())

    def _build(self) -> None:
        table = self.table
        table.setAccessibleName(self.tr("Model classes"))
        table.setHorizontalHeaderLabels(
            [self.tr("Class"), self.tr("Threshold"), self.tr("Counts as failure"), self.tr("Severity")]
        )
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        head, rows = table.horizontalHeader(), table.verticalHeader()
        # The row headers are the class numbers of the model, from 0.
        rows.setDefaultSectionSize(_ROW_PX)
        rows.setVisible(self._editable)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in ((THRESHOLD, _COLUMN_PX), (FAILS, _COLUMN_PX), (SEVERITY, _SEVERITY_PX)):
            title = str(table.model().headerData(column, Qt.Orientation.Horizontal))
            head.resizeSection(column, max(width, title_width(title)))
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (THRESHOLD, FAILS):
            table.setColumnHidden(column, not self._editable)
        table.setMinimumHeight(_TABLE_HEIGHT_PX)
        foot = row_of(self.paste, self.add_button, 1)
        column_of((table, 1), foot, parent=self, margins=0, spacing=6)

    def _fill(self, names: Sequence[str]) -> None:
        settings = self._entry.settings
        fails, thresholds = settings.get("fail_labels"), settings.get("per_label") or {}
        self._is_filling = True
        start = self.table.rowCount()
        self.table.setRowCount(len(names))
        self.table.setVerticalHeaderLabels([str(number) for number in range(len(names))])
        for row in range(start, len(names)):
            name = names[row]
            # The labels of the built-in model are codes, which are translated.
            item = QTableWidgetItem(name if self._editable else finding_word(name))
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            is_editable = self._editable or row >= len(BUILT_IN_LABELS)
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if is_editable else flags)
            self.table.setItem(row, NAME, item)
            if row >= _MAX_ROWS:
                continue
            box = fraction_box(float(thresholds.get(name, 0.0)))
            box.setSpecialValueText(self.tr("Default"))
            box.setAccessibleName(self.tr("Threshold of {label}").format(label=finding_word(name)))
            box.valueChanged.connect(lambda _: self._emit_changed())
            self.table.setCellWidget(row, THRESHOLD, box)
            fail_box = QCheckBox()
            fail_box.setAccessibleName(self.tr("{label} counts as failure").format(label=finding_word(name)))
            fail_box.setChecked(fails is None or name in fails)
            fail_box.toggled.connect(lambda _: self._emit_changed())
            self.table.setCellWidget(row, FAILS, fail_box)
            severity = Combo(self.tr("Severity of {label}").format(label=finding_word(name)))
            severity.set_choices([("", "–"), *((level.value, severity_word(level)) for level in Severity)])
            severity.setEnabled(False)
            severity.setMinimumHeight(_ROW_PX)
            severity.picked.connect(lambda _: self._emit_changed())
            self.table.setCellWidget(row, SEVERITY, severity)
        self._is_filling = False

    def _emit_changed(self) -> None:
        if not self._is_filling:
            self.changed.emit()

    def show_severities(self, severities: Mapping[str, Severity]) -> None:
        """Show the current severities of labels; before this call no severity can be selected.

        For the built-in model, every label with a severity is listed, because users draw findings with other
        labels.
        """
        self._severities = severities
        if not self._editable:
            self._labels += [name for name in severities if name not in self._labels]
            self._fill(self._labels)
        for row, name in enumerate(self._labels[:_MAX_ROWS]):
            combo = self.table.cellWidget(row, SEVERITY)
            assert isinstance(combo, Combo)
            combo.set_value(severities[name].value if name in severities else "")
            combo.setEnabled(True)

    def add_label(self) -> None:
        """Add a row for a label that users type."""
        row = self.table.rowCount()
        self._fill([*self.names(), ""])
        combo = self.table.cellWidget(row, SEVERITY)
        if combo is not None:
            combo.setEnabled(True)
        self.table.scrollToBottom()
        item = self.table.item(row, NAME)
        if item is not None:
            self.table.editItem(item)

    def paste_names(self) -> None:
        """Read the names of the classes from the clipboard, one on each line, beginning with class 0."""
        lines = [line.strip() for line in QGuiApplication.clipboard().text().splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        rows = self.table.rowCount()
        if not rows:
            self._labels = lines
            self._fill(lines)
            self.show_severities(self._severities)
        for row, name in enumerate(lines[:rows]):
            item = self.table.item(row, NAME)
            if name and item is not None:
                item.setText(name[:_MAX_NAME_LENGTH])
        self._emit_changed()

    # -- edited values

    def names(self) -> list[str]:
        """The names of the classes; those of the built-in model are codes.

        The name of a class without text contains its number.
        """
        items = [self.table.item(row, NAME) for row in range(self.table.rowCount())]
        texts = [item.text().strip()[:_MAX_NAME_LENGTH] if item is not None else "" for item in items]
        if not self._editable:
            return [*BUILT_IN_LABELS, *texts[len(BUILT_IN_LABELS) :]]
        return [name or f"class {number}" for number, name in enumerate(texts)]

    def duplicate_name(self) -> str:
        """A name that two classes share; empty if all names differ."""
        seen: set[str] = set()
        for name in filter(None, self.names()):
            if name in seen:
                return name
            seen.add(name)
        return ""

    def rules(self) -> dict[str, Any]:
        """The edited settings `per_label` and `fail_labels`, by the edited names."""
        names, settings = self.names(), self._entry.settings
        visible_names = names[:_MAX_ROWS]
        renamed_labels = dict(zip(self._labels[_MAX_ROWS:], names[_MAX_ROWS:], strict=True))
        thresholds = {
            renamed_labels[name]: value
            for name, value in (settings.get("per_label") or {}).items()
            if name in renamed_labels
        }
        fail_labels = settings.get("fail_labels")
        fails = [
            renamed_labels[name] for name in renamed_labels if fail_labels is None or name in fail_labels
        ]
        for row, name in enumerate(visible_names):
            box, fail_box = self.table.cellWidget(row, THRESHOLD), self.table.cellWidget(row, FAILS)
            assert isinstance(box, QDoubleSpinBox)
            assert isinstance(fail_box, QCheckBox)
            if box.value() > 0:
                thresholds[name] = box.value()
            if fail_box.isChecked():
                fails.append(name)
        all_fail = len(fails) == len(names)
        return {
            "per_label": thresholds,
            "fail_labels": None if all_fail else [name for name in names if name in fails],
        }

    def severities(self) -> dict[str, Severity | None]:
        """The changed severities, by the edited names."""
        changes: dict[str, Severity | None] = {}
        for row, name in enumerate(self.names()[:_MAX_ROWS]):
            combo = self.table.cellWidget(row, SEVERITY)
            assert isinstance(combo, Combo)
            if name and combo.isEnabled():
                severity = Severity(str(combo.value())) if combo.value() else None
                if severity is not self._severities.get(name):
                    changes[name] = severity
        return changes


def fraction_box(value: float) -> QDoubleSpinBox:
    """Make a field for a number from 0 to 1."""
    box = QDoubleSpinBox()
    box.setRange(0, 1)
    box.setSingleStep(0.05)
    box.setDecimals(2)
    box.setValue(value)
    box.lineEdit().setTextMargins(6, 0, 0, 0)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box
