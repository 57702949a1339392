"""Ends the application in order when the system asks for it by a signal."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication


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
