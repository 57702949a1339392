"""The window of the guide: contents and search at the left, the page at the right; blocks nothing."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QWidget

from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.help.browser import GuideBrowser
from desktop.help.guide import Guide
from desktop.help.topics import CONTENTS, START
from desktop.theme import LABEL_PX, text_font, theme_manager
from desktop.widgets import Button, ButtonKind, IconButton, SearchField, column_of, row_of

_TOPIC_ROLE = Qt.ItemDataRole.UserRole
_WINDOW_SIZE = (1000, 720)


def keys_table(commands: Commands) -> str:
    """Return all commands with their current keys by section, as Markdown tables."""
    translate = QCoreApplication.translate
    head = f"| {translate('Help', 'Command')} | {translate('Help', 'Keyboard shortcut')} |"
    lines: list[str] = []
    section = ""
    for command in COMMANDS.values():
        if commands.section(command.id) != section:
            section = commands.section(command.id)
            lines += ["", f"## {section}", "", head, "| --- | --- |"]
        keys = " · ".join(
            QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            for key in commands.keys(command.id)
        )
        lines.append(f"| {commands.title(command.id)} | {keys.replace('|', chr(92) + '|') or '—'} |")
    return "\n".join(lines)


class HelpWindow(QWidget):
    """Shows the guide in `language`, on the page that `open_topic` names."""

    closed = Signal()

    def __init__(self, parent: QWidget | None, commands: Commands, language: str) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("ground", "bg")
        self.guide = Guide(language, lambda: keys_table(commands))
        self.setWindowTitle(self.tr("Guide"))
        self.resize(*_WINDOW_SIZE)
        self._back_topics: list[str] = []
        self._forward_topics: list[str] = []
        self.browser = GuideBrowser(self.guide)
        self.browser.topic_requested.connect(self.open_topic)
        self.browser.setAccessibleName(self.tr("Page of the guide"))
        self.contents = QListWidget()
        self.contents.setAccessibleName(self.tr("Contents"))
        self.contents.setWordWrap(True)
        self.contents.setSpacing(2)
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.contents.itemActivated.connect(self._open_item)
        self.contents.itemClicked.connect(self._open_item)
        self.search = SearchField(self.tr("Search the guide"))
        self.search.textChanged.connect(self._fill_contents)
        self._build()
        self._fill_contents("")
        self.browser.setFocus()
        theme_manager().theme_changed.connect(self._on_theme_changed)

    def _build(self) -> None:
        self.back = IconButton("chevron-left", self.tr("Back"))
        self.back.clicked.connect(self.go_back)
        self.forward = IconButton("chevron-right", self.tr("Forward"))
        self.forward.clicked.connect(self.go_forward)
        start = Button(self.tr("Contents"), kind=ButtonKind.GHOST)
        start.clicked.connect(lambda _checked=False: self.open_topic(START))
        for keys, slot in (
            (QKeySequence.StandardKey.Back, self.go_back),
            (QKeySequence.StandardKey.Forward, self.go_forward),
            (QKeySequence.StandardKey.Find, self.search.setFocus),
            (QKeySequence(Qt.Key.Key_Escape), self.close),
        ):
            action = QAction(self)
            action.setShortcut(keys)
            action.triggered.connect(lambda _checked=False, slot=slot: slot())
            self.addAction(action)
        bar = row_of(self.back, self.forward, start, 1, margins=(12, 8, 12, 8), spacing=6)
        left = QWidget()
        column_of(self.search, (self.contents, 1), parent=left, margins=(12, 0, 6, 12), spacing=8)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(self.browser)
        split.setStretchFactor(1, 1)
        split.setSizes([270, 730])
        split.setChildrenCollapsible(False)
        column_of(bar, (split, 1), parent=self, margins=0, spacing=0)

    @property
    def topic(self) -> str:
        """The name of the page that is shown."""
        return self.browser.topic

    def open_topic(self, topic: str) -> None:
        """Show a page and remember the current one for `go_back`."""
        page = topic if self.guide.has_topic(topic) else START
        if page != self.topic:
            if self.topic:
                self._back_topics.append(self.topic)
            self._forward_topics = []
            self._show(page)

    def go_back(self) -> None:
        """Show the previous page."""
        if self._back_topics:
            self._forward_topics.append(self.topic)
            self._show(self._back_topics.pop())

    def go_forward(self) -> None:
        """Show the page from which `go_back` returned."""
        if self._forward_topics:
            self._back_topics.append(self.topic)
            self._show(self._forward_topics.pop())

    def _show(self, topic: str) -> None:
        self.browser.show_topic(topic)
        self.setWindowTitle(f"{self.guide.title(topic)} — {self.tr('Guide')}")
        self.back.setEnabled(bool(self._back_topics))
        self.forward.setEnabled(bool(self._forward_topics))
        self._select_topic()

    def _select_topic(self) -> None:
        for row in range(self.contents.count()):
            if self.contents.item(row).data(_TOPIC_ROLE) == self.topic:
                self.contents.setCurrentRow(row)
                return
        self.contents.setCurrentRow(-1)

    def _fill_contents(self, query: str) -> None:
        """List the contents, or with a `query` the search hits."""
        self.contents.clear()
        if query.strip():
            hits = self.guide.search(query)
            for hit in hits:
                self._add_row(f"{hit.title}\n{hit.excerpt}", hit.topic)
            if not hits:
                self._add_row(self.tr("Nothing found"), None)
            return
        for part in CONTENTS:
            self._add_row(QCoreApplication.translate("Help", part.title), None)
            for topic in part.topics:
                self._add_row(self.guide.title(topic), topic)
        self._select_topic()

    def _add_row(self, text: str, topic: str | None) -> None:
        item = QListWidgetItem(text)
        item.setData(_TOPIC_ROLE, topic)
        if topic is None:
            # A part of the contents is a heading and cannot be chosen.
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setFont(text_font(LABEL_PX, bold=True))
        self.contents.addItem(item)

    def _open_item(self, item: QListWidgetItem) -> None:
        topic = item.data(_TOPIC_ROLE)
        if topic is not None:
            self.open_topic(topic)

    def _on_theme_changed(self) -> None:
        if self.topic:
            self.browser.repaint_topic()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
