"""What the four parts of the workbench page have in common: the open record, messages and commands."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from desktop.record.item_changes import ItemChanges
from desktop.record.open_record import OpenRecord


class Needs(Enum):
    """What a command needs."""

    RECORD = auto()
    ITEMS = auto()
    ITEM = auto()
    EDIT = auto()
    """A record that the user may edit."""
    EDIT_ITEM = auto()
    """A chosen item of such a record."""


class Noticing(Protocol):
    """A controller with messages for the user."""

    @property
    def notice(self) -> SignalInstance:
        """Emits a message."""


class WorkbenchPart(QObject):
    """Owns some widgets of the page and their controllers.

    Parts know the open record, which announces its changes, and those parts that their constructors name.
    """

    notice = Signal(str)
    """A message for the user."""

    def __init__(self, open_record: OpenRecord, page: QWidget) -> None:
        super().__init__(page)
        self._open_record, self._page = open_record, page
        self._context, self._commands = open_record.context, open_record.context.commands
        self.changes = ItemChanges(open_record)
        open_record.record_changed.connect(self._on_record_changed)

    def set_editable(self, on: bool) -> None:
        """Enable or disable what edits the record."""

    def _on_record_changed(self) -> None:
        if self._open_record.document is not None:
            self.set_editable(self._open_record.editable)

    def _show_notices_of(self, *controllers: Noticing) -> None:
        for controller in controllers:
            controller.notice.connect(self.notice)

    def _bind(self, *commands: tuple[str, Callable[[], object], Needs]) -> None:
        """Bind commands by their ids. They are possible on the whole page while there is what they need."""
        for command, handler, needs in commands:
            self._commands.bind(
                command,
                handler,
                owner=self._page,
                enabled=partial(self._has, needs),
                refused=self._open_record.may_edit if needs in (Needs.EDIT, Needs.EDIT_ITEM) else None,
            )

    def _has(self, needs: Needs) -> bool:
        record = self._open_record
        match needs:
            case Needs.ITEMS:
                return bool(record.rows)
            case Needs.RECORD | Needs.ITEM:
                is_open = record.document is not None
            case Needs.EDIT | Needs.EDIT_ITEM:
                is_open = record.document is not None and record.editable
        return is_open and (needs in (Needs.RECORD, Needs.EDIT) or record.item is not None)
