"""Lists the passed items of a record that were not inspected completely, in the dialog that finishes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.localization.detection_terms import percent
from desktop.widgets import Button, ButtonKind, ElidedLabel, label, row_of
from shared.record.codes import InspectionGap
from shared.record.entries import EntryCoverage

_VISIBLE_ITEMS = 4
_MAX_ITEMS = 200


@dataclass(frozen=True, slots=True)
class UninspectedItem:
    """An item that a person passed, and what its inspection lacks.

    `coverage` is how much of its region the detection inspected, None if unknown.
    """

    item_id: str
    number: int
    name: str
    gap: InspectionGap
    coverage: EntryCoverage | None = None


class UninspectedItems(QWidget):
    """A line for each item, and a link to the first one."""

    go_to_item_requested = Signal(str)
    """The ID of the first item."""

    def __init__(self, items: Sequence[UninspectedItem]) -> None:
        super().__init__()
        self.setObjectName("finish-uninspected")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        title = self.tr("%n passed item(s) were not inspected completely.", "", len(items))
        column.addWidget(label(title, "error", wrap=True))
        rows = QWidget()
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(4)
        for item in items[:_MAX_ITEMS]:
            lines.addLayout(_item_row(item))
        if len(items) > _MAX_ITEMS:
            lines.addWidget(label(self.tr("and %n more", "", len(items) - _MAX_ITEMS), "dim"))
        content: QWidget = rows
        if len(items) > _VISIBLE_ITEMS:
            content = QScrollArea()
            content.setWidgetResizable(True)
            content.setWidget(rows)
            content.setFixedHeight((self.fontMetrics().lineSpacing() + 6) * _VISIBLE_ITEMS)
        column.addWidget(content)
        first = Button(self.tr("Go to first of these items"), kind=ButtonKind.LINK)
        first.setObjectName("finish-go-to-uninspected")
        first.clicked.connect(lambda _checked=False: self.go_to_item_requested.emit(items[0].item_id))
        line = row_of(first, 1)
        column.addLayout(line)


def _item_row(item: UninspectedItem) -> QHBoxLayout:
    return row_of(
        label(f"{item.number}", "dim"), (ElidedLabel(item.name), 1), label(gap_text(item), "dim"), spacing=8
    )


def gap_text(item: UninspectedItem) -> str:
    """What the inspection of the item lacks."""
    match item.gap:
        case InspectionGap.NO_PHOTO:
            return QCoreApplication.translate("UninspectedItems", "no photo")
        case InspectionGap.NOT_DETECTED:
            return QCoreApplication.translate("UninspectedItems", "not detected")
    share = "–" if item.coverage is None else percent(item.coverage["inspected"])
    return QCoreApplication.translate("UninspectedItems", "{share}% of the region inspected").format(
        share=share
    )
