"""Renders the icon for systems whose programs contain it: `python -m resources.packaging.icons`.

Writes `build/icons/walkaround.ico` for Windows, and `walkaround.png` for PyInstaller on macOS.
"""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from shared.system.paths import program_folder, resource_path

SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
"""The sizes (px) that Windows uses, from lists to the desktop at 200 %."""
_MACOS_SIZE = 1024


def write_icons(folder: Path) -> None:
    """Write both files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "walkaround.png").write_bytes(_render_png(_MACOS_SIZE))
    pictures = [_render_png(size) for size in SIZES]
    # Source: the ICO format with PNG pictures (Windows Vista and later). A size of 0 means 256.
    header = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(header) + 16 * len(pictures)
    for size, picture in zip(SIZES, pictures, strict=True):
        header += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    (folder / "walkaround.ico").write_bytes(header + b"".join(pictures))


def _render_png(size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
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
