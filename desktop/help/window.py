"""The window of the guide: contents and search at the left, the page at the right; blocks nothing."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QDesktopServices,
    QImage,
    QImageReader,
    QKeySequence,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QSplitter, QTextBrowser, QWidget

from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.help.guide import CONTENTS, START, Guide
from desktop.theme import LABEL_PX, text_font, theme_manager
from desktop.widgets import Button, ButtonKind, IconButton, SearchField, column_of, row_of

_MARGIN = 28
_MAX_PICTURE_WIDTH = 720
"""Maximum width of a picture, logical px."""
_WIDTH_STEP = 40
"""The width of pictures follows the window in steps of so many px, so that resizing renders less often."""
_OBJECT_CHARACTER = "\ufffc"
"""The character that stands for a picture in the text of a QTextDocument."""
_HEADINGS = {1: (21, 0, 10), 2: (16, 20, 6), 3: (13, 14, 4)}
"""Size of a heading, space above and below it (px), by its level."""
_LINE_PERCENT = 135.0
_RESIZE_DELAY_MS = 100


@lru_cache(maxsize=32)
def _read_picture(path: str, width: int) -> QImage:
    """Read a picture of the guide, scaled down to `width` px if it is wider."""
    reader = QImageReader(path)
    size: QSize = reader.size()
    if size.width() > width:
        reader.setScaledSize(size.scaled(width, size.height(), Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


class GuideBrowser(QTextBrowser):
    """Renders one page in the colours and type of the theme.

    A link to another page emits `topic_requested`; others open in the web browser.
    """

    topic_requested = Signal(str)

    def __init__(self, guide: Guide, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._guide = guide
        self.topic = ""
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._width = _MAX_PICTURE_WIDTH
        self._resize_timer = QTimer(self, singleShot=True, interval=_RESIZE_DELAY_MS)
        self._resize_timer.timeout.connect(self.repaint_topic)
        self.document().setDocumentMargin(_MARGIN)
        self.anchorClicked.connect(self._open_link)

    def show_topic(self, topic: str) -> None:
        """Render the page `topic` and scroll to its beginning."""
        self.topic = topic
        self.document().setMarkdown(
            self._guide.markdown(topic), QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        )
        self._style_blocks()
        self.setTextCursor(QTextCursor(self.document()))
        self.verticalScrollBar().setValue(0)

    def repaint_topic(self) -> None:
        """Render the page again and keep its scroll position."""
        if not self.topic:
            return
        position = self.verticalScrollBar().value()
        self.show_topic(self.topic)
        self.verticalScrollBar().setValue(position)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        if kind == QTextDocument.ResourceType.ImageResource.value:
            text = name.toString() if isinstance(name, QUrl) else name
            scale = self.devicePixelRatioF()
            image = _read_picture(str(self._guide.picture(text)), round(self._width * scale))
            image.setDevicePixelRatio(scale)
            return image
        return super().loadResource(kind, name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        available = self.viewport().width() - 2 * _MARGIN
        width = max(min(available - available % _WIDTH_STEP, _MAX_PICTURE_WIDTH), _WIDTH_STEP)
        if width != self._width:
            self._width = width
            self._resize_timer.start()

    def _style_blocks(self) -> None:
        """Set sizes and margins of headings, paragraphs and tables, which Markdown does not define."""
        block = self.document().begin()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        while block.isValid():
            block_cursor = QTextCursor(block)
            if block_cursor.currentTable() is None:
                _style_block(block_cursor)
            block = block.next()
        line = QColor(theme_manager().theme.line)
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                frame_format = frame.format()
                frame_format.setBorder(1)
                frame_format.setBorderCollapse(True)
                frame_format.setBorderBrush(line)
                frame_format.setCellPadding(5)
                frame_format.setBottomMargin(10)
                frame_format.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
                frame.setFormat(frame_format)
        cursor.endEditBlock()

    def _open_link(self, url: QUrl) -> None:
        text = url.toString()
        if text.endswith(".md") and "/" not in text:
            self.topic_requested.emit(text.removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _style_block(cursor: QTextCursor) -> None:
    block_format = QTextBlockFormat(cursor.blockFormat())
    size, above, below = _HEADINGS.get(block_format.headingLevel(), (0, 0, 8))
    block_format.setTopMargin(above)
    block_format.setBottomMargin(2 if cursor.currentList() is not None else below)
    # A proportional line height would add space to a picture, which is as high as its line.
    if not cursor.block().text().startswith(_OBJECT_CHARACTER):
        block_format.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    cursor.setBlockFormat(block_format)
    if size:
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        text_format = QTextCharFormat(cursor.charFormat())
        # Qt's import of Markdown sets a size adjustment for headings, which overrides the font's size.
        text_format.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)
        text_format.setFont(text_font(size, bold=True))
        cursor.setCharFormat(text_format)
    elif _is_slanted(cursor.block()):
        _make_plain(cursor)


def _is_slanted(block: QTextBlock) -> bool:
    """Whether the block ends in emphasized text, as the line does that names a page's readers."""
    end = QTextCursor(block)
    end.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    return end.charFormat().fontItalic()


def _make_plain(cursor: QTextCursor) -> None:
    """Set the block in the dim colour and upright: slanted Chinese is hard to read."""
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    text_format = QTextCharFormat()
    text_format.setFontItalic(False)
    text_format.setForeground(QColor(theme_manager().theme.dim_text))
    cursor.mergeCharFormat(text_format)


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
