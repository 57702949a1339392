"""Lists the findings of an item with labels and confidence, filtered by a threshold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip, QVBoxLayout, QWidget

from desktop.canvas.layers.chips import draw_mark
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.model.regions import RegionState
from desktop.localization.detection_terms import (
    finding_word,
    memory_details,
    memory_word,
    severity_word,
    size_text,
)
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.theme import LABEL_PX, TEXT_PX, text_font, theme_manager
from desktop.widgets import Button, ButtonKind, label, row_of
from shared.record.findings import Finding

ROW_PX = 24
_TALL_PX = 40
"""Height in px of a row with more than label and confidence."""
_TICK_PX = 17
FIRST_SHOWN = 0.4
"""The first threshold for a result that does not store its least confidence."""
SURE = 0.5
"""From this confidence on a finding is marked as failed, below as undecided."""


def finding_boxes(findings: Sequence[Finding], chosen: int) -> list[FindingBox]:
    """Convert findings to boxes to paint. The one at the index `chosen` is highlighted."""
    return [
        FindingBox(
            finding.box,
            finding_word(finding.label),
            None if finding.is_drawn else finding.confidence,
            RegionState.FAILED if finding.confidence >= SURE else RegionState.UNDECIDED,
            highlighted=index == chosen,
            author=finding.author_name,
        )
        for index, finding in enumerate(findings)
    ]


class FindingList(QWidget):
    """Lists findings with a bar for their confidence. One of them can be chosen."""

    chosen = Signal(int)
    """The index of the finding that the user chose; -1 for none."""
    menu_wanted = Signal(object)
    """The place on the screen (`QPoint`) for the menu of the chosen finding."""
    accept_wanted = Signal(int)
    relabel_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findings")
        self.setAccessibleName(self.tr("Findings"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._findings: Sequence[Finding] = ()
        self.current = -1

    @property
    def findings(self) -> Sequence[Finding]:
        """What is listed."""
        return self._findings

    @property
    def row_px(self) -> int:
        """How high each row is."""
        return _TALL_PX if any(map(_more, self._findings)) else ROW_PX

    def show_findings(self, findings: Sequence[Finding], current: int) -> None:
        """List these."""
        self._findings, self.current = findings, current
        self.setAccessibleDescription("; ".join(self._description(finding) for finding in findings))
        self.setToolTip(
            self.tr("Click the square to accept · double-click to relabel")
            + "\n"
            + self.tr("Delete false alarms: they become known variations when the item is decided")
        )
        self.updateGeometry()
        self.update()

    def _description(self, finding: Finding) -> str:
        sure = self._author(finding) if finding.is_drawn else f"{finding.confidence:.2f}"
        description = ", ".join(
            part for part in (f"{finding_word(finding.label)} {sure}", _more(finding)) if part
        )
        return f"{description} ({self.tr('accepted')})" if finding.accepted else description

    def _author(self, finding: Finding) -> str:
        """Who drew a finding, in place of a confidence."""
        return finding.author_name or self.tr("drawn manually")

    def sizeHint(self) -> QSize:
        return QSize(200, self.row_px * len(self._findings))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip(event.pos()), self)
            return True
        return super().event(event)

    def tip(self, place: QPoint) -> str:
        """The tooltip at a position: what the service measured of its finding, then the mouse actions."""
        row = place.y() // self.row_px
        if not 0 <= row < len(self._findings):
            return self.toolTip()
        parts = memory_details(self._findings[row].memory_reason), self.toolTip()
        return "\n".join(part for part in parts if part)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        row = int(event.position().y() // self.row_px)
        # The right button opens the menu of a finding.
        if event.button() is not Qt.MouseButton.LeftButton or not 0 <= row < len(self._findings):
            return
        if event.position().x() < _TICK_PX:
            self.accept_wanted.emit(row)
        else:
            self.chosen.emit(-1 if row == self.current else row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = int(event.position().y() // self.row_px)
        if event.button() is Qt.MouseButton.LeftButton and 0 <= row < len(self._findings):
            self.chosen.emit(row)
            self.relabel_wanted.emit(row)

    def edit_label(self, place: int, labels: Sequence[str]) -> LabelEditor:
        """Open a field for the label of the finding at `place`. `labels` are the suggestions."""
        # In the parent: the list is no higher than its rows, which are lower than a field.
        parent = self.parentWidget() or self
        editor = LabelEditor(labels, self._findings[place].label, parent)
        height = editor.sizeHint().height()
        corner = self.mapTo(parent, QPoint(16, place * self.row_px + (ROW_PX - height) // 2))
        top = max(min(corner.y(), parent.height() - height), 0)
        editor.setGeometry(corner.x(), top, max(self.width() - 62, 140), height)
        editor.show()
        editor.setFocus()
        return editor

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = event.pos().y() // self.row_px
        if event.reason() is not QContextMenuEvent.Reason.Keyboard and 0 <= row < len(self._findings):
            self.chosen.emit(row)
        if self.current >= 0:
            self.menu_wanted.emit(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # As in every list, the arrows choose and Space ticks; what else is done with a finding are commands.
        if event.key() == Qt.Key.Key_Space and self.current >= 0:
            self.accept_wanted.emit(self.current)
            return
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None or not self._findings:
            super().keyPressEvent(event)
            return
        self.chosen.emit(min(max(self.current + step, 0), len(self._findings) - 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, row_px = min(max(self.width() * 0.28, 70), 110), self.row_px
        for row, finding in enumerate(self._findings):
            top = row * row_px
            tone = "failed" if finding.confidence >= SURE else "undecided"
            if row == self.current:
                painter.setPen(QPen(QColor(theme.accent)) if self.hasFocus() else Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.accent_ground))
                painter.drawRoundedRect(QRectF(0.5, top + 0.5, self.width() - 1, row_px - 1), 4, 4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(theme, tone)))
            painter.drawRoundedRect(QRectF(2, top + 6, 12, 12), 3, 3)
            if finding.accepted:
                draw_mark(painter, QRectF(3.5, top + 7.5, 9, 9), RegionState.PASSED, QColor(theme.panel))
            painter.setFont(text_font(TEXT_PX))
            painter.setPen(QColor(theme.text))
            metrics, elide = QFontMetrics(painter.font()), Qt.TextElideMode.ElideRight
            named = self.width() * 0.55 if finding.is_drawn else left
            text = metrics.elidedText(finding_word(finding.label), elide, round(named - 22))
            painter.drawText(QRectF(18, top, named - 20, ROW_PX), Qt.AlignmentFlag.AlignVCenter, text)
            dim = QColor(theme.dim_text if row == self.current else theme.dim)
            if row_px > ROW_PX:
                painter.setFont(text_font(LABEL_PX))
                painter.setPen(dim)
                cell = QRectF(18, top + ROW_PX - 5, self.width() - 20, LABEL_PX + 6)
                more = QFontMetrics(painter.font()).elidedText(_more(finding), elide, round(cell.width()))
                painter.drawText(cell, Qt.AlignmentFlag.AlignVCenter, more)
                painter.setFont(text_font(TEXT_PX))
            end = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            if finding.is_drawn:
                painter.setPen(dim)
                cell = QRectF(named, top, self.width() - named - 2, ROW_PX)
                painter.drawText(
                    cell, end, metrics.elidedText(self._author(finding), elide, round(cell.width()))
                )
                continue
            bar = QRectF(left, top + ROW_PX / 2 - 2, self.width() - left - 46, 4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.raised))
            painter.drawRoundedRect(bar, 2, 2)
            bar.setWidth(max(bar.width() * min(max(finding.confidence, 0.0), 1.0), 4))
            painter.setBrush(QColor(getattr(theme, tone)))
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(dim)
            painter.drawText(QRectF(self.width() - 44, top, 42, ROW_PX), end, f"{finding.confidence:.2f}")
        painter.end()


def _more(finding: Finding) -> str:
    """The severity, size and memory of a finding, as far as they are known."""
    details = (
        severity_word(finding.severity),
        size_text(finding.size_mm),
        memory_word(finding.memory_reason),
    )
    return " · ".join(part for part in details if part)


class FindingsBox(QWidget):
    """The list below its heading, with the threshold of the confidence."""

    chosen = Signal(int)
    """The index of the chosen finding among the shown ones; -1 for none."""
    threshold_changed = Signal(float)
    """Emits the least confidence (0..1) of shown findings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._findings: Sequence[Finding] = ()
        self._nothing = ""
        self._threshold_label = label("", "label")
        self._none = label("", "dim", wrap=True)
        self.list = FindingList()
        self.heat = Button("", kind=ButtonKind.LINK)
        self.heat.setObjectName("findings-heat")
        self.heat.hide()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("confidence")
        self.slider.setAccessibleName(self.tr("Minimum confidence of findings"))
        self.slider.setRange(0, 100)
        self.slider.setValue(round(FIRST_SHOWN * 100))
        self.slider.setPageStep(5)
        self.slider.setMinimumHeight(20)
        self.slider.setMinimumWidth(60)
        head = row_of(
            label(self.tr("Findings"), "label"), (self.slider, 1), 0, self._threshold_label, spacing=10
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.list)
        column.addWidget(self._none)
        column.addWidget(self.heat, 0, Qt.AlignmentFlag.AlignLeft)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.list.chosen.connect(self.chosen)
        self._show_threshold()

    @property
    def threshold(self) -> float:
        """The least confidence that is shown, 0..1."""
        return self.slider.value() / 100

    @property
    def shown_findings(self) -> list[Finding]:
        """The findings at or above the threshold."""
        return [finding for finding in self._findings if finding.confidence >= self.threshold]

    def begin_at(self, threshold: float) -> None:
        """Show findings from this confidence (0..1) on, until the user moves the slider."""
        self.slider.blockSignals(True)
        self.slider.setValue(round(threshold * 100))
        self.slider.blockSignals(False)
        self._show_threshold()

    @property
    def text(self) -> str:
        """The text that stands in place of the findings, or says how many are not shown."""
        return self._none.text()

    def show_findings(self, findings: Sequence[Finding], nothing: str, current: int = -1) -> None:
        """Show these findings, or the text `nothing` if there are none."""
        self._findings = findings
        self._nothing = nothing
        self.slider.setVisible(bool(findings))
        self._threshold_label.setVisible(bool(findings))
        self._list(current)

    def show_heat(self, has_heat: bool, is_shown: bool) -> None:
        """Offer the heat map if the photo has one; `is_shown`: whether it is on view."""
        self.heat.setText(self.tr("Hide heat map") if is_shown else self.tr("Show heat map"))
        self.heat.setVisible(has_heat)

    def choose(self, place: int) -> None:
        """Mark one of the shown findings."""
        self._list(place)

    def _list(self, current: int) -> None:
        shown = self.shown_findings
        self.list.show_findings(shown, current if current < len(shown) else -1)
        self.list.setVisible(bool(shown))
        hidden = len(self._findings) - len(shown)
        text = self._nothing
        if self._findings:
            text = (
                self.tr("%n finding(s) below the threshold; reports include all", "", hidden)
                if hidden
                else ""
            )
        self._none.setText(text)
        self._none.setVisible(bool(text))

    def _on_slider_moved(self) -> None:
        self._show_threshold()
        self._list(-1)
        self.threshold_changed.emit(self.threshold)

    def _show_threshold(self) -> None:
        self._threshold_label.setText(self.tr("Confidence ≥ {value}").format(value=f"{self.threshold:.2f}"))
        self._threshold_label.setMinimumHeight(LABEL_PX + 4)
