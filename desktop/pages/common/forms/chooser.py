"""Implements a combo box that searches the service as the user types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.background.workers import Task, run
from desktop.theme import theme_manager
from desktop.widgets import Combo

Index = QModelIndex | QPersistentModelIndex
Choice = tuple[str, str]
"""Id and name of a thing."""
PAGE = 50
"""How many things a page holds; a page with fewer is the last one."""
Find = Callable[[str, int], Sequence[Choice]]
"""Gives a page (from 1) of the things whose name holds a text (empty: the newest ones first). Runs off the
GUI thread."""

_PAUSE_MS = 250
_PICTURE = QSize(40, 30)
_MOST_LETTERS = 255


class _ThumbnailDelegate(QStyledItemDelegate):
    """A name with a small picture before it, where that is there by now."""

    def __init__(self, pictures: Mapping[str, QIcon], parent: QWidget) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = _PICTURE
        option.icon = self._pictures.get(str(index.data(Qt.ItemDataRole.UserRole)), QIcon())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), _PICTURE.height() + 6))


class SearchCombo(Combo):
    """An editable choice: an empty text chooses nothing; with `free`, a text that is not a name is an id
    itself.

    What is typed stays; `chosen()` gives what it means. Scrolling to the end of the list brings more.
    """

    settled = Signal()
    """The choice changed: the user picked one, cleared the text, or left the field."""

    nothing = Signal()
    """There is nothing at all to choose from."""

    def __init__(
        self,
        name: str,
        find: Find,
        *,
        free: bool = False,
        placeholder: str = "",
        picture: Callable[[str], QImage] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`picture` gives a small picture of a thing by its id, off the GUI thread, for the list."""
        super().__init__(name, parent)
        self._find = find
        self._picture = picture
        self._pictures: dict[str, QIcon] = {}
        self._free = free
        self._task: Task | None = None
        self._pinned: list[Choice] = []
        self._text, self._page, self._more = "", 1, False
        self._reported: str | None = None
        self.setEditable(True)
        self.setInsertPolicy(Combo.InsertPolicy.NoInsert)
        self.setMinimumContentsLength(12)
        self.setSizeAdjustPolicy(Combo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setCompleter(completer)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(lambda: self._search(typing=True))
        line = self.lineEdit()
        assert line is not None
        line.setMaxLength(_MOST_LETTERS)
        line.setPlaceholderText(placeholder)
        line.textEdited.connect(lambda _: self._pause.start())
        line.textEdited.connect(lambda text: None if text else self._settle())
        line.editingFinished.connect(self._settle)
        self.activated.connect(lambda _: self._settle())
        completer.activated.connect(lambda _: self._settle())
        for view in self._views():
            if picture is not None:
                view.setItemDelegate(_ThumbnailDelegate(self._pictures, view))
            theme_manager().apply_to(view, late=True)
            bar = view.verticalScrollBar()
            bar.valueChanged.connect(lambda value, it=bar: self._scrolled(value, it.maximum()))

    def begin(self, choice: Choice | None) -> None:
        """Show `choice` (None: nothing) and fetch the choices."""
        self._pinned = [choice] if choice is not None else []
        self._offer([])
        self.setEditText(choice[1] if choice else "")
        line = self.lineEdit()
        if line is not None and not line.hasFocus():
            # A long name shows its beginning.
            line.setCursorPosition(0)
        self._reported = choice[0] if choice else None
        self._search()

    def take(self, choice: Choice) -> None:
        """Choose an object that was just created."""
        self.begin(choice)
        self.settled.emit()

    def showPopup(self) -> None:
        self._fetch_pictures()
        super().showPopup()

    def refresh(self) -> None:
        """Fetch the choices again; the typed text stays."""
        self._search()

    def chosen(self) -> str | None:
        """The id of what the text names; None for an empty text.

        Raises ValueError when the text names nothing that is known.
        """
        text = self.currentText().strip()
        if not text:
            return None
        index = self._index(text)
        if index >= 0:
            return str(self.itemData(index))
        if self._free:
            return text
        raise ValueError("nothing of this name")

    def typed(self) -> Choice:
        """What is typed, to be put back by `restore`: the id that it means (empty: none), the text."""
        text = self.currentText()
        index = self._index(text.strip())
        return (str(self.itemData(index)) if index >= 0 else ""), text

    def restore(self, typed: Choice) -> None:
        """Put back what was typed before."""
        value, text = typed
        if value and (value, text) not in self._pinned:
            self._pinned.append((value, text))
            self._offer([])
        self.setEditText(text)

    def _search(self, typing: bool = False) -> None:
        if self._task is not None:
            self._task.cancel()
        text = self.currentText().strip()
        if text in [name for _, name in self._pinned]:
            text = ""
        self._text, self._page, self._more = text, 1, False
        self._task = run(
            self._find,
            text,
            1,
            owner=self,
            done=self._suggest if typing else self._show_choices,
            failed=lambda _: None,
        )

    def _scrolled(self, value: int, end: int) -> None:
        """Fetch the next page when the end of the list is visible."""
        if value < end or not self._more:
            return
        self._more = False
        self._page += 1
        self._task = run(
            self._find, self._text, self._page, owner=self, done=self._append, failed=lambda _: None
        )

    def _append(self, choices: Sequence[Choice]) -> None:
        self._more = len(choices) >= PAGE
        offered = {self.itemData(index) for index in range(self.count())}
        for value, name in choices:
            if value not in offered:
                self.addItem(name, value)
        self._fetch_pictures()

    def _index(self, text: str) -> int:
        """Where the thing of this name stands, the chosen one of several; -1 for none."""
        index = self.currentIndex()
        return index if index >= 0 and self.itemText(index) == text else self.findText(text)

    def _settle(self) -> None:
        try:
            value = self.chosen()
        except ValueError:
            return
        if value != self._reported:
            self._reported = value
            self.settled.emit()

    def _show_choices(self, choices: Sequence[Choice]) -> None:
        self._offer(choices)
        if not self._text and not self.count():
            self.nothing.emit()

    def _suggest(self, choices: Sequence[Choice]) -> None:
        """Offer what was found while someone types: the list below the text follows."""
        self._offer(choices)
        line, completer = self.lineEdit(), self.completer()
        if line is not None and completer is not None and line.hasFocus() and line.text():
            completer.setCompletionPrefix(line.text())
            completer.complete()

    def _fetch_pictures(self) -> None:
        """Fetch the pictures of what the open list offers."""
        if self._picture is None:
            return
        for index in range(self.count()):
            value = str(self.itemData(index))
            if value not in self._pictures:
                self._pictures[value] = QIcon()
                run(
                    self._picture,
                    value,
                    owner=self,
                    done=partial(self._show_picture, value),
                    failed=lambda _: None,
                    priority=-1,
                )

    def _show_picture(self, value: str, image: QImage) -> None:
        self._pictures[value] = QIcon(QPixmap.fromImage(image))
        for view in self._views():
            view.viewport().update()

    def _views(self) -> list[QAbstractItemView]:
        """The list of the field, and the one that opens while a person types."""
        completer = self.completer()
        popup = completer.popup() if completer is not None else None
        return [self.view(), *([popup] if popup is not None else [])]

    def _offer(self, choices: Sequence[Choice]) -> None:
        line = self.lineEdit()
        assert line is not None
        text, cursor = line.text(), line.cursorPosition()
        index = self._index(text)
        was = self.itemData(index) if index >= 0 else None
        self._more = len(choices) >= PAGE
        every = self._pinned + [choice for choice in choices if choice not in self._pinned]
        self.blockSignals(True)
        self.clear()
        for value, name in every:
            self.addItem(name, value)
        index = self.findData(was) if was is not None else -1
        self.setCurrentIndex(index if index >= 0 else self.findText(text))
        self.setEditText(text)
        line.setCursorPosition(cursor)
        self.blockSignals(False)
        if self.view().isVisible():
            self._fetch_pictures()
