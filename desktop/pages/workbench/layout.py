"""Lays out items, canvas, photo tray and inspector, with the user's widths."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.pages.workbench.results.inspector import WIDTH_PX
from desktop.preferences import Preferences
from desktop.widgets import column_of

_ITEMS_PX = 270
_NARROW_ITEMS_PX = 200
_NARROW_WIDTH = 1240
"""px: a window that fills a screen of 1280 px, less frames and a dock, has wide lists."""
_FOLD_WIDTH = 940
"""px: a window that fills a screen of 1440 px at 150 %, less frames, still shows the inspector."""
_SHARE = 0.18
_MAX_PX = 480
"""The inspector's share of a wide window, and its largest width in px."""
_NAME = "workbench"


class WorkbenchLayout(QSplitter):
    """Lays out the panels. The properties panel folds in a narrow window, and its width follows the window.

    A panel that the user folded, unfolded or resized stays so.
    """

    def __init__(
        self, preferences: Preferences, items: QWidget, centre: QWidget, tray: QWidget, inspector: QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._preferences = preferences
        self._inspector = inspector
        self._moved_by_user = False
        self._upper = QSplitter(Qt.Orientation.Horizontal)
        # The tray is not below the inspector too, which needs its height for the findings and the verdict.
        left = QWidget()
        column_of((self._upper, 1), tray, parent=left, margins=0, spacing=0)
        stored = preferences.values.splitters.get(_NAME)
        sizes = stored if stored is not None and len(stored) == 2 else [_ITEMS_PX, WIDTH_PX]
        self._widths_by_person = sizes != [_ITEMS_PX, WIDTH_PX]
        for splitter, panels in ((self._upper, (items, centre)), (self, (left, inspector))):
            for panel in panels:
                splitter.addWidget(panel)
                splitter.setStretchFactor(splitter.indexOf(panel), int(panel in (centre, left)))
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
            splitter.splitterMoved.connect(self._on_splitter_moved)
        self._upper.setSizes([sizes[0], 10_000])
        self.setSizes([10_000, sizes[1]])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold by the width of the window."""
        super().resizeEvent(event)
        width = self.window().width()
        if not self._moved_by_user:
            self._inspector.setVisible(width >= _FOLD_WIDTH)
        if self._widths_by_person:
            return
        if not self._inspector.isHidden():
            wanted = min(max(round(width * _SHARE), WIDTH_PX), _MAX_PX)
            self.setSizes([sum(self.sizes()) - wanted, wanted])
        items = _ITEMS_PX if width >= _NARROW_WIDTH else _NARROW_ITEMS_PX
        self._upper.setSizes([items, sum(self._upper.sizes()) - items])

    def _on_splitter_moved(self) -> None:
        self._widths_by_person = True

    def fold(self) -> None:
        """Fold or unfold the properties panel, and remember it."""
        self._moved_by_user = True
        self._inspector.setVisible(self._inspector.isHidden())

    def save_sizes(self) -> None:
        """Remember the widths for the next start."""
        items, inspector = self._upper.sizes()[0], self.sizes()[1]
        splitters = {**self._preferences.values.splitters, _NAME: [items, inspector or WIDTH_PX]}
        chosen = self._widths_by_person and self.isVisible()
        if chosen and splitters != self._preferences.values.splitters:
            self._preferences.change(splitters=splitters)
