"""Starts the desktop and stays until it ends, also when the system asks for its end by a signal."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, QTimer
from PySide6.QtGui import QFontDatabase, QIcon
from PySide6.QtWidgets import QApplication

from desktop.app.application import Desktop
from desktop.background.memory import release_memory
from desktop.connection.local_service import EmbeddedService
from desktop.crash import start_program_again
from desktop.user_folders import APP
from shared import __version__
from shared.system.paths import resource_path


def make_application(arguments: list[str] | None = None) -> QApplication:
    """Create the QApplication with its names and icon, or return the running one."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    QCoreApplication.setApplicationName(APP)
    QCoreApplication.setApplicationVersion(__version__)
    application = QApplication(arguments or [APP])
    application.setApplicationDisplayName("Walkaround")
    application.setDesktopFileName(APP)
    application.setWindowIcon(QIcon(str(resource_path("icons", "walkaround.svg"))))
    if sys.platform == "win32" and application.platformName() == "offscreen":
        _add_windows_fonts()
    return application


def _add_windows_fonts() -> None:
    """Make the fonts of Windows known to Qt's platform "offscreen", which has none there."""
    for file in sorted(Path(os.environ["SYSTEMROOT"], "Fonts").glob("*.tt[cf]")):
        QFontDatabase.addApplicationFont(str(file))


class EndSignals(QObject):
    """Ends the application on SIGINT and SIGTERM.

    Without it, Python handles them only at the next Qt event.
    """

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._read_socket, self._write_socket = socket.socketpair()
        for socket_end in (self._read_socket, self._write_socket):
            socket_end.setblocking(False)
        self._notifier = QSocketNotifier(self._read_socket.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: self._read_socket.recv(64))
        self._old_wakeup_fd = signal.set_wakeup_fd(self._write_socket.fileno())
        self._old_handlers = {
            signal_number: signal.signal(signal_number, lambda *_: QTimer.singleShot(0, self._end))
            for signal_number in (signal.SIGINT, signal.SIGTERM)
        }

    def _end(self) -> None:
        # Not quit(), which asks the pages first: a page might wait for an answer although no user is present.
        # Called by a timer, so that a signal before exec() also takes effect.
        self._application.exit(0)

    def close(self) -> None:
        """Restore the previous signal handlers."""
        signal.set_wakeup_fd(self._old_wakeup_fd)
        for signal_number, handler in self._old_handlers.items():
            signal.signal(signal_number, handler)
        self._notifier.setEnabled(False)
        self._read_socket.close()
        self._write_socket.close()


def run_desktop(
    server_url: str | None = None,
    data_folder: Path | None = None,
    early_service: EmbeddedService | None = None,
    should_end: Callable[[], bool] = lambda: False,
) -> int:
    """Open the window and stay until it is closed; the exit status. `early_service` as for `Desktop`.

    `should_end` says whether a signal asked to end before there was an application that it could end.
    """
    release_memory()
    application = make_application(sys.argv[:1])
    signals = EndSignals(application)
    try:
        if should_end():
            if early_service is not None:
                early_service.stop()
            return 0
        desktop = Desktop(server_url=server_url, data_folder=data_folder, early_service=early_service)
        try:
            desktop.start()
            # Exclude the objects that live until the end from every garbage collection.
            gc.freeze()
            status = application.exec()
        finally:
            desktop.close()
        if desktop.crashes.restart_requested:
            start_program_again(server_url, data_folder)
        return status
    finally:
        signals.close()
