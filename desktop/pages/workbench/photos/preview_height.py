"""Gives the photo preview the height of the inspector that nothing else needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

from desktop.pages.workbench.photos.photo_box import PhotoBox


class PreviewRoom(QObject):
    """Distributes the height whenever the panel or its content changes size."""

    def __init__(self, scroll: QScrollArea, content: QWidget, photo: PhotoBox) -> None:
        """`content` is the widget in `scroll`, and contains `photo`."""
        super().__init__(scroll)
        self._scroll, self._content, self._photo = scroll, content, photo
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._share)
        scroll.viewport().installEventFilter(self)
        content.installEventFilter(self)
        photo.pairShown.connect(self._soon.start)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            # Before it is painted: a scroll bar would appear for a moment.
            self._share()
        elif event.type() is QEvent.Type.Resize:
            self._soon.start()
        return False

    def _share(self) -> None:
        content = self._content
        layout, photo_layout = content.layout(), self._photo.layout()
        if layout is None or photo_layout is None or not content.isVisible():
            return
        # The content learns of a new height of the preview only then.
        photo_layout.activate()
        tall = layout.hasHeightForWidth()
        needed = layout.totalHeightForWidth(content.width()) if tall else layout.totalSizeHint().height()
        self._photo.take_room(self._scroll.viewport().height() - needed)
