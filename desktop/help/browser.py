"""Shows a page of the guide in the colours and type of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QImage,
    QImageReader,
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
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from desktop.help.guide import Guide
from desktop.theme import text_font, theme_manager

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
    """Renders one page. A link to another page emits `topic_requested`; others open in the web browser."""

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
