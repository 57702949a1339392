"""Drives Chromium as a phone, by the DevTools protocol over a pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe"),
)
_SECONDS = 60.0
ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"


class PhoneBrowser:
    """One tab of a browser that is as large as a phone."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._received = b""
        self._number = 0
        self.errors: list[str] = []
        """What the page complained about: exceptions, and what its policy kept back."""
        target = self.call("Target.createTarget", url="about:blank", session=False)["targetId"]
        parameters: dict[str, Any] = {"targetId": target, "flatten": True}
        self._session = self.call("Target.attachToTarget", session=False, **parameters)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, *, session: bool = True, **parameters: Any) -> dict[str, Any]:
        """Ask the browser, and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._reading], [], [], _SECONDS)
            assert ready, "the browser does not answer"
            piece = os.read(self._reading, 1 << 20)
            assert piece, "the browser has ended"
            self._received += piece
        line, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"].get("source") == "security":
            self.errors.append(parameters["entry"]["text"])
        return message

    def be_phone(self, width: int, height: int, *, language: str = "en", dark: bool = False) -> None:
        """Have this size, language and theme from the next page on."""
        size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Emulation.setUserAgentOverride", userAgent=ANDROID, acceptLanguage=language)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def slow_down(self, upload: int) -> None:
        """Have the line take so many bytes a second; -1: as many as it can."""
        line: dict[str, Any] = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": upload,
        }
        self.call("Network.emulateNetworkConditions", **line)

    def open(self, url: str) -> None:
        """Go to a page."""
        # From a page to itself with another part behind the # is no new page: be elsewhere in between.
        self.call("Page.navigate", url="about:blank")
        assert not self.call("Page.navigate", url=url).get("errorText")
        self.until("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """What an expression of the page gives."""
        parameters: dict[str, Any] = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.call("Runtime.evaluate", **parameters)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression of the page is true."""
        ends = time.monotonic() + _SECONDS
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < ends, f"{script}\n{self.text()}\n{self.errors}"
            time.sleep(0.05)

    def text(self) -> str:
        """What stands on the page."""
        return str(self.run("document.body ? document.body.innerText : ''"))

    def until_says(self, text: str) -> None:
        """Wait until the page says this."""
        self.until(f"document.body && document.body.innerText.includes({json.dumps(text)})")

    def press(self, element: str) -> None:
        """Touch an element, named by its selector."""
        self.run(f"document.querySelector({json.dumps(element)}).click()")

    def take(self, element: str, *files: Path) -> None:
        """Have the camera or the gallery give these files."""
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document, selector=element)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def photograph(self, path: Path, *, whole: bool = False) -> None:
        """A picture of the page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def phone_browser(folder: Path) -> Iterator[PhoneBrowser]:
    """A browser that keeps everything in `folder`, and takes certificates that nobody vouches for."""
    assert CHROMIUM is not None
    (folder / "t").mkdir(parents=True)
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # Chromium reads 3 and writes 4, which may be taken here.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

    def place() -> None:
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(
                    CHROMIUM,
                    *_OPTIONS,
                    f"--user-data-dir={folder / 'profile'}",
                    "--ignore-certificate-errors",
                ),
                "about:blank",
            ],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            cwd=folder,
            # The path of a socket that it makes there has 108 bytes at most: it is a relative one.
            env={**os.environ, "HOME": str(folder), "TMPDIR": "t"},
            pass_fds=(3, 4),
            preexec_fn=place,
        )
    for end in (theirs_in, theirs_out, *ends):
        os.close(end)
    try:
        yield PhoneBrowser(ours_in, ours_out)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
        os.close(ours_in)
        os.close(ours_out)
