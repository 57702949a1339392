"""A child process that does what a message requests, including faults. `test_child` starts it."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from service.workers.frames import Frame, Report, serve

ORIGINAL_STDOUT = 9
"""A copy of the pipe of the frames, as attacked code in a decoder could find it."""

stored_hints: list[Any] = []


def answer(request: Frame, report: Report) -> Frame:
    message = request.message
    what = message.get("do")
    if what == "crash":
        os._exit(9)
    if what == "raise":
        raise RuntimeError("canary of the picture")
    if what == "print":
        print("noise of a library", flush=True)
        os.write(1, b"noise of a decoder")
    if what == "write":
        os.write(ORIGINAL_STDOUT, bytes.fromhex(message["hex"]))
    if what == "hang":
        # A listener notices when this process has ended.
        _connection = socket.create_connection(("127.0.0.1", message["port"])) if "port" in message else None
        while True:
            pass
    for percent in message.get("percents", ()):
        report(percent)
    return Frame({"pid": os.getpid(), "hints": stored_hints}, request.payload)


def is_hint(frame: Frame) -> bool:
    if "hint" not in frame.message:
        return False
    if frame.message["hint"] == "raise":
        raise RuntimeError("canary of the hint")
    stored_hints.append(frame.message["hint"])
    return True


if __name__ == "__main__":
    os.dup2(sys.stdout.fileno(), ORIGINAL_STDOUT)
    serve(answer, is_hint, discard_prints="silent" in sys.argv)
