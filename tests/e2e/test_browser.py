"""Tests web pages of other origins in a real browser: an allowed one can use the service, others cannot."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process

CHROMIUM = shutil.which("chromium")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)

_PAGE = """<!doctype html><meta charset="utf-8"><title>page</title><script>
const seen = {};
async function work(api, name, password) {
  const json = {"Content-Type": "application/json"};
  const body = JSON.stringify({username: name, password: password});
  const login = await fetch(api + "/api/auth/login", {method: "POST", headers: json, body: body});
  seen.login = login.status;
  seen.request = login.headers.get("X-Request-Id");
  const token = {"Authorization": "Bearer " + (await login.json()).data.access_token};
  const search = "/api/inspection/search?current_page=1&page_size=10";
  const list = await (await fetch(api + search, {headers: token})).json();
  seen.names = list.data.data.map((record) => record.inspection_name);
  const form = new FormData();
  form.append("file", new Blob(["0123456789".repeat(500)], {type: "application/octet-stream"}), "a.bin");
  const upload = await fetch(api + "/api/files", {method: "POST", headers: token, body: form});
  const stored = (await upload.json()).data;
  seen.size = stored.size;
  const range = {...token, "Range": "bytes=2-5"};
  const part = await fetch(api + stored.download_url, {headers: range});
  seen.part = [part.status, await part.text(), part.headers.get("Content-Range")];
  const record = "/api/inspection/updateInspection/" + list.data.data[0].inspection_id;
  const stale = {method: "PUT", headers: {...token, ...json, "If-Match": '"99"'}, body: "{}"};
  const refused = await fetch(api + record, stale);
  seen.stale = [refused.status, refused.headers.get("ETag")];
}
work(...JSON.parse(GIVEN))
  .catch((error) => { seen.error = String(error); })
  .then(() => fetch("/done", {method: "POST", body: JSON.stringify(seen)}))
  .then(() => { location.href = NEXT; });
</script>"""


class _Site(ThreadingHTTPServer):
    """A web server with the page; `report` is what the page sent at its end."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = b""
        self.report: dict[str, Any] = {}
        self.done = threading.Event()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        self._answer(self.server.page if self.path == "/" else b"")

    def do_POST(self) -> None:
        self.server.report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(b"")
        self.server.done.set()

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        pass


@contextmanager
def _site() -> Iterator[_Site]:
    site = _Site()
    thread = threading.Thread(target=site.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        thread.join()
        site.server_close()


def _browser_options(folder: Path) -> dict[str, Any]:
    """The options of a process in which Chromium stores everything in `folder`."""
    (folder / "t").mkdir()
    # A relative path, because the path of a socket in it may have at most 108 bytes.
    return {"cwd": folder, "env": {**os.environ, "HOME": str(folder), "TMPDIR": "t"}}


@contextmanager
def _browser(folder: Path, page: str) -> Iterator[None]:
    assert CHROMIUM is not None
    folder.mkdir()
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", page],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            **_browser_options(folder),
        )
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)


@pytest.mark.browser
@pytest.mark.slow(60)
def test_page_of_allowed_origin_can_use_the_service_and_foreign_page_cannot(tmp_path: Path) -> None:
    with ExitStack() as stack:
        allowed, foreign = stack.enter_context(_site()), stack.enter_context(_site())
        origins = json.dumps([allowed.origin])
        url = stack.enter_context(service_process(tmp_path / "data", allowed_origins=origins))
        headers = {"Authorization": f"Bearer {create_first_admin(url)}"}
        body = {"task_id": "t1", "inspection_name": "左翼"}
        httpx.post(f"{url}/api/inspection/create", json=body, headers=headers).raise_for_status()
        arguments = json.dumps(json.dumps([url, *ADMIN]))
        page = _PAGE.replace("GIVEN", arguments)
        # A headless browser opens one page, so this page opens the next.
        allowed.page = page.replace("NEXT", json.dumps(foreign.origin)).encode()
        foreign.page = page.replace("NEXT", json.dumps("about:blank")).encode()
        stack.enter_context(_browser(tmp_path / "browser", allowed.origin))
        for site in (allowed, foreign):
            assert site.done.wait(120), (tmp_path / "browser" / "chromium.log").read_text("utf-8", "replace")
        report = allowed.report
        assert report.pop("request")
        assert report == {
            "login": 200,
            "names": ["左翼"],
            "size": 5000,
            "part": [206, "2345", "bytes 2-5/5000"],
            "stale": [412, '"1"'],
        }
        assert foreign.report == {"error": "TypeError: Failed to fetch"}
    # The browser sent a request for the foreign page too, but no operation ran.
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert log.count("POST /api/auth/login") == 1


@pytest.mark.browser
@pytest.mark.slow(60)
def test_api_page_shows_the_operations(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with service_process(tmp_path / "data") as url:
        document = subprocess.run(
            # Virtual time passes only when the page loads nothing, so the test does not wait.
            [
                *(CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"),
                *("--virtual-time-budget=60000", "--dump-dom", f"{url}/api/docs"),
            ],
            capture_output=True,
            text=True,
            **_browser_options(tmp_path),
            timeout=120,
            check=True,
        ).stdout
    assert "operations-inspection-" in document
    assert "Unable to render" not in document
