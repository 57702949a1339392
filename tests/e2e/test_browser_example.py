"""Tests the example page for a browser: list, record, picture, verdict, and a session that is refreshed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from shared import samples
from shared.images.cv import cv2
from shared.system.paths import program_folder
from tests.e2e.phone_browser import PhoneBrowser, phone_browser
from tests.service_process import ADMIN, create_first_admin, service_process

FOLDER = program_folder() / "docs" / "examples" / "browser"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        pass


@contextmanager
def _site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(FOLDER)))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def create_record(url: str, token: str) -> str:
    """A record with an item that has a photo; returns the ID of the item."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        body: dict[str, Any] = {"task_id": "t1", "inspection_name": "Left wing"}
        record = client.post("/api/inspection/create", json=body).json()["data"]
        body = {"item_name": "Skin", "inspection_id": record["inspection_id"]}
        item: str = client.post("/api/inspection_item/create", json=body).json()["item_id"]
        picture = bytes(cv2.imencode(".png", samples.draw_panel(320, 240).image)[1])
        file = client.post("/api/files", files={"file": ("a.png", picture, "image/png")}).json()["data"]
        answer = client.post(f"/api/inspection_item/{item}/photos", json={"file_id": file["file_id"]})
        answer.raise_for_status()
    return item


def log_in(browser: PhoneBrowser, site: str, url: str) -> None:
    browser.open(site)
    for field, value in zip(("service", "username", "password"), (url, *ADMIN), strict=True):
        browser.evaluate(f"document.getElementById('{field}').value = {json.dumps(value)}")
    browser.press("#login button")
    browser.wait_for_text("Left wing")


@pytest.mark.browser
@pytest.mark.slow(90)
def test_page_shows_a_picture_sets_a_verdict_and_keeps_its_session(tmp_path: Path) -> None:
    with ExitStack() as stack:
        site = stack.enter_context(_site())
        url = stack.enter_context(service_process(tmp_path / "data", allowed_origins=json.dumps([site])))
        token = create_first_admin(url)
        item = create_record(url, token)
        browser = stack.enter_context(phone_browser(tmp_path / "browser"))
        log_in(browser, site, url)
        browser.press("#records button")
        browser.wait_until("document.querySelector('#items img')?.naturalWidth === 320")
        # No model has an opinion here, but a reason that is given has to be long enough.
        browser.evaluate("document.querySelector('#items input').value = '!'")
        browser.press("#items .failed")
        browser.wait_for_text("(reason_too_short)")
        assert browser.evaluate("document.activeElement.placeholder") == "Reason"
        browser.evaluate("document.querySelector('#items input').value = 'Dent below the joint'")
        browser.press("#items .failed")
        browser.wait_until("document.querySelector('#items strong').textContent === 'failed'")
        # The access token is lost, as if it had expired; the page refreshes it, once for all of its requests.
        kept = "JSON.parse(sessionStorage.getItem('walkaround-example'))"
        before = browser.evaluate(f"{kept}.refresh")
        browser.evaluate(
            f"sessionStorage.setItem('walkaround-example', JSON.stringify({{...{kept}, access: 'expired'}}))"
        )
        browser.open(site)
        browser.wait_for_text("Left wing")
        assert browser.evaluate(f"{kept}.refresh") != before
        # The session is lost altogether: the page asks for a login again.
        browser.evaluate(
            "sessionStorage.setItem('walkaround-example', "
            f"JSON.stringify({{...{kept}, access: 'expired', refresh: 'expired'}}))"
        )
        browser.open(site)
        browser.wait_until(
            "document.getElementById('message').textContent && !document.getElementById('login').hidden"
        )
        assert browser.evaluate(f"{kept}") is None
        log_in(browser, site, url)
        assert browser.errors == []
        answer = httpx.get(f"{url}/api/inspection_item/{item}", headers={"Authorization": f"Bearer {token}"})
        verdict = answer.json()["result"][-1]["verdict"]
        assert (verdict["value"], verdict["reason"]) == ("failed", "Dent below the joint")
