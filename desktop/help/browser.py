"""Shows a page of the guide in the colours and type of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QImage,
    QImageReader,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QWidget

from desktop.help.guide import Guide
from desktop.theme import theme_manager

_MARGIN = 28
_WIDTH = 720
"""No picture is shown wider (logical px); lines stay readable."""
_HEADINGS = {1: (21, 0, 10), 2: (16, 20, 6), 3: (13, 14, 4)}
"""Level of a heading -> size, space above and below (px)."""
_LINE_PERCENT = 135.0


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
        self.setProperty("bare", True)
        self.document().setDocumentMargin(_MARGIN)
        self.anchorClicked.connect(self._follow)

    def show_topic(self, topic: str) -> None:
        """Render the page of this name, from its beginning."""
        self.topic = topic
        self.document().setMarkdown(
            self._guide.markdown(topic), QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        )
        self._dress()
        self.verticalScrollBar().setValue(0)

    def repaint_topic(self) -> None:
        """Render the page again, after a change of the theme, and stay at the same place."""
        at = self.verticalScrollBar().value()
        self.show_topic(self.topic)
        self.verticalScrollBar().setValue(at)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        if kind == QTextDocument.ResourceType.ImageResource.value:
            text = name.toString() if isinstance(name, QUrl) else name
            scale = self.devicePixelRatioF()
            image = _read(str(self._guide.picture(text)), round(_WIDTH * scale))
            image.setDevicePixelRatio(scale)
            return image
        return super().loadResource(kind, name)

    def _dress(self) -> None:
        """Give headings and paragraphs their sizes and spaces: Markdown says only what they are."""
        theme = theme_manager().theme
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            form = QTextBlockFormat(block.blockFormat())
            form.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            size, above, below = _HEADINGS.get(form.headingLevel(), (0, 0, 8))
            in_table = QTextCursor(block).currentTable() is not None
            form.setTopMargin(0 if in_table else above)
            form.setBottomMargin(2 if in_table or block.textList() else below)
            at = QTextCursor(block)
            at.setBlockFormat(form)
            if size:
                at.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                letters = at.charFormat()
                font = letters.font()
                font.setPixelSize(size)
                letters.setFont(font)
                at.mergeCharFormat(letters)
            block = block.next()
        cursor.endEditBlock()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                form_ = frame.format()
                form_.setBorder(1)
                form_.setBorderCollapse(True)
                form_.setBorderBrush(QColor(theme.line))
                form_.setCellPadding(6)
                frame.setFormat(form_)

    def _follow(self, url: QUrl) -> None:
        text = url.toString()
        if text.endswith(".md") and "/" not in text:
            self.topic_wanted.emit(text.removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
