"""Shows the data of the chosen photo of a memory, and its actions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from desktop.pages.workbench.memory.wording import details
from desktop.widgets import Button, Card, clear_layout, label
from shared.wire.memory import MemoryPhoto


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
