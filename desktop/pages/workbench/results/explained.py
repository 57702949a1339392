# ruff: noqa: N815 - Qt signals
"""Says below the findings what the memory of the region explains, and shows it when the person wants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.localization.detection_terms import finding_word
from desktop.widgets import Button, ButtonKind, clear, label
from shared.suppressed import SuppressedFinding


def reason_text(one: SuppressedFinding) -> str:
    """Why a difference is no finding: in how many photos it was seen, and what the confidence was and is."""
    translate = QCoreApplication.translate
    seen = translate("Explained", "Explained by memory: seen in %n photo(s) of it.", "", len(one.photos))
    sure = translate("Explained", "Confidence {alone} without the memory, {left} with it.")
    return f"{seen}\n{sure.format(alone=f'{one.score_alone:.2f}', left=f'{one.score:.2f}')}"


def explained_boxes(found: Sequence[SuppressedFinding]) -> list[FindingBox]:
    """What the memory explains, as boxes to paint beside the findings."""
    text = QCoreApplication.translate("Explained", "{label} (memory)")
    return [
        FindingBox(one.box, text.format(label=finding_word(one.label)), quiet=True, reason=reason_text(one))
        for one in found
    ]


class ExplainedBox(QWidget):
    """A line with how many differences are explained; unfolded, each with what can be done about it."""

    unfolded = Signal(bool)
    """Whether they are to be seen on the pictures, too."""
    reportWanted = Signal(object)
    """The `SuppressedFinding` that is a finding after all."""
    memoryWanted = Signal(object)
    """The `SuppressedFinding` whose photos the person wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explained")
        self._item_id = ""
        self._found: Sequence[SuppressedFinding] = ()
        self._editable = False
        self.fold = Button("", kind=ButtonKind.QUIET, icon="chevron-right")
        self.fold.setObjectName("explained-fold")
        self.fold.setToolTip(self.tr("Show them on the photo"))
        self._content = QWidget()
        self._rows = QVBoxLayout(self._content)
        self._rows.setContentsMargins(0, 4, 0, 0)
        self._rows.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._content)
        self.fold.clicked.connect(lambda _checked=False: self.open(not self.is_open))
        self._content.hide()
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether they are listed, and to be seen on the pictures."""
        return not self._content.isHidden()

    @property
    def shown(self) -> Sequence[SuppressedFinding]:
        """What is to be seen on the pictures."""
        return self._found if self.is_open else ()

    def show_explained(self, item_id: str, found: Sequence[SuppressedFinding]) -> None:
        """Say what the memory explains of an item; folded for another item than before."""
        if item_id != self._item_id or not found:
            self._content.hide()
        changed = (item_id, list(found)) != (self._item_id, list(self._found))
        self._item_id, self._found = item_id, found
        if changed:
            # Whose focus is on a button, keeps it when the same is shown again.
            self._fill()
        self.setVisible(bool(found))

    def set_editable(self, on: bool) -> None:
        """Let them be reported as findings, or only be seen."""
        if on != self._editable:
            self._editable = on
            self._fill()

    def open(self, on: bool) -> None:
        """List them and show them on the pictures, or only say how many there are."""
        self._content.setVisible(on)
        self._fill()
        self.unfolded.emit(on)

    def _fill(self) -> None:
        self.fold.setText(self.tr("%n difference(s) explained by memory", "", len(self._found)))
        self.fold.set_icon("chevron-down" if self.is_open else "chevron-right")
        clear(self._rows)
        if not self.is_open:
            return
        for one in self._found:
            self._rows.addWidget(self._row(one))

    def _row(self, one: SuppressedFinding) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(18, 0, 0, 0)
        column.setSpacing(2)
        said = self.tr("{label}: {alone} without memory, {left} with it").format(
            label=finding_word(one.label), alone=f"{one.score_alone:.2f}", left=f"{one.score:.2f}"
        )
        line = label(said, wrap=True)
        line.setToolTip(reason_text(one))
        column.addWidget(line)
        column.addWidget(label(self.tr("Seen in %n photo(s) of the memory", "", len(one.photos)), "small"))
        links = QHBoxLayout()
        links.setSpacing(10)
        report = Button(self.tr("Report as finding"), kind=ButtonKind.LINK)
        report.setObjectName("explained-report")
        report.setEnabled(self._editable)
        report.clicked.connect(partial(self._report, one))
        memory = Button(self.tr("Open memory"), kind=ButtonKind.LINK)
        memory.setObjectName("explained-memory")
        memory.clicked.connect(partial(self._open_memory, one))
        links.addWidget(report)
        links.addWidget(memory)
        links.addStretch(1)
        column.addLayout(links)
        return row

    def _report(self, one: SuppressedFinding, _checked: bool = False) -> None:
        self.reportWanted.emit(one)

    def _open_memory(self, one: SuppressedFinding, _checked: bool = False) -> None:
        self.memoryWanted.emit(one)
