"""Measures the floor of the service: a Starlette application that answers one JSON body, under uvicorn.

`bare()` runs it as a process; `python -m benchmarks.bare` is that process, and prints its address as a line
of JSON when it accepts requests. uvicorn takes the parser and the event loop that it finds.
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

# Of the size of one record.
BODY: dict[str, Any] = {
    "code": 0,
    "msg": "",
    "data": {f"field_{number}": "value of the field" for number in range(15)},
}


@contextmanager
def bare() -> Iterator[tuple[str, float]]:
    """The address of a running floor, and the seconds until it accepted requests."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.bare"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = json.loads(process.stdout.readline())["url"]
            yield url, time.perf_counter() - start
        finally:
            process.terminate()


def main() -> None:
    """Be that process until it is ended."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def answer(_request: Request) -> JSONResponse:
        return JSONResponse(BODY)

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            port = self.servers[0].sockets[0].getsockname()[1]
            print(json.dumps({"url": f"http://127.0.0.1:{port}"}), flush=True)

    app = Starlette(routes=[Route("/", answer)])
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, server_header=False, ws="none")
    Announced(config).run()


if __name__ == "__main__":
    main()
