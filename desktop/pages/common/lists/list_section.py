"""Implements a searchable, paged list with actions on the selected entry.

Implements a page with several sections, which chips select.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QMenu, QStackedWidget, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client.http.errors import Stale
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Column,
    FilterChips,
    Page,
    PageHeader,
    Pager,
    SearchField,
    StateStack,
    Table,
    column_of,
    confirm,
    row_of,
)
from shared.record.codes import Permission
from shared.wire.common import Page as Listing


class PageSection(QWidget):
    """One section of a `SectionsPage`."""

    toast = Signal(str)
    """A short notice to show at the bottom of the window."""

    def enter(self) -> None:
        """Called when the section comes to the front."""


S = TypeVar("S", bound=PageSection)


class SectionsPage(Page, Generic[S]):
    """Shows one of its sections. A subclass creates them and selects those that the user may see."""

    def __init__(self, header: PageHeader, chips_name: str, sections: Mapping[str, S]) -> None:
        """`chips_name` is the accessible name of the chips."""
        super().__init__()
        self.header = header
        self.sections = sections
        self.chips = FilterChips(chips_name)
        self.chips.chosen.connect(self.show_section)
        self._stack = QStackedWidget()
        for section in sections.values():
            self._stack.addWidget(section)
            section.toast.connect(self.toast)
        column_of(
            self.header, self.chips, (self._stack, 1), parent=self, margins=(28, 22, 28, 20), spacing=14
        )

    def visible_sections(self) -> Mapping[str, str]:
        """The names of the sections that the user may see, with the texts of their chips; never empty."""
        raise NotImplementedError

    @property
    def current_section(self) -> str:
        """The name of the visible section."""
        return self.chips.value()

    def enter(self, params: dict[str, Any]) -> None:
        """Show the section named by the parameter `section`, else the last one."""
        self.show_chips()
        sections = self.visible_sections()
        name = str(params.get("section") or self.current_section)
        self.show_section(name if name in sections else next(iter(sections)))

    def return_params(self) -> dict[str, Any]:
        """The visible section."""
        return {"section": self.current_section}

    def show_chips(self) -> None:
        """Update the chips."""
        self.chips.set_choices(self.visible_sections().items())

    def show_section(self, name: str) -> None:
        """Bring a section to the front."""
        self.chips.set_value(name)
        section = self.sections[name]
        self._stack.setCurrentWidget(section)
        section.enter()


T = TypeVar("T")

NOTHING = "–"
"""The text of a cell without a value."""


class Section(PageSection, Generic[T]):
    """A list of entries. A subclass provides the view and how to fetch, name, edit and delete an entry.

    Users who may read the entries see the list. The buttons are shown to users with `manage_permission`.
    """

    manage_permission: ClassVar[Permission] = Permission.CATALOGUE_MANAGE
    empty_icon: ClassVar[str] = "list"
    """Icon of the empty list."""
    new_command: ClassVar[str] = "entry.new"
    delete_command: ClassVar[str] = "entry.delete"
    """Empty if no keyboard shortcut may delete an entry."""
    total_changed = Signal(int)
    """The number of all entries, regardless of the search."""

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
        self.edit = Button(self.tr("Edit…"), icon="edit")
        self.remove = self.make_remove_button()
        self.extra_buttons = self.make_extra_buttons()
        self.pager = Pager()
        self.view = self.make_view()
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        card = Card()
        self.card_column = column_of((self.view, 1), self.pager, parent=card, margins=1, spacing=0)
        self.stack = StateStack(card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.bar = row_of(self.search, 1, *self.extra_buttons, self.edit, self.remove, self.new, spacing=8)
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

    # -- overridden by subclasses

    def make_view(self) -> QWidget:
        """Make the view of the list. A subclass connects its signals."""
        raise NotImplementedError

    def make_remove_button(self) -> Button:
        """Make the button that deletes or disables an entry."""
        return Button(self.tr("Delete"), kind=ButtonKind.DANGER, icon="trash")

    def make_extra_buttons(self) -> list[Button]:
        """Make further buttons for the selected entry."""
        return []

    def fetch(self, number: int, size: int, text: str) -> Listing[T]:
        """Fetch one page of the entries that match `text`. Runs in a worker thread."""
        raise NotImplementedError

    def show_entries(self, entries: list[T], keep: str) -> None:
        """Show `entries` and select the one with the key `keep`."""

    def key(self, entry: T) -> str:
        """The ID of an entry."""
        raise NotImplementedError

    def name(self, entry: T) -> str:
        """The name of an entry."""
        raise NotImplementedError

    def selected_entry(self) -> T | None:
        """The selected entry."""
        return None

    def form(self, entry: T | None) -> QDialog | None:
        """The dialog that edits `entry`, or creates one for None. It has a signal `saved`."""
        return None

    def delete(self, entry: T) -> None:
        """Delete an entry. Runs in a worker thread."""

    def empty_text(self) -> str:
        """The sentence shown while there are no entries."""
        return self.tr("No entries yet.")

    def empty_text_for_readers(self) -> str:
        """The same for users who may not create entries; it says who may."""
        return self.tr("No entries yet. Planners and administrators create them.")

    # -- showing

    def enter(self) -> None:
        """Called when the section comes to the front."""
        self.may_edit = self._context.may(self.manage_permission)
        for button in (self.new, self.edit, self.remove, *self.extra_buttons):
            button.setVisible(self.may_edit)
        self.update_buttons()
        self.reload()
        self.view.setFocus()

    def reload(self, keep: str = "") -> None:
        """Fetch the current page again. Select the entry with the key `keep`, else leave the selection."""
        self._key_to_select = keep
        self.go_to_page(self._page_number)

    def go_to_page(self, number: int) -> None:
        """Fetch and show a page."""
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
        # What is selected now: a user may have selected another entry since the page was asked for.
        chosen = self.selected_entry()
        keep = self._key_to_select or (self.key(chosen) if chosen is not None else "")
        self._key_to_select = ""
        self.show_entries(page.data, keep)
        self.pager.show_pagination(page.pagination)
        is_searching = bool(self.search.text().strip())
        if not is_searching:
            self.total_changed.emit(page.pagination.total)
        if page.data:
            self.stack.show_content()
            if self._was_saved:
                # The button for the first entry had the focus and is gone now.
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
        """Enable the buttons that apply to the selected entry."""
        for button in (self.edit, self.remove, *self.extra_buttons):
            button.setEnabled(self._has_selection())

    def _has_selection(self) -> bool:
        return self.may_edit and self.selected_entry() is not None

    # -- actions

    def open_new_form(self) -> None:
        """Open the form for a new entry."""
        if self.may_edit:
            self._open_form(self.form(None))

    def edit_selected(self) -> None:
        """Open the form of the selected entry."""
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
        """Delete the selected entry after a confirmation."""
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
        if isinstance(error, Stale):
            self.reload()

    def show_menu(self, position: QPoint) -> None:
        """Show the menu of the selected entry at a position on the screen."""
        if not self._has_selection():
            return
        menu = QMenu(self)
        menu.addActions(self.menu_actions(menu))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(position)

    def menu_actions(self, menu: QMenu) -> list[QAction]:
        """Make the actions of the menu."""
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
        """Make the table."""
        self.table: Table[T] = Table(self.search.accessibleName(), self.columns())
        self.table.picked.connect(lambda _: self.edit_selected())
        self.table.selection_changed.connect(self.update_buttons)
        self.table.menu_requested.connect(self.show_menu)
        return self.table

    def show_entries(self, entries: list[T], keep: str) -> None:
        """Show `entries` as rows and select the one with the key `keep`."""
        self.table.show_rows(entries, lambda entry: self.key(entry) == keep)

    def selected_entry(self) -> T | None:
        """The entry of the selected row."""
        return self.table.selected_row
