"""Writes the desktop's log and catches unhandled exceptions."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import logging.handlers
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from desktop.user_folders import APP
from shared.system.paths import ensure_private_folder

_log = logging.getLogger("desktop")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_dir() -> Path:
    """The folder of the desktop's logs."""
    return Path(platformdirs.user_log_dir(APP, appauthor=False))


class Logs:
    """Writes the log to `folder` and catches unhandled exceptions, until `close`.

    `failed` is called with each unhandled exception, in the thread where it happened. When the folder is not
    writable, the log goes to stderr.
    """

    def __init__(self, folder: Path, failed: Callable[[BaseException], None]) -> None:
        self.file = folder / "desktop.log"
        self._on_unhandled = failed
        self._crash_file = None
        self._handler: logging.Handler = logging.StreamHandler()
        with contextlib.suppress(OSError):
            ensure_private_folder(folder)
            self._handler = logging.handlers.RotatingFileHandler(
                self.file, maxBytes=2_000_000, backupCount=3, encoding="utf-8"
            )
            self._crash_file = (folder / "crash.log").open("a", encoding="utf-8")
            faulthandler.enable(self._crash_file)
        self._handler.setFormatter(logging.Formatter(_FORMAT))
        logging.getLogger().addHandler(self._handler)
        self._previous_hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._log_unhandled
        threading.excepthook = self._log_unhandled_in_thread
        qInstallMessageHandler(_log_qt_message)

    def close(self) -> None:
        """Restore the hooks and remove the handler."""
        sys.excepthook, threading.excepthook = self._previous_hooks
        qInstallMessageHandler(None)
        logging.getLogger().removeHandler(self._handler)
        self._handler.close()
        if self._crash_file is not None:
            faulthandler.disable()
            self._crash_file.close()

    def _log_unhandled(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self._previous_hooks[0](kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            _log.critical("nobody caught this", exc_info=(kind, error, trace))
            self._on_unhandled(error)

    def _log_unhandled_in_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._log_unhandled(caught.exc_type, caught.exc_value, caught.exc_traceback)


def _log_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    logging.getLogger("qt").log(_LEVELS[kind], "%s: %s", context.category or "default", text)
