"""Imports OpenCV without its side effects on Qt. Every other module uses ``from shared.images.cv import
cv2``.

`import cv2` sets variables that point Qt to the Qt 5 plugins in the OpenCV wheel, and then a Qt 6 window
aborts. This module restores the variables after the import.
"""

from __future__ import annotations

import os

_QT_VARIABLES = ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR")
_original_values = {name: os.environ.get(name) for name in _QT_VARIABLES}

import cv2  # noqa: E402

for _name, _value in _original_values.items():
    if _value is None:
        os.environ.pop(_name, None)
    else:
        os.environ[_name] = _value

__all__ = ["cv2"]
