"""A fake service process, and a listener that records the states of a service."""

from __future__ import annotations

import threading
from collections.abc import Callable

from desktop.connection.local_service import EmbeddedService, ServiceState

FAKE_SERVICE_SCRIPT = """
import http.server, json, os, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"status":"ok"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
url = "http://127.0.0.1:%d" % server.server_address[1]
print("starting", file=sys.stderr, flush=True)
print(json.dumps({"event": "ready", "url": url, "pid": os.getpid()}), flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
"""


class StateListener:
    """The states that a service told, to be waited for."""

    def __init__(self) -> None:
        self.states: list[tuple[ServiceState, str | None]] = []
        self._changed = threading.Condition()

    def __call__(self, state: ServiceState, url: str | None) -> None:
        with self._changed:
            self.states.append((state, url))
            self._changed.notify_all()

    def wait(self, *names: ServiceState, seconds: float = 60) -> None:
        """Wait until the states told so far are `names`."""
        with self._changed:
            done = self._changed.wait_for(lambda: [s for s, _ in self.states] == list(names), seconds)
        assert done, self.states


Play = Callable[..., EmbeddedService]
"""Makes a service that runs this script with these options."""
