"""Writes a file in the background, with a dialog that shows the progress and cancels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QProgressDialog, QWidget

from desktop.background.workers import Lane, ProgressReport, run
from desktop.messages.error_messages import sentence

T = TypeVar("T")

_SHOW_AFTER_MS = 500


def run_with_dialog(
    write: Callable[[ProgressReport], T],
    *,
    owner: QObject,
    window: QWidget,
    title: str,
    text: str,
    done: Callable[[T], object],
    failed: Callable[[Exception], object],
) -> None:
    """Run `write` in a worker thread, and close the dialog before `done` or `failed` is called.

    `write` reports its share, 0..1. Neither is called after the user cancelled or `owner` was deleted.
    """
    cancel = QCoreApplication.translate("SaveAs", "Cancel")
    dialog = QProgressDialog(text, cancel, 0, 100, window)
    dialog.setMinimumDuration(_SHOW_AFTER_MS)
    dialog.setWindowTitle(title)
    dialog.setAutoClose(False)
    dialog.setAutoReset(False)
    dialog.setValue(0)

    def on_done(result: T) -> None:
        dialog.deleteLater()
        done(result)

    def on_failed(error: Exception) -> None:
        dialog.deleteLater()
        failed(error)

    task = run(
        write,
        owner=owner,
        progress=lambda share: dialog.setValue(round(90 * share)),
        done=on_done,
        failed=on_failed,
        lane=Lane.LONG,
    )
    dialog.canceled.connect(task.cancel)
    dialog.canceled.connect(dialog.deleteLater)


def failure_sentence(error: Exception) -> str:
    """Why a file was not written."""
    if not isinstance(error, OSError):
        return sentence(error)
    text = QCoreApplication.translate("SaveAs", "Cannot save the file: {why}. Select another location.")
    return text.format(why=error.strerror or str(error))
