"""What this program needs of Qt itself, in the versions that are installed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from shared.system.paths import program_folder

_WINDOW = """
from shared.images.cv import cv2
from PySide6.QtWidgets import QApplication
from desktop.widgets import Button
application = QApplication([])
button = Button("ok")
button.show()
application.processEvents()
print(application.platformName(), button.isVisible(), cv2.__version__ != "")
"""


def test_20000_void_calls(qtbot: QtBot) -> None:
    """Some PySide6 versions lose a reference to None at each void call and abort after some 5,000."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(20_000):
        label.setText("x")
    assert sys.getrefcount(None) > before - 1_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="xcb is the platform of Linux")
@pytest.mark.xvfb
def test_a_real_window_opens_after_opencv_was_imported() -> None:
    """OpenCV's wheel brings Qt 5 plugins along; with them in the way a Qt 6 window aborts."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QT_")}
    done = subprocess.run(
        ["xvfb-run", "-a", sys.executable, "-c", _WINDOW],
        cwd=program_folder(),
        env={**environment, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["xcb", "True", "True"], done.stderr
