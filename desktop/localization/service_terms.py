"""Explains why the local service does not start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from shared.record.codes import StorageFault


def no_service_sentence(storage_fault: StorageFault | None, folder: Path | None) -> str:
    """Explain why the local service does not start and what to do. `folder` is its data folder."""
    translate = QCoreApplication.translate
    match storage_fault:
        case StorageFault.DISK_FULL:
            text = translate(
                "Service", "The service cannot start: the disk of {folder} is full. Free disk space."
            )
        case StorageFault.NOT_WRITABLE:
            text = translate(
                "Service",
                "The service cannot start: no write access to {folder}. Give this account write permission.",
            )
        case StorageFault.NEWER_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: the data in {folder} is from a newer version of "
                "Walkaround. Install that version.",
            )
        case StorageFault.DAMAGED_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: the database in {folder} is damaged. Restore a backup.",
            )
        case StorageFault.BUSY_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: another program is using the database in {folder}. Close "
                "that program.",
            )
        case StorageFault.NO_DATABASE | StorageFault.NO_FILE_STORE | None:
            text = translate(
                "Service",
                "Cannot start or connect to the service. Your changes are saved on this computer.",
            )
    return text.format(folder=folder or "")
