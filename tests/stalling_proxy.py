"""A TCP proxy that can stall, break connections and forward to another server."""

from __future__ import annotations

import contextlib
import socket
import threading


class StallingProxy:
    """Forwards connections to a port of loopback."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._is_forwarding = threading.Event()
        self._is_forwarding.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._forward_threads: list[threading.Thread] = []
        self._accept_thread = threading.Thread(target=self._accept, daemon=True)
        self._accept_thread.start()

    def stall(self) -> None:
        """Keep all connections open and forward nothing."""
        self._is_forwarding.clear()

    def resume(self) -> None:
        """Forward again, beginning with the data that was held back."""
        self._is_forwarding.set()

    def redirect_to(self, port: int) -> None:
        """Forward new connections to another port of loopback."""
        self._target = ("127.0.0.1", port)

    def cut(self) -> None:
        """Break all open connections."""
        for connection in list(self._sockets):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def refuse(self) -> None:
        """Break all connections and accept no new one."""
        # Without the shutdown the thread in `accept` keeps the port open.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accept_thread.join()
        self._listener.close()
        self.cut()
        self.resume()
        for thread in self._forward_threads:
            thread.join()
        for connection in self._sockets:
            connection.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                self._sockets += [client, server]
                for ends in ((client, server), (server, client)):
                    self._forward_threads.append(
                        threading.Thread(target=self._forward, args=ends, daemon=True)
                    )
                    self._forward_threads[-1].start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._is_forwarding.wait()
                target.sendall(data)
        # After a reset too: otherwise the other side would wait forever.
        self._is_forwarding.wait()
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
