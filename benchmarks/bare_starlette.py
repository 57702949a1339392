"""Runs a minimal server as the floor of the service: a Starlette application with one JSON body.

`run_bare_starlette()` starts it under uvicorn, with the installed parser and event loop, as the process
`python -m benchmarks.bare_starlette`, which prints its address as a line of JSON when it accepts requests.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.figures import ROOT

# A body with the size of one record.
_BODY = {"code": 0, "msg": "", "data": {f"field_{number}": "value of the field" for number in range(15)}}


@contextmanager
def run_bare_starlette() -> Iterator[str]:
    """Run the server; yield its address."""
    command = [sys.executable, "-m", "benchmarks.bare_starlette"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


async def _answer(_request: Request) -> JSONResponse:
    return JSONResponse(_BODY)


def main() -> None:
    """Serve until the process is ended."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
        app = Starlette(routes=[Route("/", _answer)])
        config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, ws="none")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
