"""Shows the current page of a table and lets the user change it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.widgets.basic.buttons import Button, ButtonKind, IconButton
from desktop.widgets.basic.labels import Panel, label
from desktop.widgets.basic.layouts import clear_layout, row_of
from desktop.widgets.fields import Combo
from shared.wire.common import Pagination

SIZES = (25, 50, 100, 200)
_NEIGHBOURS = 2


class Pager(Panel):
    """Shows a `Pagination` and emits signals when the user selects another page or page size."""

    page_requested = Signal(int)
    """The number of the page to show."""
    page_size_changed = Signal(int)
    """The new number of rows per page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "top", parent)
        self._page = 1
        self._pages = 1
        self._position = label("", "dim")
        self.per_page = Combo(self.tr("Rows per page"))
        self.per_page.set_choices([(size, self.tr("{n} per page").format(n=size)) for size in SIZES])
        self.previous = IconButton("chevron-left", self.tr("Previous page"))
        self.next = IconButton("chevron-right", self.tr("Next page"))
        row = row_of(
            self._position, 1, self.per_page, self.previous, parent=self, margins=(16, 6, 10, 6), spacing=6
        )
        self._numbers = QHBoxLayout()
        self._numbers.setSpacing(2)
        row.addLayout(self._numbers)
        row.addWidget(self.next)
        self.previous.clicked.connect(lambda: self.page_requested.emit(self._page - 1))
        self.next.clicked.connect(lambda: self.page_requested.emit(self._page + 1))
        self.per_page.picked.connect(lambda size: self.page_size_changed.emit(size))

    @property
    def page_size(self) -> int:
        """The number of entries of a page."""
        size = self.per_page.value()
        return size if isinstance(size, int) else SIZES[0]

    def show_pagination(self, pagination: Pagination) -> None:
        """Show the position of this page."""
        self._page, self._pages = pagination.current_page, max(pagination.total_pages, 1)
        total = self.tr("%n total", "", pagination.total)
        position = self.tr("Page {page} of {pages}").format(page=self._page, pages=self._pages)
        self._position.setText(f"{position} · {total}")
        self.previous.setEnabled(self._page > 1)
        self.next.setEnabled(self._page < self._pages)
        self._show_numbers()

    def _show_numbers(self) -> None:
        clear_layout(self._numbers)
        previous = 0
        for number in page_numbers(self._page, self._pages):
            if number > previous + 1:
                self._numbers.addWidget(label("…", "dim"))
            previous = number
            button = Button(str(number), kind=ButtonKind.TOOL)
            button.setAccessibleName(self.tr("Page {page}").format(page=number))
            button.setCheckable(True)
            button.setChecked(number == self._page)
            button.clicked.connect(partial(self._on_number_clicked, button, number))
            self._numbers.addWidget(button)

    def _on_number_clicked(self, button: Button, number: int) -> None:
        # The current page stays marked until the other one is loaded.
        button.setChecked(number == self._page)
        self.page_requested.emit(number)


def page_numbers(page: int, pages: int) -> list[int]:
    """Return the numbers of the pages with buttons: the first, the last, and the neighbours of `page`."""
    neighbours = range(page - _NEIGHBOURS, page + _NEIGHBOURS + 1)
    return sorted({1, pages, *(number for number in neighbours if 1 <= number <= pages)})
