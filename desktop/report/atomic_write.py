"""Writes a finished file whole or not at all."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile


def save(data: bytes, path: Path) -> None:
    """Write `data` to `path`; an old file stays until the new one is complete. Raises OSError."""
    file = QSaveFile(str(path))
    if not file.open(QIODevice.OpenModeFlag.WriteOnly):
        raise OSError(file.errorString())
    file.write(data)
    if not file.commit():
        raise OSError(file.errorString())
