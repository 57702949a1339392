"""Implements a searchable, paged list with actions on the selected entry."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.context import Context
from desktop.pages.common.lists.sections_page import PageSection
from desktop.pages.common.messages.error_messages import sentence
from desktop.widgets import Button, ButtonKind, Card, Column, Pager, SearchField, StateStack, Table, confirm
from shared.codes import Permission
from shared.wire.common import Page as Listing

T = TypeVar("T")

NOTHING = "–"
"""The text of a cell without a value."""


class Section(PageSection, Generic[T]):
    """A list of entries. A subclass provides the view and how to fetch, name, edit and delete an entry.

    Every user with the right to read sees the list; the rest is there for those who have the right `manage`.
    """

    manage: ClassVar[Permission] = Permission.CATALOGUE_MANAGE
    sign: ClassVar[str] = "list"
    """Icon of the empty list."""
    new_command: ClassVar[str] = "entry.new"
    delete_command: ClassVar[str] = "entry.delete"
    """Empty where the key must not do it."""
    counted = Signal(int)
    """How many entries there are in all, whatever is searched for."""

    def __init__(self, context: Context, new: str, search: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._number = 1
        self._keep = ""
        self._was_saved = False
        self._task: Task | None = None
        self.may_edit = False
        self.search = SearchField(search)
        self.new = Button(
            new, kind=ButtonKind.MAIN, icon="plus", keys=context.commands.keys_text(self.new_command)
        )
        self.edit = Button(self.tr("Edit"), icon="edit")
        self.remove = self.make_remove()
        self.more = self.make_more()
        self.pager = Pager()
        self.view = self.make_view()
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        card = Card()
        self.card_column = QVBoxLayout(card)
        self.card_column.setContentsMargins(1, 1, 1, 1)
        self.card_column.setSpacing(0)
        self.card_column.addWidget(self.view, 1)
        self.card_column.addWidget(self.pager)
        self.stack = StateStack(card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.bar = QHBoxLayout()
        self.bar.setSpacing(8)
        self.bar.addWidget(self.search)
        self.bar.addStretch(1)
        for button in (*self.more, self.edit, self.remove, self.new):
            self.bar.addWidget(button)
        column.addLayout(self.bar)
        column.addWidget(self.stack, 1)
        self._bind()

    def _bind(self) -> None:
        commands = self._context.commands
        commands.bind(self.new_command, self.make, owner=self, enabled=lambda: self.may_edit)
        if self.delete_command:
            commands.bind(self.delete_command, self.delete_chosen, owner=self.view, enabled=self._has_chosen)
        commands.bind("search", self.search.setFocus, owner=self)
        self.new.clicked.connect(self.make)
        self.edit.clicked.connect(self.edit_chosen)
        self.remove.clicked.connect(self.delete_chosen)
        self.search.searched.connect(lambda _: self.go_to_page(1))
        self.pager.wanted.connect(self.go_to_page)
        self.pager.resized.connect(lambda _: self.go_to_page(1))

    # -- what a subclass defines

    def make_view(self) -> QWidget:
        """The list itself; a subclass connects its signals."""
        raise AssertionError(f"{type(self).__name__} has a view of its own")

    def make_remove(self) -> Button:
        """The button that takes an entry away, or out of use."""
        return Button(self.tr("Delete"), kind=ButtonKind.DANGER, icon="trash")

    def make_more(self) -> list[Button]:
        """More buttons for the chosen entry."""
        return []

    def fetch(self, number: int, size: int, text: str) -> Listing[T]:
        """One page of the entries that match `text`. Runs off the GUI thread."""
        raise AssertionError(f"{type(self).__name__} knows its entries")

    def show_entries(self, entries: list[T], keep: str) -> None:
        """Show these, and choose the one with the id `keep`."""

    def key(self, entry: T) -> str:
        """The id of an entry."""
        raise AssertionError(f"{type(self).__name__} knows its entries")

    def name(self, entry: T) -> str:
        """What an entry is called."""
        raise AssertionError(f"{type(self).__name__} knows its entries")

    def chosen(self) -> T | None:
        """The entry that is chosen."""
        return None

    def form(self, entry: T | None) -> QDialog | None:
        """The dialog that changes `entry`, or makes one; with a signal `saved`."""
        return None

    def delete(self, entry: T) -> None:
        """Delete an entry at the service. Runs off the GUI thread."""

    def none_yet(self) -> str:
        """The sentence for a section without entries."""
        return self.tr("No entries yet.")

    def none_for_readers(self) -> str:
        """The same for those who may not create entries: who can."""
        return self.tr("No entries yet. Planners and administrators create them.")

    # -- showing

    def opened(self) -> None:
        """The section came to the front."""
        self.may_edit = self._context.may(self.manage)
        for button in (self.new, self.edit, self.remove, *self.more):
            button.setVisible(self.may_edit)
        self.show_chosen()
        self.reload()
        self.view.setFocus()

    def reload(self, keep: str = "") -> None:
        """Fetch the current page again; `keep` is the id to choose then."""
        chosen = self.chosen()
        self._keep = keep or (self.key(chosen) if chosen is not None else "")
        self.go_to_page(self._number)

    def go_to_page(self, number: int) -> None:
        """Ask for a page."""
        self._number = max(number, 1)
        if self._task is not None:
            self._task.cancel()
        if self.chosen() is None:
            self.stack.show_loading()
        self._task = run(
            self.fetch,
            self._number,
            self.pager.page_size,
            self.search.text().strip(),
            owner=self,
            done=self._show,
            failed=lambda error: self.stack.show_error(sentence(error), self.reload),
        )

    def _show(self, listing: Listing[T]) -> None:
        if not listing.data and listing.pagination.total and self._number > 1:
            self.go_to_page(listing.pagination.total_pages)
            return
        keep, self._keep = self._keep, ""
        self.show_entries(listing.data, keep)
        self.pager.show_pagination(listing.pagination)
        searching = bool(self.search.text().strip())
        if not searching:
            self.counted.emit(listing.pagination.total)
        if listing.data:
            self.stack.show_content()
            if self._was_saved:
                # The button for the first entry was removed: the focus would leave the page.
                self.view.setFocus()
        elif searching:
            self.stack.show_empty(
                "search", self.tr("No matches."), self.tr("Clear search"), self.search.clear
            )
        elif self.may_edit:
            self.stack.show_empty(self.sign, self.none_yet(), self.new.text(), self.make)
        else:
            self.stack.show_empty(self.sign, self.none_for_readers())
        self._was_saved = False
        self.show_chosen()

    def show_chosen(self) -> None:
        """Another entry is chosen, or none."""
        for button in (self.edit, self.remove, *self.more):
            button.setEnabled(self._has_chosen())

    def _has_chosen(self) -> bool:
        return self.may_edit and self.chosen() is not None

    # -- doing

    def make(self) -> None:
        """Ask for a new entry."""
        if self.may_edit:
            self._open(self.form(None))

    def edit_chosen(self) -> None:
        """Ask for changes of the chosen entry."""
        entry = self.chosen()
        if entry is not None and self.may_edit:
            self._open(self.form(entry))

    def _open(self, form: Any) -> None:
        if form is not None:
            form.saved.connect(self._saved)
            form.finished.connect(form.deleteLater)
            form.open()

    def _saved(self, entry: T) -> None:
        self._was_saved = True
        self.toast.emit(self.tr("{name} saved.").format(name=self.name(entry)))
        self.reload(self.key(entry))

    def delete_chosen(self) -> None:
        """Delete the chosen entry, after asking."""
        entry = self.chosen()
        if entry is None or not self.may_edit:
            return
        name = self.name(entry)
        if confirm(
            self,
            self.tr("Delete {name}?").format(name=name),
            self.tr("This cannot be undone. Records that refer to it keep its ID."),
            self.tr("Delete"),
        ):
            run(
                self.delete,
                entry,
                owner=self,
                done=lambda _: self._deleted(name),
                failed=lambda error: self._not_deleted(name, error),
            )

    def _deleted(self, name: str) -> None:
        self.toast.emit(self.tr("{name} deleted.").format(name=name))
        self.reload()

    def _not_deleted(self, name: str, error: Exception) -> None:
        text = self.tr("Cannot delete {name}: {why}").format(name=name, why=sentence(error))
        self.toast.emit(text)

    def menu(self, at: QPoint) -> None:
        """The menu of the chosen entry, at a place of the screen."""
        if not self._has_chosen():
            return
        menu = QMenu(self)
        menu.addActions(self.menu_actions(menu))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def menu_actions(self, menu: QMenu) -> list[QAction]:
        """What the menu offers."""
        actions = []
        for button in (self.edit, *self.more, self.remove):
            action = QAction(button.text(), menu)
            action.triggered.connect(lambda _checked=False, it=button: it.click())
            actions.append(action)
        return actions


class TableSection(Section[T]):
    """A section whose entries are the rows of a table."""

    def columns(self) -> list[Column[T]]:
        """The columns, in order."""
        return []

    def make_view(self) -> Table[T]:
        """The table."""
        self.table: Table[T] = Table(self.search.accessibleName(), self.columns())
        self.table.picked.connect(lambda _: self.edit_chosen())
        self.table.chosen_changed.connect(self.show_chosen)
        self.table.menu_wanted.connect(self.menu)
        return self.table

    def show_entries(self, entries: list[T], keep: str) -> None:
        """Show these as rows."""
        self.table.show_rows(entries, lambda entry: self.key(entry) == keep)

    def chosen(self) -> T | None:
        """The entry of the chosen row."""
        return self.table.chosen
