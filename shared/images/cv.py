"""Imports OpenCV, in this one place.

`import cv2` points Qt at the Qt 5 plugins inside the OpenCV wheel, and a Qt 6 window then aborts. So take it
from here: ``from shared.images.cv import cv2``.
"""

from __future__ import annotations

import os

_QT_VARIABLES = ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR")
_before = {name: os.environ.get(name) for name in _QT_VARIABLES}

import cv2  # noqa: E402

for _name, _value in _before.items():
    if _value is None:
        os.environ.pop(_name, None)
    else:
        os.environ[_name] = _value

__all__ = ["cv2"]
