"""A frame paints each px; what changes many regions and painting them have a turn each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.region_layer import BATCH_THRESHOLD
from desktop.canvas.model.regions import Region
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging import open_image
from shared.record.geometry import Rect
from tests.pictures import encode_picture, gradient_pixels


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


@pytest.mark.parametrize(("scale", "x", "y"), [(0.73, 150, 100), (1.37, 10.3, 190.2), (2.9, 296.4, 3.7)])
def test_a_frame_leaves_no_px_of_the_frame_before(qtbot: QtBot, scale: float, x: float, y: float) -> None:
    view = CanvasView()
    qtbot.addWidget(view)
    view.resize(401, 301)
    view.show()
    before = QColor("magenta")
    with qtbot.waitSignal(view.prepared, timeout=60_000):
        view.open(open_image(encode_picture(gradient_pixels(301, 203))))
    view.set_viewport(scale, x, y)
    for ratio in (1, 1.25):
        frame = QImage(round(401 * ratio), round(301 * ratio), QImage.Format.Format_RGB32)
        frame.setDevicePixelRatio(ratio)
        frame.fill(before)
        view.render(frame, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        left = [
            (column, row)
            for row in range(frame.height())
            for column in range(frame.width())
            if frame.pixel(column, row) == before.rgb()
        ]
        assert left == []
    view.close_picture()
