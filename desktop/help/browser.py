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
from desktop.theme import sized, theme_manager

_MARGIN = 28
_WIDEST = 720
"""No picture is shown wider (logical px)."""
_STEP = 40
"""Pictures grow with the window in steps (px), so that a page is not rendered again for each pixel."""
_OBJECT = "\ufffc"
"""What Qt has in the text where a picture stands."""
_HEADINGS = {1: (21, 0, 10), 2: (16, 20, 6), 3: (13, 14, 4)}
"""Level of a heading -> size, space above and below (px)."""
_LINE_PERCENT = 135.0
_RESIZED_MS = 100


@lru_cache(maxsize=32)
def _read(path: str, width: int) -> QImage:
    """A picture of the guide, no wider than `width` px."""
    reader = QImageReader(path)
    size: QSize = reader.size()
    if size.width() > width:
        reader.setScaledSize(size.scaled(width, size.height(), Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


class GuideBrowser(QTextBrowser):
    """Renders one page; links to other pages are asked for, other links are opened outside."""

    topic_wanted = Signal(str)

    def __init__(self, guide: Guide, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._guide = guide
        self.topic = ""
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._width = _WIDEST
        self._later = QTimer(self, singleShot=True, interval=_RESIZED_MS)
        self._later.timeout.connect(self.repaint_topic)
        self.document().setDocumentMargin(_MARGIN)
        self.anchorClicked.connect(self._open_link)

    def show_topic(self, topic: str) -> None:
        """Render the page of this name, from its beginning."""
        self.topic = topic
        self.document().setMarkdown(
            self._guide.markdown(topic), QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        )
        self._style_blocks()
        self.setTextCursor(QTextCursor(self.document()))
        self.verticalScrollBar().setValue(0)

    def repaint_topic(self) -> None:
        """Render the page again, after a change of the theme, and stay at the same place."""
        if not self.topic:
            return
        at = self.verticalScrollBar().value()
        self.show_topic(self.topic)
        self.verticalScrollBar().setValue(at)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        if kind == QTextDocument.ResourceType.ImageResource.value:
            text = name.toString() if isinstance(name, QUrl) else name
            scale = self.devicePixelRatioF()
            image = _read(str(self._guide.picture(text)), round(self._width * scale))
            image.setDevicePixelRatio(scale)
            return image
        return super().loadResource(kind, name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width() - 2 * _MARGIN
        width = max(min(room - room % _STEP, _WIDEST), _STEP)
        if width != self._width:
            self._width = width
            self._later.start()

    def _style_blocks(self) -> None:
        """Give headings and paragraphs their sizes and spaces: Markdown says only what they are."""
        block = self.document().begin()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        while block.isValid():
            at = QTextCursor(block)
            if at.currentTable() is None:
                _style_block(at)
            block = block.next()
        line = QColor(theme_manager().theme.line)
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                form = frame.format()
                form.setBorder(1)
                form.setBorderCollapse(True)
                form.setBorderBrush(line)
                form.setCellPadding(5)
                form.setBottomMargin(10)
                form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
                frame.setFormat(form)
        cursor.endEditBlock()

    def _open_link(self, url: QUrl) -> None:
        text = url.toString()
        if text.endswith(".md") and "/" not in text:
            self.topic_wanted.emit(text.removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _style_block(at: QTextCursor) -> None:
    form = QTextBlockFormat(at.blockFormat())
    size, above, below = _HEADINGS.get(form.headingLevel(), (0, 0, 8))
    form.setTopMargin(above)
    form.setBottomMargin(2 if at.currentList() is not None else below)
    # A line is as high as its picture, and no higher.
    if not at.block().text().startswith(_OBJECT):
        form.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    at.setBlockFormat(form)
    if size:
        at.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        letters = QTextCharFormat(at.charFormat())
        # Qt makes headings larger in steps of its own, which would win.
        letters.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)
        letters.setFont(sized(size, bold=True))
        at.setCharFormat(letters)
