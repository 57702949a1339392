"""Lists below the findings the differences explained by the memory of the region, on request in full."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.localization.detection_terms import finding_word
from desktop.widgets import Button, ButtonKind, clear_layout, column_of, label
from shared.record.suppression import SuppressedFinding


def reason_text(finding: SuppressedFinding) -> str:
    """Why a difference is no finding: the photos with it, and its confidence without and with the memory."""
    translate = QCoreApplication.translate
    explanation = translate(
        "Explained", "Known variation: seen in %n passed photo(s).", "", len(finding.photos)
    )
    sure = translate("Explained", "Confidence {alone} without known variations, {left} with them.")
    return f"{explanation}\n{sure.format(alone=f'{finding.score_alone:.2f}', left=f'{finding.score:.2f}')}"


def explained_boxes(findings: Sequence[SuppressedFinding]) -> list[FindingBox]:
    """The suppressed findings as boxes to paint beside the findings."""
    text = QCoreApplication.translate("Explained", "{label} (known variation)")
    return [
        FindingBox(
            finding.box,
            text.format(label=finding_word(finding.label)),
            read_only=True,
            reason=reason_text(finding),
        )
        for finding in findings
    ]


class ExplainedBox(QWidget):
    """Shows the number of explained differences. Unfolded, it lists them with their actions."""

    unfolded = Signal(bool)
    """Whether the differences are shown, also on the pictures."""
    report_wanted = Signal(object)
    """Emits the `SuppressedFinding` that the user reports as a finding."""
    memory_wanted = Signal(object)
    """Emits the `SuppressedFinding` whose photos the user wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explained")
        self._item_id = ""
        self._findings: Sequence[SuppressedFinding] = ()
        self._editable = False
        self.fold = Button("", kind=ButtonKind.QUIET, icon="chevron-right")
        self.fold.setObjectName("explained-fold")
        self.fold.setToolTip(self.tr("Show them on the photo"))
        self._content = QWidget()
        self._rows = QVBoxLayout(self._content)
        self._rows.setContentsMargins(0, 4, 0, 0)
        self._rows.setSpacing(8)
        column_of(
            (self.fold, 0, Qt.AlignmentFlag.AlignLeft), self._content, parent=self, margins=0, spacing=0
        )
        self.fold.clicked.connect(lambda _checked=False: self.open(not self.is_open))
        self._content.hide()
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether they are listed, and shown on the pictures."""
        return not self._content.isHidden()

    @property
    def shown_findings(self) -> Sequence[SuppressedFinding]:
        """The suppressed findings that are shown on the pictures."""
        return self._findings if self.is_open else ()

    def show_explained(self, item_id: str, findings: Sequence[SuppressedFinding]) -> None:
        """Show the suppressed findings of an item. The box is folded when the item changes."""
        if item_id != self._item_id or not findings:
            self._content.hide()
        changed = (item_id, list(findings)) != (self._item_id, list(self._findings))
        self._item_id, self._findings = item_id, findings
        if changed:
            # A button keeps the focus when the same is shown again.
            self._fill()
        self.setVisible(bool(findings))

    def set_editable(self, on: bool) -> None:
        """Enable or disable reporting them as findings."""
        if on != self._editable:
            self._editable = on
            self._fill()

    def open(self, on: bool) -> None:
        """List them and show them on the pictures, or show only how many there are."""
        self._content.setVisible(on)
        self._fill()
        self.unfolded.emit(on)

    def _fill(self) -> None:
        self.fold.setText(self.tr("%n known variation(s) not reported", "", len(self._findings)))
        self.fold.set_icon("chevron-down" if self.is_open else "chevron-right")
        clear_layout(self._rows)
        if not self.is_open:
            return
        for finding in self._findings:
            self._rows.addWidget(self._row(finding))

    def _row(self, finding: SuppressedFinding) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(18, 0, 0, 0)
        column.setSpacing(2)
        text = self.tr("{label}: {alone} without known variations, {left} with them").format(
            label=finding_word(finding.label), alone=f"{finding.score_alone:.2f}", left=f"{finding.score:.2f}"
        )
        line = label(text, wrap=True)
        line.setToolTip(reason_text(finding))
        column.addWidget(line)
        column.addWidget(label(self.tr("Seen in %n passed photo(s)", "", len(finding.photos)), "small"))
        links = QHBoxLayout()
        links.setSpacing(10)
        report = Button(self.tr("Report as finding"), kind=ButtonKind.LINK)
        report.setObjectName("explained-report")
        report.setEnabled(self._editable)
        report.clicked.connect(partial(self._report, finding))
        memory = Button(self.tr("Open known variations"), kind=ButtonKind.LINK)
        memory.setObjectName("explained-memory")
        memory.clicked.connect(partial(self._open_memory, finding))
        links.addWidget(report)
        links.addWidget(memory)
        links.addStretch(1)
        column.addLayout(links)
        return row

    def _report(self, finding: SuppressedFinding, _checked: bool = False) -> None:
        self.report_wanted.emit(finding)

    def _open_memory(self, finding: SuppressedFinding, _checked: bool = False) -> None:
        self.memory_wanted.emit(finding)
