"""What is set for the desktop's process before Qt is loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from shared.paths import program_folder

PAINT = """
import {module}, os
from PySide6.QtGui import QGuiApplication, QImage, QPainter
application = QGuiApplication([])
image, area = QImage(400, 300, QImage.Format.Format_RGB32), QImage(1200, 900, QImage.Format.Format_RGB32)
before = len(os.listdir("/proc/self/task"))
painter = QPainter(area)
painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
painter.drawImage(area.rect(), image)
painter.end()
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts the threads in /proc")
def test_painting_does_not_wait_for_other_threads() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "QT_NO_GUI_THREADPOOL"}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(program_folder())}

    def count_new_threads(module: str) -> int:
        command = [sys.executable, "-c", PAINT.format(module=module)]
        return int(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)

    assert count_new_threads("desktop") == 0
    # Without the setting, painting starts threads, so the test can fail.
    assert count_new_threads("shared") > 0
