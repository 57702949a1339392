"""A field that finds a thing of the service by typing a part of its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCompleter, QWidget

from desktop.widgets import Combo
from desktop.workers import Task, run

Choice = tuple[str, str]
"""Id and name of a thing."""
Find = Callable[[str], Sequence[Choice]]
"""Gives the things whose name holds a text (empty: the newest ones). Runs off the GUI thread."""

_PAUSE_MS = 250
_MOST_LETTERS = 255


class Chooser(Combo):
    """An editable choice: an empty text chooses nothing; with `free`, a text that is no name is an id itself.

    What is typed stays; `chosen()` tells what it means.
    """

    def __init__(self, name: str, find: Find, *, free: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._find = find
        self._free = free
        self._asked: Task | None = None
        self._known: list[Choice] = []
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
        line.textEdited.connect(lambda _: self._pause.start())

    def begin(self, known: Choice | None) -> None:
        """Show `known` (None: nothing) and fetch what there is to choose from."""
        self._known = [known] if known is not None else []
        self._offer([])
        self.setEditText(known[1] if known else "")
        self._search()

    def chosen(self) -> str | None:
        """The id of what the text names; None for an empty text.

        Raises ValueError when the text names nothing that is known.
        """
        text = self.currentText().strip()
        if not text:
            return None
        index = self.findText(text)
        if index >= 0:
            return str(self.itemData(index))
        if self._free:
            return text
        raise ValueError("nothing of this name")

    def typed(self) -> Choice:
        """What is typed, to be put back by `restore`: the id that it means (empty: none), the text."""
        text = self.currentText()
        index = self.findText(text.strip())
        return (str(self.itemData(index)) if index >= 0 else ""), text

    def restore(self, typed: Choice) -> None:
        """Put back what was typed before."""
        value, text = typed
        if value and (value, text) not in self._known:
            self._known.append((value, text))
            self._offer([])
        self.setEditText(text)

    def _search(self, typing: bool = False) -> None:
        if self._asked is not None:
            self._asked.cancel()
        text = self.currentText().strip()
        if text in [name for _, name in self._known]:
            text = ""
        self._asked = run(
            self._find, text, owner=self, done=self._suggest if typing else self._offer, failed=lambda _: None
        )

    def _suggest(self, choices: Sequence[Choice]) -> None:
        """Offer what was found while somebody types: the list below the text follows."""
        self._offer(choices)
        line, completer = self.lineEdit(), self.completer()
        if line is not None and completer is not None and line.hasFocus() and line.text():
            completer.setCompletionPrefix(line.text())
            completer.complete()

    def _offer(self, choices: Sequence[Choice]) -> None:
        line = self.lineEdit()
        assert line is not None
        text, cursor = line.text(), line.cursorPosition()
        every = self._known + [choice for choice in choices if choice not in self._known]
        self.blockSignals(True)
        self.clear()
        for value, name in every:
            self.addItem(name, value)
        self.setCurrentIndex(self.findText(text))
        self.setEditText(text)
        line.setCursorPosition(cursor)
        self.blockSignals(False)
