"""Deletes a catalogue entry, and asks again if another user has changed it."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication

from desktop.background.workers import run
from desktop.client.api.catalogue import Entries
from desktop.localization.dates import format_minute
from desktop.pages.catalogue.saving import EntryConflictError, delete_unchanged_entry
from desktop.pages.common.lists.list_section import Section
from desktop.widgets import confirm
from shared.wire.common import Page as Listing

T = TypeVar("T")


class DeletableSection(Section[T]):
    """A section that deletes an entry only if it is unchanged, or if the user insists."""

    def entries(self) -> Entries[Any, Any]:
        """The API calls for this kind of entry."""
        raise NotImplementedError

    def fetch(self, number: int, size: int, text: str) -> Listing[T]:
        return self.entries().list(number, size, text)

    def delete(self, entry: T) -> None:
        """Delete an entry, in a worker thread. Raises EntryConflictError if another user changed it."""
        delete_unchanged_entry(self.entries(), self.key(entry), entry)

    def _on_delete_failed(self, name: str, error: Exception) -> None:
        if not isinstance(error, EntryConflictError):
            super()._on_delete_failed(name, error)
            return
        translate = QCoreApplication.translate
        text = translate("Catalogue", "Another user modified it at {time}:").format(
            time=format_minute(error.current.updated_at)
        )
        lines = [
            text,
            *(
                _change_text(getattr(error.base, field), getattr(error.current, field))
                for field in error.fields
            ),
        ]
        title = translate("Catalogue", "Delete {name} anyway?").format(name=name)
        if confirm(self, title, "\n".join(lines), translate("Catalogue", "Delete anyway")):
            run(
                self.delete,
                error.current,
                owner=self,
                done=lambda _: self._on_deleted(name),
                failed=lambda next_error: self._on_delete_failed(name, next_error),
            )
        else:
            self.reload()


def _change_text(before: Any, after: Any) -> str:
    return f"{_value_text(before)} → {_value_text(after)}"


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return QCoreApplication.translate("Catalogue", "%n template region(s)", "", len(value))
    return "–" if value in (None, "") else str(value)
