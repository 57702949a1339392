"""Implements a combo box that searches the service as the user types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, QTimer, Signal
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
"""The ID and the name of an object."""
PAGE_SIZE = 50
"""The number of choices of a page; a page with fewer is the last one."""
FindPage = Callable[[str, int], Sequence[Choice]]
"""Finds the choices whose names contain a text (empty: all, the newest first) and returns one page, from 1.

Runs in a worker thread."""

_TYPING_PAUSE_MS = 250
_PICTURE_SIZE = QSize(40, 30)
_MAX_LENGTH = 255


class _ThumbnailDelegate(QStyledItemDelegate):
    """Paints a name with a small picture before it, once the picture is loaded."""

    def __init__(self, pictures: Mapping[str, QIcon], parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = pictures

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = _PICTURE_SIZE
        option.icon = self._icons.get(str(index.data(Qt.ItemDataRole.UserRole)), QIcon())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), _PICTURE_SIZE.height() + 6))


class SearchCombo(Combo):
    """An editable combo box. An empty text selects nothing.

    The text stays as typed, and `selected_id()` gives the object of this name. Scrolling to the end of the
    list loads more choices.
    """

    choice_changed = Signal()
    """The user selected a choice, cleared the text, or left the field after typing another name."""

    no_choices_found = Signal()
    """There are no objects to choose from."""

    def __init__(
        self,
        name: str,
        find: FindPage,
        *,
        free: bool = False,
        placeholder: str = "",
        picture: Callable[[str], QImage] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """With `free`, a text that is not the name of a choice is an ID.

        `picture` reads a small picture of an object by its ID, in a worker thread.
        """
        super().__init__(name, parent)
        self._find_page = find
        self._read_picture = picture
        self._icons: dict[str, QIcon] = {}
        self._accepts_ids = free
        self._task: Task | None = None
        self._pinned_choices: list[Choice] = []
        self._text, self._page, self._has_more = "", 1, False
        self._reported_id: str | None = None
        self.setEditable(True)
        self.setInsertPolicy(Combo.InsertPolicy.NoInsert)
        self.setMinimumContentsLength(12)
        self.setSizeAdjustPolicy(Combo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        popup = completer.popup()
        assert popup is not None
        popup.setObjectName("suggestions")
        self.setCompleter(completer)
        self._typing_timer = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._typing_timer.timeout.connect(lambda: self._search(is_typing=True))
        line = self.lineEdit()
        assert line is not None
        line.setMaxLength(_MAX_LENGTH)
        line.setPlaceholderText(placeholder)
        line.installEventFilter(self)
        line.textEdited.connect(lambda _: self._typing_timer.start())
        line.textEdited.connect(lambda text: None if text else self._report_choice())
        line.editingFinished.connect(self._report_choice)
        self.activated.connect(lambda _: self._report_choice())
        completer.activated.connect(lambda _: self._report_choice())
        for view in self._views():
            if picture is not None:
                view.setItemDelegate(_ThumbnailDelegate(self._icons, view))
            theme_manager().apply_to(view, late=True)
            bar = view.verticalScrollBar()
            bar.valueChanged.connect(
                lambda value, scroll_bar=bar: self._fetch_next_page(value, scroll_bar.maximum())
            )

    def show_choice(self, choice: Choice | None) -> None:
        """Show `choice`, or an empty text for None, and fetch the choices."""
        self._pinned_choices = [choice] if choice is not None else []
        self._set_choices([])
        self.setEditText(choice[1] if choice else "")
        line = self.lineEdit()
        if line is not None and not line.hasFocus():
            # Show the beginning of a long name.
            line.setCursorPosition(0)
        self._reported_id = choice[0] if choice else None
        self._search()

    def choose(self, choice: Choice) -> None:
        """Select an object that was just created, and emit `choice_changed`."""
        self.show_choice(choice)
        self.choice_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A click in the empty field offers the choices; typing goes on in the field.
        is_click = watched is self.lineEdit() and event.type() is QEvent.Type.MouseButtonRelease
        if is_click and not self.currentText() and self.isEnabled():
            self._offer("")
        return super().eventFilter(watched, event)

    def showPopup(self) -> None:
        self._fetch_pictures()
        super().showPopup()

    def refresh(self) -> None:
        """Fetch the choices again without changing the text."""
        self._search()

    def selected_id(self) -> str | None:
        """The ID of the object that the text names; None for an empty text.

        Raises ValueError if the text is not the name of a known object.
        """
        text = self.currentText().strip()
        if not text:
            return None
        index = self._index(text)
        if index >= 0:
            return str(self.itemData(index))
        if self._accepts_ids:
            return text
        raise ValueError("nothing of this name")

    def typed_choice(self) -> Choice:
        """The ID of the named object (empty if none) and the typed text, for `restore_choice`."""
        text = self.currentText()
        index = self._index(text.strip())
        return (str(self.itemData(index)) if index >= 0 else ""), text

    def restore_choice(self, typed_choice: Choice) -> None:
        """Restore the result of `typed_choice`."""
        value, text = typed_choice
        if value and (value, text) not in self._pinned_choices:
            self._pinned_choices.append((value, text))
            self._set_choices([])
        self.setEditText(text)

    def _search(self, is_typing: bool = False) -> None:
        if self._task is not None:
            self._task.cancel()
        text = self.currentText().strip()
        if text in [name for _, name in self._pinned_choices]:
            text = ""
        self._text, self._page, self._has_more = text, 1, False
        self._task = run(
            self._find_page,
            text,
            1,
            owner=self,
            done=self._suggest if is_typing else self._show_choices,
            failed=lambda _: None,
        )

    def _fetch_next_page(self, value: int, end: int) -> None:
        """Fetch the next page if the end of the list is visible."""
        if value < end or not self._has_more:
            return
        self._has_more = False
        self._page += 1
        self._task = run(
            self._find_page, self._text, self._page, owner=self, done=self._append, failed=lambda _: None
        )

    def _append(self, choices: Sequence[Choice]) -> None:
        self._has_more = len(choices) >= PAGE_SIZE
        listed_ids = {self.itemData(index) for index in range(self.count())}
        for value, name in choices:
            if value not in listed_ids:
                self.addItem(name, value)
        self._fetch_pictures()

    def _index(self, text: str) -> int:
        """The index of the choice with this name, preferably the current one; -1 if there is none."""
        index = self.currentIndex()
        return index if index >= 0 and self.itemText(index) == text else self.findText(text)

    def _report_choice(self) -> None:
        try:
            value = self.selected_id()
        except ValueError:
            return
        if value != self._reported_id:
            self._reported_id = value
            self.choice_changed.emit()

    def _show_choices(self, choices: Sequence[Choice]) -> None:
        self._set_choices(choices)
        if not self._text and not self.count():
            self.no_choices_found.emit()

    def _suggest(self, choices: Sequence[Choice]) -> None:
        """Set the choices that were found while the user types, and update the list below the text."""
        self._set_choices(choices)
        line = self.lineEdit()
        if line is not None and line.hasFocus() and line.text():
            self._offer(line.text())

    def _offer(self, text: str) -> None:
        """Open the list of the choices that contain `text` below the field."""
        completer = self.completer()
        if completer is not None:
            self._fetch_pictures()
            completer.setCompletionPrefix(text)
            completer.complete()

    def _fetch_pictures(self) -> None:
        """Fetch the pictures of the listed choices."""
        if self._read_picture is None:
            return
        for index in range(self.count()):
            value = str(self.itemData(index))
            if value not in self._icons:
                self._icons[value] = QIcon()
                run(
                    self._read_picture,
                    value,
                    owner=self,
                    done=partial(self._show_picture, value),
                    failed=lambda _: None,
                    priority=-1,
                )

    def _show_picture(self, value: str, image: QImage) -> None:
        self._icons[value] = QIcon(QPixmap.fromImage(image))
        for view in self._views():
            view.viewport().update()

    def _views(self) -> list[QAbstractItemView]:
        """The list of the field, and the list that opens while the user types."""
        completer = self.completer()
        popup = completer.popup() if completer is not None else None
        return [self.view(), *([popup] if popup is not None else [])]

    def _set_choices(self, choices: Sequence[Choice]) -> None:
        line = self.lineEdit()
        assert line is not None
        text, cursor = line.text(), line.cursorPosition()
        index = self._index(text)
        was = self.itemData(index) if index >= 0 else None
        self._has_more = len(choices) >= PAGE_SIZE
        every = self._pinned_choices + [choice for choice in choices if choice not in self._pinned_choices]
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
