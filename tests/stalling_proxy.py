"""Provides a network between a program and a server: it stops silently, is cut, leads to another server."""

from __future__ import annotations

import contextlib
import socket
import threading


class StallingProxy:
    """Forwards connections to a port of loopback, until it is asked to stall."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._flowing = threading.Event()
        self._flowing.set()
        self._open: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._forwarding: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def stall(self) -> None:
        """Keep every connection open and forward nothing any more."""
        self._flowing.clear()

    def flow(self) -> None:
        """Forward again, what waits first."""
        self._flowing.set()

    def lead_to(self, port: int) -> None:
        """Forward new connections to another port of loopback."""
        self._target = ("127.0.0.1", port)

    def cut(self) -> None:
        """End every connection that is open now."""
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def refuse(self) -> None:
        """End every connection and take no new one."""
        # Without the shutdown the thread in `accept` keeps the port open.
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()
        self.cut()
        self.flow()
        for thread in self._forwarding:
            thread.join()
        for each in self._open:
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                self._open += [client, server]
                for ends in ((client, server), (server, client)):
                    self._forwarding.append(threading.Thread(target=self._forward, args=ends, daemon=True))
                    self._forwarding[-1].start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                target.sendall(data)
        # Also after a reset, which would otherwise leave the other side waiting.
        self._flowing.wait()
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
