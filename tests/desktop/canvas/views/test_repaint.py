"""What changes many regions and painting them have a turn of the event loop each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.region_layer import BATCH_THRESHOLD
from desktop.canvas.model.regions import Region
from desktop.canvas.views.canvas_view import CanvasView
from shared.record.geometry import Rect


class _Paints(QObject):
    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self.count = 0
        view.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.Paint
        return False


@pytest.mark.parametrize("count", [3, BATCH_THRESHOLD + 1])
def test_changed_regions_are_repainted(qtbot: QtBot, count: int) -> None:
    view = CanvasView()
    qtbot.addWidget(view)
    first = _Paints(view)
    view.show()
    qtbot.waitUntil(lambda: first.count > 0)
    paints = _Paints(view)
    view.store.replace([Region(f"r{n}", Rect(n, n, 9, 9), n) for n in range(count)])
    # Many are not even asked for in the turn that changes them.
    assert view._update_timer.isActive() is (count > BATCH_THRESHOLD)
    qtbot.waitUntil(lambda: paints.count > 0)
    view.close_picture()
