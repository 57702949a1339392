"""Controls Chromium as a phone, by the DevTools protocol over a pipe."""

from __future__ import annotations

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
    """One tab of a browser, with the size of a phone's screen."""

    def __init__(self, input_descriptor: int, output_descriptor: int) -> None:
        self._input, self._output = input_descriptor, output_descriptor
        self._received = b""
        self._last_number = 0
        self.errors: list[str] = []
        """Errors of the page: exceptions and violations of its content security policy."""
        target = self.call("Target.createTarget", url="about:blank", session=False)["targetId"]
        parameters: dict[str, Any] = {"targetId": target, "flatten": True}
        self._session = self.call("Target.attachToTarget", session=False, **parameters)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, *, session: bool = True, **parameters: Any) -> dict[str, Any]:
        """Send a command to the browser, and wait for its result."""
        self._last_number += 1
        message: dict[str, Any] = {"id": self._last_number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self._session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read_message()
            if answer.get("id") == self._last_number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def _read_message(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._input], [], [], _SECONDS)
            assert ready, "the browser does not answer"
            piece = os.read(self._input, 1 << 20)
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

    def emulate_phone(self, width: int, height: int, *, language: str = "en", dark: bool = False) -> None:
        """Use this size, language and theme for the next pages."""
        size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Emulation.setUserAgentOverride", userAgent=ANDROID, acceptLanguage=language)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def limit_upload(self, upload: int) -> None:
        """Limit the upload to this number of bytes per second; -1 removes the limit."""
        conditions: dict[str, Any] = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": upload,
        }
        self.call("Network.emulateNetworkConditions", **conditions)

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        # Leaves the page first: another fragment (#) alone would not load it again.
        self.call("Page.navigate", url="about:blank")
        assert not self.call("Page.navigate", url=url).get("errorText")
        self.wait_until("document.readyState === 'complete'")

    def evaluate(self, script: str) -> Any:
        """Evaluate an expression in the page, and return its value."""
        parameters: dict[str, Any] = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.call("Runtime.evaluate", **parameters)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_until(self, script: str) -> None:
        """Wait until an expression of the page is true."""
        deadline = time.monotonic() + _SECONDS
        while not self.evaluate(f"Boolean({script})"):
            assert time.monotonic() < deadline, f"{script}\n{self.text()}\n{self.errors}"
            time.sleep(0.05)

    def text(self) -> str:
        """The visible text of the page."""
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def wait_for_text(self, text: str) -> None:
        """Wait until the page shows this text."""
        self.wait_until(f"document.body && document.body.innerText.includes({json.dumps(text)})")

    def press(self, element: str) -> None:
        """Click an element, given its selector."""
        self.evaluate(f"document.querySelector({json.dumps(element)}).click()")

    def choose_files(self, element: str, *files: Path) -> None:
        """Choose these files in a file input, as the camera or the gallery does."""
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document, selector=element)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])


@contextmanager
def phone_browser(folder: Path) -> Iterator[PhoneBrowser]:
    """A browser that stores everything in `folder` and accepts any certificate."""
    assert CHROMIUM is not None
    (folder / "t").mkdir(parents=True)
    browser_input, output_descriptor = os.pipe()
    input_descriptor, browser_output = os.pipe()
    # Chromium uses the descriptors 3 and 4, which this process may use for something else.
    descriptors = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (browser_input, browser_output)
    ]

    def assign_descriptors() -> None:
        os.dup2(descriptors[0], 3)
        os.dup2(descriptors[1], 4)

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
            # A relative path, because the path of a socket in it may have at most 108 bytes.
            env={**os.environ, "HOME": str(folder), "TMPDIR": "t"},
            pass_fds=(3, 4),
            preexec_fn=assign_descriptors,
        )
    for descriptor in (browser_input, browser_output, *descriptors):
        os.close(descriptor)
    try:
        yield PhoneBrowser(input_descriptor, output_descriptor)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
        os.close(input_descriptor)
        os.close(output_descriptor)
