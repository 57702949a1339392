"""The photo that is chosen in the memory of a region, and the rules that it follows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from desktop.pages.workbench.memory.contents import details
from desktop.widgets import Button, ButtonKind, Card, clear_layout, label
from shared.wire.memory import MAX_REQUIRED_PHOTOS, MemoryPhoto, MemoryState


class PhotoDetails(Card):
    """Shows the record, the user and the decision of a photo, with buttons to leave it out or put it back."""

    leave_out_wanted = Signal(str, bool)
    """The id of a file, and whether its photo is to be left out."""
    open_wanted = Signal()
    """The record of the photo is wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._photo: MemoryPhoto | None = None
        self._empty_label = label(
            self.tr("Select a photo to see who passed it, and in how many places it differs."),
            "dim",
            wrap=True,
        )
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.leave_out = Button("", icon="minus")
        self.leave_out.setObjectName("memory-leave-out")
        self.open = Button(self.tr("Open record"), icon="compare")
        self.open.setObjectName("memory-open")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(10)
        column.addWidget(self._empty_label)
        column.addLayout(self._grid)
        column.addStretch(1)
        column.addWidget(self.leave_out)
        column.addWidget(self.open)
        self.leave_out.clicked.connect(lambda _checked=False: self._on_leave_out_clicked())
        self.open.clicked.connect(lambda _checked=False: self.open_wanted.emit())
        self.show_photo(None, aligned=True, can_change=False)

    def show_photo(self, photo: MemoryPhoto | None, *, aligned: bool, can_change: bool) -> None:
        """Show a photo; None stands for the reference image.

        `aligned` says whether its picture is aligned, `can_change` whether it can be left out.
        """
        self._photo = photo
        clear_layout(self._grid)
        self._empty_label.setVisible(photo is None)
        for row, (name, value) in enumerate([] if photo is None else details(photo, aligned=aligned)):
            self._grid.addWidget(label(name, "label"), row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(label(value, wrap=True), row, 1)
        out = photo is not None and photo.left_out
        self.leave_out.setText(
            self.tr("Put back into known variations") if out else self.tr("Leave out of known variations")
        )
        self.leave_out.set_icon("plus" if out else "minus")
        self.leave_out.setVisible(photo is not None and can_change)
        self.open.setVisible(photo is not None)

    def _on_leave_out_clicked(self) -> None:
        if self._photo is not None:
            self.leave_out_wanted.emit(self._photo.file_id, not self._photo.left_out)


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
        self.required.setAccessibleName(self.tr("Minimum passed photos"))
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
        row.addWidget(label(self.tr("Minimum passed photos"), "label"))
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
