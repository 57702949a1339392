"""Deletes a catalogue entry after showing what another user changed meanwhile."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication

from desktop.background.workers import run
from desktop.client.api.catalogue import Entries
from desktop.localization.dates import minute
from desktop.pages.catalogue.saving import EntryConflictError, remove
from desktop.pages.common.lists.list_section import Section
from desktop.widgets import confirm

T = TypeVar("T")


class DeletableSection(Section[T]):
    """A section that deletes an entry only if it is unchanged, or if the user insists."""

    def entries(self) -> Entries[Any, Any]:
        """The calls of this kind of entry."""
        raise AssertionError(f"{type(self).__name__} knows its entries")

    def delete(self, entry: T) -> None:
        """Delete it, off the GUI thread. Raises EntryConflictError when another user changed it meanwhile."""
        remove(self.entries(), self.key(entry), entry)

    def _on_delete_failed(self, name: str, error: Exception) -> None:
        if not isinstance(error, EntryConflictError):
            super()._on_delete_failed(name, error)
            return
        translate = QCoreApplication.translate
        text = translate("Catalogue", "Another user modified it at {time}:").format(
            time=minute(error.now.updated_at)
        )
        lines = [
            text,
            *(_change_text(getattr(error.base, field), getattr(error.now, field)) for field in error.fields),
        ]
        title = translate("Catalogue", "Delete {name} anyway?").format(name=name)
        if confirm(self, title, "\n".join(lines), translate("Catalogue", "Delete anyway")):
            run(
                self.delete,
                error.now,
                owner=self,
                done=lambda _: self._on_deleted(name),
                failed=lambda again: self._on_delete_failed(name, again),
            )
        else:
            self.reload()


def _change_text(before: Any, after: Any) -> str:
    return f"{_value_text(before)} → {_value_text(after)}"


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return QCoreApplication.translate("Catalogue", "%n template region(s)", "", len(value))
    return "–" if value in (None, "") else str(value)
