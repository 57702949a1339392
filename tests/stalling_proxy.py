"""Simulates network faults between a program and a server: stalls, cut connections, another server."""

from __future__ import annotations

import contextlib
import socket
import threading


class StallingProxy:
    """Forwards connections to a port on loopback until `stall`."""

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
        """Stop forwarding and keep every connection open."""
        self._flowing.clear()

    def flow(self) -> None:
        """Forward again, beginning with the data that was held back."""
        self._flowing.set()

    def lead_to(self, port: int) -> None:
        """Forward new connections to another port on loopback."""
        self._target = ("127.0.0.1", port)

    def cut(self) -> None:
        """End every open connection."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def refuse(self) -> None:
        """End every connection and refuse new ones."""
        # Without the shutdown the thread in `accept` keeps the port open.
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()
        self.cut()
        self.flow()
        for thread in self._forwarding:
            thread.join()
        for connection in self._open:
            connection.close()

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
        # After a reset too; otherwise the other side would wait.
        self._flowing.wait()
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
