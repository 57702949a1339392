"""Lets planners set when a memory is used: the required photos, freezing and starting over."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from desktop.widgets import Button, ButtonKind, label
from shared.wire.memory import MAX_REQUIRED_PHOTOS, MemoryState


class MemoryRules(QWidget):
    """The controls for required photos, freeze and start over.

    They keep typed values until the service accepted them.
    """

    required_wanted = Signal(int)
    frozen_wanted = Signal(bool)
    start_over_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._required: int | None = None
        self._frozen = False
        self.required = QSpinBox()
        self.required.setObjectName("memory-required")
        self.required.setRange(1, MAX_REQUIRED_PHOTOS)
        self.required.setAccessibleName(self.tr("Required photos"))
        self.required.setToolTip(self.tr("Minimum passed photos"))
        self.required.lineEdit().setTextMargins(6, 0, 0, 0)
        self.apply = Button(self.tr("Apply"))
        self.apply.setObjectName("memory-apply")
        self.freeze = Button("", icon="lock")
        self.freeze.setObjectName("memory-freeze")
        self.start_over = Button(self.tr("Clear known variations…"), icon="refresh", kind=ButtonKind.GHOST)
        self.start_over.setObjectName("memory-start-over")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label(self.tr("Required photos"), "label"))
        row.addWidget(self.required)
        row.addWidget(self.apply)
        row.addSpacing(12)
        row.addWidget(self.freeze)
        row.addWidget(self.start_over)
        self.required.valueChanged.connect(lambda _value: self._show_apply())
        self.apply.clicked.connect(lambda _checked=False: self.required_wanted.emit(self.required.value()))
        self.freeze.clicked.connect(lambda _checked=False: self.frozen_wanted.emit(not self._frozen))
        self.start_over.clicked.connect(lambda _checked=False: self.start_over_wanted.emit())
        self.hide()

    def show_state(self, state: MemoryState) -> None:
        """Show the present rules. A typed number that was not applied stays."""
        typed = self._required is not None and self.required.value() != self._required
        if not typed:
            self.required.setValue(state.required)
        self._required = state.required
        self._frozen = state.frozen_at is not None
        self.freeze.setText(self.tr("Unfreeze") if self._frozen else self.tr("Freeze"))
        self.freeze.setToolTip(
            self.tr("Photos that people pass from now on are added again")
            if self._frozen
            else self.tr("Photos that people pass from now on are not added")
        )
        self.freeze.setEnabled(self._frozen or bool(state.photos))
        self.start_over.setEnabled(bool(state.photos))
        self.setVisible(state.can_require and state.reference_file_id is not None)
        self._show_apply()

    def _show_apply(self) -> None:
        self.apply.setEnabled(self._required is not None and self.required.value() != self._required)
