"""Renders the icon for systems whose programs carry it inside: `python -m resources.packaging.icons`.

Writes `build/icons/walkaround.ico` for Windows, and `walkaround.png` for PyInstaller on macOS.
"""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from shared.paths import program_folder, resource_path

SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
"""The sides (px) that Windows asks for, from the list to the desktop at 200 %."""
_LARGEST = 1024


def write_icons(into: Path) -> None:
    """Write both files into the folder `into`."""
    into.mkdir(parents=True, exist_ok=True)
    (into / "walkaround.png").write_bytes(_png(_LARGEST))
    pictures = [_png(side) for side in SIZES]
    # Source: the ICO format, with pictures as PNG (Windows Vista and later). 0 means 256.
    head = struct.pack("<HHH", 0, 1, len(pictures))
    at = len(head) + 16 * len(pictures)
    for side, picture in zip(SIZES, pictures, strict=True):
        head += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    (into / "walkaround.ico").write_bytes(head + b"".join(pictures))


def _png(side: int) -> bytes:
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(resource_path("icons", "walkaround.svg"))).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


if __name__ == "__main__":
    write_icons(program_folder() / "build" / "icons")
