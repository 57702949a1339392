"""Switches between reference image and photo by two buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from desktop.commands.bindings import Commands
from desktop.widgets import Button, ButtonKind, escape_tooltip


class PictureSwitch(QWidget):
    """Buttons for reference image and photo. While both are compared, neither is marked."""

    chosen = Signal(bool)
    """Emits True for the photo, False for the reference image."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reference = Button(self.tr("Reference"), kind=ButtonKind.TOOL)
        self.reference.setObjectName("show-reference")
        self.photo = Button(self.tr("Photo"), kind=ButtonKind.TOOL)
        self.photo.setObjectName("show-photo")
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for button, photo in ((self.reference, False), (self.photo, True)):
            button.setCheckable(True)
            button.setToolTip(escape_tooltip(commands.tooltip("view.photo")))
            button.clicked.connect(lambda _checked=False, it=photo: self.chosen.emit(it))
            self._group.addButton(button)
            row.addWidget(button)
        self.show_picture(photo=False)

    def show_picture(self, photo: bool | None) -> None:
        """Mark the shown picture; None marks neither."""
        self._group.setExclusive(photo is not None)
        self.reference.setChecked(photo is False)
        self.photo.setChecked(photo is True)
