"""Screens with more than one device px for each px of the window: crisp pixels, no seams, exact places.

Qt takes the scale when it starts, so each one is a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging import open_image
from desktop.imaging.sources import opening
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture, gradient_pixels

application = QApplication([])
view = CanvasView()
view.resize(381, 341)  # at every scale within the offscreen screen of 800 px
view.regions_edited.connect(view.store.apply)
view.show()
view.show_minimap(False)
ratio = view.devicePixelRatioF()
ready = []
view.prepared.connect(lambda: ready.append(1))

def opened(pixels):
    ready.clear()
    view.open(open_image(encode_picture(pixels)))
    while not ready:
        QTest.qWait(5)

def seen():
    return rgb(view.grab().toImage())

opened(gradient_pixels(1200, 900))
view.one_to_one()
assert abs(view.viewport.scale * ratio - 1) < 1e-9, view.viewport.scale
assert view._zoom_chip.text == "100%"
left, top = round(view.viewport.left * ratio), round(view.viewport.top * ratio)
wanted = gradient_pixels(1200, 900)[20 - top : 240 - top, 20 - left : 440 - left]
# The coarser tile stays until the exact one is decoded.
for _ in range(100):
    QTest.qWait(50)
    if np.array_equal(seen()[20:240, 20:440], wanted):
        break
else:
    raise AssertionError("one to one is not exact")

view.set_viewport(8, 500, 300)
view.set_tool(Tool.DRAW)
at = lambda x, y: QPointF(*view.viewport.to_view(x, y)).toPoint()
QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at(490, 295))
QTest.mouseMove(view, at(510, 305))
QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at(510, 305))
(region,) = view.store
assert region.rect == Rect(490, 295, 20, 10), region.rect
corner = at(510, 305)
for reach, shape in ((6, Qt.CursorShape.SizeFDiagCursor), (9, Qt.CursorShape.ArrowCursor)):
    QTest.mouseMove(view, QPointF(corner.x() + reach, corner.y()).toPoint())
    QTest.qWait(20)
    assert view.cursor().shape() is shape, (reach, view.cursor().shape())
view.store.replace(())

opening.WHOLE_LIMIT = 100_000
opened(np.full((900, 1200, 3), 120, np.uint8))
for scale in (0.53, 0.77, 1.13, 2.3):
    view.set_viewport(scale, 601.3, 433.7)
    QTest.qWait(200)
    # the zoom chip lies in the lower left corner
    middle = seen()[20:240, 40:-40].astype(int)
    assert np.abs(middle - 120).max() <= 2, f"a seam at {scale}"
view.close_picture()
"""


@pytest.mark.parametrize("scale", ["1.25", "1.5", "2"])
def test_pixels_are_exact_and_tiles_have_no_seams(scale: str) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
