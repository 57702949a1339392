"""Runs a minimal server as the floor of the service: a Starlette application with one JSON body.

`run_bare_starlette()` starts it under uvicorn as the process `python -m benchmarks.bare_starlette`, which
prints its address as a line of JSON when it accepts requests. uvicorn uses the
installed parser and event loop.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.figures import ROOT

# A body with the size of one record.
BODY: dict[str, Any] = {
    "code": 0,
    "msg": "",
    "data": {f"field_{number}": "value of the field" for number in range(15)},
}


@contextmanager
def run_bare_starlette() -> Iterator[tuple[str, float]]:
    """Run the server; yield its address and the seconds until it accepted requests."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.bare_starlette"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = json.loads(process.stdout.readline())["url"]
            yield url, time.perf_counter() - start
        finally:
            process.terminate()


def main() -> None:
    """Serve until the process is ended."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def answer(_request: Request) -> JSONResponse:
        return JSONResponse(BODY)

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            port = self.servers[0].sockets[0].getsockname()[1]
            print(json.dumps({"url": f"http://127.0.0.1:{port}"}), flush=True)

    app = Starlette(routes=[Route("/", answer)])
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, server_header=False, ws="none")
    AnnouncingServer(config).run()


if __name__ == "__main__":
    main()
