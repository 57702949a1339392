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

    Every user with the right to read sees the list; the rest is there for those who have the right
    `manage_permission`.
    """

    manage_permission: ClassVar[Permission] = Permission.CATALOGUE_MANAGE
    empty_icon: ClassVar[str] = "list"
    """Icon of the empty list."""
    new_command: ClassVar[str] = "entry.new"
    delete_command: ClassVar[str] = "entry.delete"
    """Empty where the key must not do it."""
    total_changed = Signal(int)
    """How many entries there are in all, whatever is searched for."""

    def __init__(self, context: Context, new: str, search: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._page_number = 1
        self._key_to_select = ""
        self._was_saved = False
        self._task: Task | None = None
        self.may_edit = False
        self.search = SearchField(search)
        self.new = Button(
            new, kind=ButtonKind.MAIN, icon="plus", keys=context.commands.keys_text(self.new_command)
        )
        self.edit = Button(self.tr("Edit"), icon="edit")
        self.remove = self.make_remove_button()
        self.extra_buttons = self.make_extra_buttons()
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
        for button in (*self.extra_buttons, self.edit, self.remove, self.new):
            self.bar.addWidget(button)
        column.addLayout(self.bar)
        column.addWidget(self.stack, 1)
        self._bind()

    def _bind(self) -> None:
        commands = self._context.commands
        commands.bind(self.new_command, self.open_new_form, owner=self, enabled=lambda: self.may_edit)
        if self.delete_command:
            commands.bind(
                self.delete_command, self.delete_selected, owner=self.view, enabled=self._has_selection
            )
        commands.bind("search", self.search.setFocus, owner=self)
        self.new.clicked.connect(self.open_new_form)
        self.edit.clicked.connect(self.edit_selected)
        self.remove.clicked.connect(self.delete_selected)
        self.search.searched.connect(lambda _: self.go_to_page(1))
        self.pager.page_requested.connect(self.go_to_page)
        self.pager.page_size_changed.connect(lambda _: self.go_to_page(1))

    # -- what a subclass defines

    def make_view(self) -> QWidget:
        """The list itself; a subclass connects its signals."""
        raise AssertionError(f"{type(self).__name__} has a view of its own")

    def make_remove_button(self) -> Button:
        """The button that takes an entry away, or out of use."""
        return Button(self.tr("Delete"), kind=ButtonKind.DANGER, icon="trash")

    def make_extra_buttons(self) -> list[Button]:
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

    def selected_entry(self) -> T | None:
        """The entry that is chosen."""
        return None

    def form(self, entry: T | None) -> QDialog | None:
        """The dialog that changes `entry`, or makes one; with a signal `saved`."""
        return None

    def delete(self, entry: T) -> None:
        """Delete an entry at the service. Runs off the GUI thread."""

    def empty_text(self) -> str:
        """The sentence for a section without entries."""
        return self.tr("No entries yet.")

    def empty_text_for_readers(self) -> str:
        """The same for those who may not create entries: who can."""
        return self.tr("No entries yet. Planners and administrators create them.")

    # -- showing

    def enter(self) -> None:
        """The section came to the front."""
        self.may_edit = self._context.may(self.manage_permission)
        for button in (self.new, self.edit, self.remove, *self.extra_buttons):
            button.setVisible(self.may_edit)
        self.update_buttons()
        self.reload()
        self.view.setFocus()

    def reload(self, keep: str = "") -> None:
        """Fetch the current page again; `keep` is the id to choose then."""
        chosen = self.selected_entry()
        self._key_to_select = keep or (self.key(chosen) if chosen is not None else "")
        self.go_to_page(self._page_number)

    def go_to_page(self, number: int) -> None:
        """Ask for a page."""
        self._page_number = max(number, 1)
        if self._task is not None:
            self._task.cancel()
        if self.selected_entry() is None:
            self.stack.show_loading()
        self._task = run(
            self.fetch,
            self._page_number,
            self.pager.page_size,
            self.search.text().strip(),
            owner=self,
            done=self._show,
            failed=lambda error: self.stack.show_error(sentence(error), self.reload),
        )

    def _show(self, page: Listing[T]) -> None:
        if not page.data and page.pagination.total and self._page_number > 1:
            self.go_to_page(page.pagination.total_pages)
            return
        keep, self._key_to_select = self._key_to_select, ""
        self.show_entries(page.data, keep)
        self.pager.show_pagination(page.pagination)
        is_searching = bool(self.search.text().strip())
        if not is_searching:
            self.total_changed.emit(page.pagination.total)
        if page.data:
            self.stack.show_content()
            if self._was_saved:
                # The button for the first entry was removed: the focus would leave the page.
                self.view.setFocus()
        elif is_searching:
            self.stack.show_empty(
                "search", self.tr("No matches."), self.tr("Clear search"), self.search.clear
            )
        elif self.may_edit:
            self.stack.show_empty(self.empty_icon, self.empty_text(), self.new.text(), self.open_new_form)
        else:
            self.stack.show_empty(self.empty_icon, self.empty_text_for_readers())
        self._was_saved = False
        self.update_buttons()

    def update_buttons(self) -> None:
        """Another entry is chosen, or none."""
        for button in (self.edit, self.remove, *self.extra_buttons):
            button.setEnabled(self._has_selection())

    def _has_selection(self) -> bool:
        return self.may_edit and self.selected_entry() is not None

    # -- doing

    def open_new_form(self) -> None:
        """Ask for a new entry."""
        if self.may_edit:
            self._open_form(self.form(None))

    def edit_selected(self) -> None:
        """Ask for changes of the chosen entry."""
        entry = self.selected_entry()
        if entry is not None and self.may_edit:
            self._open_form(self.form(entry))

    def _open_form(self, form: Any) -> None:
        if form is not None:
            form.saved.connect(self._on_saved)
            form.finished.connect(form.deleteLater)
            form.open()

    def _on_saved(self, entry: T) -> None:
        self._was_saved = True
        self.toast.emit(self.tr("{name} saved.").format(name=self.name(entry)))
        self.reload(self.key(entry))

    def delete_selected(self) -> None:
        """Delete the chosen entry, after asking."""
        entry = self.selected_entry()
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
                done=lambda _: self._on_deleted(name),
                failed=lambda error: self._on_delete_failed(name, error),
            )

    def _on_deleted(self, name: str) -> None:
        self.toast.emit(self.tr("{name} deleted.").format(name=name))
        self.reload()

    def _on_delete_failed(self, name: str, error: Exception) -> None:
        text = self.tr("Cannot delete {name}: {why}").format(name=name, why=sentence(error))
        self.toast.emit(text)

    def show_menu(self, position: QPoint) -> None:
        """The menu of the chosen entry, at a place of the screen."""
        if not self._has_selection():
            return
        menu = QMenu(self)
        menu.addActions(self.menu_actions(menu))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(position)

    def menu_actions(self, menu: QMenu) -> list[QAction]:
        """What the menu offers."""
        actions = []
        for button in (self.edit, *self.extra_buttons, self.remove):
            action = QAction(button.text(), menu)
            action.triggered.connect(lambda _checked=False, action_button=button: action_button.click())
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
        self.table.picked.connect(lambda _: self.edit_selected())
        self.table.selection_changed.connect(self.update_buttons)
        self.table.menu_requested.connect(self.show_menu)
        return self.table

    def show_entries(self, entries: list[T], keep: str) -> None:
        """Show these as rows."""
        self.table.show_rows(entries, lambda entry: self.key(entry) == keep)

    def selected_entry(self) -> T | None:
        """The entry of the chosen row."""
        return self.table.selected_row
