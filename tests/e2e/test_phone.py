"""Tests that a phone's browser adds photos: over TLS, over a broken connection, by an ended code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.phone_browser import PhoneBrowser, phone_browser
from tests.pictures import encode_picture, gradient_pixels
from tests.service_process import ReadyService, create_first_admin, running_service
from tests.stalling_proxy import StallingProxy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow(60),
]


class Installation:
    """A running service with a record of two items, and a user who creates phone codes."""

    def __init__(self, running: ReadyService, folder: Path) -> None:
        self.url = running.url
        self.log = folder / "service.log"
        token = create_first_admin(self.url)
        self.http = httpx.Client(base_url=f"{self.url}/api", headers={"Authorization": f"Bearer {token}"})
        files = {"file": ("wing.png", encode_picture(gradient_pixels(640, 480)), "image/png")}
        file_id = self._post("/files", files=files)["file_id"]
        image = {"reference_image_name": "左翼", "file_id": file_id}
        image_id = self._post("/catalogue/reference-images", json=image)["reference_image_id"]
        record = {"task_id": "T-1", "inspection_name": "左翼检查", "reference_image_id": image_id}
        self.record_id: str = self._post("/inspection/create", json=record)["inspection_id"]
        self.items = [self._create_item(name, x) for name, x in (("前缘", 0.1), ("口盖", 0.5))]

    def _post(self, path: str, **fields: Any) -> dict[str, Any]:
        answer = self.http.post(path, **fields)
        answer.raise_for_status()
        data: dict[str, Any] = answer.json()["data"]
        return data

    def _create_item(self, name: str, x: float) -> str:
        point = {"point": {"x": x, "y": 0.2, "w": 0.25, "h": 0.3}}
        body = {"item_name": name, "inspection_id": self.record_id, "item_point": point}
        item_id: str = self.http.post("/inspection_item/create", json=body).json()["item_id"]
        return item_id

    def create_code(self, **more: Any) -> dict[str, Any]:
        return self._post("/phone/codes", json={"inspection_id": self.record_id, **more})

    def end_code(self, code: dict[str, Any]) -> None:
        self.http.delete(f"/phone/codes/{code['code_id']}").raise_for_status()

    def item_photos(self, number: int) -> list[dict[str, Any]]:
        answer = self.http.get(f"/inspection_item/{self.items[number]}/photos")
        photos: list[dict[str, Any]] = answer.json()["data"]
        return photos

    def page_url(self, code: dict[str, Any], url: str = "") -> str:
        return f"{url or self.url}/phone#{code['token']}"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("service")
    with running_service(folder) as running:
        installation = Installation(running, folder)
        with closing(installation.http):
            yield installation


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneBrowser]:
    with phone_browser(tmp_path_factory.mktemp("browser") / "b") as phone:
        phone.emulate_phone(390, 844)
        yield phone


@pytest.fixture
def phone(browser: PhoneBrowser) -> Iterator[PhoneBrowser]:
    browser.errors.clear()
    yield browser
    assert browser.errors == []


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "IMG_2041.jpg"
    path.write_bytes(encode_picture(gradient_pixels(1600, 1200), "JPEG", orientation=6))
    return path


STATES = "[...document.querySelectorAll('#photos .state')].map((one) => one.textContent).join('|')"


def read_states(phone: PhoneBrowser) -> list[str]:
    states: str = phone.evaluate(STATES)
    return states.split("|")


def wait_for_states(phone: PhoneBrowser, *sentences: str) -> None:
    phone.wait_until(f"{STATES} === {json.dumps('|'.join(sentences))}")


def test_phone_adds_photos_to_one_item_after_another(
    installation: Installation, phone: PhoneBrowser, photo: Path
) -> None:
    code = installation.create_code()
    phone.open(installation.page_url(code))
    phone.wait_for_text("左翼检查")
    # No address in the history or in a request contains the token.
    assert phone.evaluate("location.href") == f"{installation.url}/phone"
    assert phone.evaluate("document.getElementById('target-name').textContent") == "前缘"
    phone.wait_until("document.querySelector('#target-picture img')?.naturalWidth > 0")
    phone.choose_files("#camera", photo)
    wait_for_states(phone, "Arrived")
    phone.press("#next")
    assert phone.evaluate("document.getElementById('target-name').textContent") == "口盖"
    phone.choose_files("#gallery", photo, photo)
    wait_for_states(phone, "Arrived", "Arrived", "Arrived")
    assert [len(installation.item_photos(number)) for number in (0, 1)] == [1, 2]
    stored = installation.item_photos(0)[0]
    assert stored["by_phone"] is True
    assert stored["added_by_name"] == "主任 (chief)"
    content = installation.http.get(f"/files/{stored['file_id']}/content").content
    assert content == photo.read_bytes()
    assert phone.evaluate("document.getElementById('next').hidden") is True


def test_every_control_is_large_enough_for_gloves(installation: Installation, phone: PhoneBrowser) -> None:
    phone.open(installation.page_url(installation.create_code()))
    phone.wait_for_text("左翼检查")
    small = phone.evaluate(
        "[...document.querySelectorAll('button, .button')].filter((e) => e.offsetParent)"
        ".filter((e) => e.getBoundingClientRect().height < 56 || e.getBoundingClientRect().width < 56)"
        ".map((e) => e.id || e.className).join()"
    )
    assert small == ""
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth") is True


def test_page_has_both_languages(installation: Installation, phone: PhoneBrowser) -> None:
    phone.emulate_phone(360, 740, language="zh-CN")
    try:
        phone.open(installation.page_url(installation.create_code(item_id=installation.items[0])))
        phone.wait_for_text("拍照")
        assert phone.evaluate("document.documentElement.lang") == "zh-CN"
        # With one item there is nothing to choose.
        assert phone.evaluate("document.getElementById('items-part').hidden") is True
        phone.press("#language")
        phone.wait_for_text("Take photo")
        phone.evaluate("localStorage.removeItem('walkaround-language')")
    finally:
        phone.emulate_phone(390, 844)


def test_only_the_same_phone_can_claim_a_code_again(
    installation: Installation, phone: PhoneBrowser, photo: Path
) -> None:
    code = installation.create_code()
    phone.open(installation.page_url(code))
    phone.wait_for_text("左翼检查")
    phone.call("Page.reload")
    phone.wait_for_text("左翼检查")
    # Another phone has another key.
    phone.evaluate("localStorage.clear()")
    phone.open(installation.page_url(code))
    phone.wait_for_text("Code in use")
    assert phone.evaluate("document.getElementById('work').hidden") is True


def test_page_reports_ended_unknown_and_missing_codes(
    installation: Installation, phone: PhoneBrowser
) -> None:
    code = installation.create_code()
    installation.end_code(code)
    phone.open(installation.page_url(code))
    phone.wait_for_text("Code ended")
    phone.open(f"{installation.url}/phone#{'x' * 22}")
    phone.wait_for_text("Code not valid")
    phone.evaluate("localStorage.clear()")
    phone.open(f"{installation.url}/phone")
    phone.wait_for_text("Scan the QR code on the workstation")


def test_photo_is_sent_after_a_broken_connection(
    installation: Installation, phone: PhoneBrowser, photo: Path
) -> None:
    proxy = StallingProxy(urlsplit(installation.url).port or 0)
    before = len(installation.item_photos(0))
    try:
        url = f"http://127.0.0.1:{proxy.port}"
        code = installation.create_code(item_id=installation.items[0])
        phone.open(installation.page_url(code, url))
        phone.wait_for_text("左翼检查")
        large = photo.with_name("large.png")
        large.write_bytes(encode_picture(gradient_pixels(1400, 1000)) + bytes(1_500_000))
        # A slow connection, so that it breaks when parts of the photo have arrived.
        phone.limit_upload(400_000)
        phone.choose_files("#camera", large)
        phone.wait_until("document.querySelector('#photos progress')?.value > 0")
        proxy.redirect_to(1)
        proxy.cut()
        phone.wait_for_text("No connection. Photos stay on this phone")
        assert installation.http.get(f"/phone/codes/{code['code_id']}").json()["data"]["sending"] == 1
        phone.limit_upload(-1)
        proxy.redirect_to(urlsplit(installation.url).port or 0)
        # The page is loaded again before the photo is sent: it has stored the photo.
        phone.open(f"{url}/phone")
        wait_for_states(phone, "Arrived")
    finally:
        proxy.refuse()
    assert len(installation.item_photos(0)) == before + 1
    stored = installation.item_photos(0)[0]
    assert installation.http.get(f"/files/{stored['file_id']}/content").content == large.read_bytes()


def test_an_answer_that_is_cut_off_is_a_broken_connection(
    installation: Installation, phone: PhoneBrowser
) -> None:
    phone.open(installation.page_url(installation.create_code()))
    phone.wait_for_text("左翼检查")
    cut = 'fetchWhole = fetch; fetch = async () => new Response(\'{"data": {"code\', { status: 200 })'
    phone.evaluate(f"{cut}, dispatchEvent(new Event('online'))")
    phone.wait_for_text("No connection.")
    assert "前缘" in phone.text()
    phone.evaluate("fetch = fetchWhole, dispatchEvent(new Event('online'))")
    phone.wait_until("document.getElementById('line').hidden")


def test_photos_of_an_ended_code_are_sent_with_the_next_code(
    installation: Installation, phone: PhoneBrowser, photo: Path
) -> None:
    before = len(installation.item_photos(1))
    code = installation.create_code(item_id=installation.items[1])
    phone.open(installation.page_url(code))
    phone.wait_for_text("左翼检查")
    installation.end_code(code)
    phone.choose_files("#camera", photo)
    phone.wait_for_text("Not sent yet: 1")
    phone.open(installation.page_url(installation.create_code(item_id=installation.items[1])))
    wait_for_states(phone, "Arrived")
    assert len(installation.item_photos(1)) == before + 1


def test_unreadable_photos_are_reported_on_the_page(
    installation: Installation, phone: PhoneBrowser, tmp_path: Path
) -> None:
    heic, broken = tmp_path / "IMG_1.heic", tmp_path / "broken.jpg"
    heic.write_bytes(b"\0\0\0\x18ftypheic" + bytes(100))
    broken.write_bytes(b"no picture")
    phone.open(installation.page_url(installation.create_code()))
    phone.wait_for_text("左翼检查")
    phone.choose_files("#gallery", heic, broken)
    phone.wait_until("document.querySelectorAll('#photos .bad').length === 2")
    assert "Most Compatible" in "".join(read_states(phone))
    phone.press("#photos button")
    phone.wait_until("document.querySelectorAll('#photos .bad').length === 1")


def test_local_service_serves_only_the_phone_page_to_the_network(
    installation: Installation, phone: PhoneBrowser, photo: Path
) -> None:
    code = installation.create_code(open_network=True, item_id=installation.items[0])
    if not code["addresses"]:
        pytest.skip("this machine has no network")
    url = code["addresses"][0]
    assert url.startswith("https://")
    assert len(code["fingerprint"].split(":")) == 32
    before = len(installation.item_photos(0))
    phone.open(installation.page_url(code, url))
    phone.wait_for_text("左翼检查")
    phone.choose_files("#camera", photo)
    wait_for_states(phone, "Arrived")
    assert len(installation.item_photos(0)) == before + 1
    token = installation.http.headers["Authorization"]
    with httpx.Client(base_url=url, verify=False, headers={"Authorization": token}) as outside:
        for path in ("/api/auth/me", "/api/openapi.json", "/healthz", "/api/phone/codes", "/phone/codes/x"):
            assert outside.get(path).status_code == 404, path
        assert outside.post("/api/auth/login", json={}).status_code in (404, 405)
        assert outside.delete(f"/api/phone/codes/{code['code_id']}").status_code in (404, 405)


def test_tokens_are_in_no_log(installation: Installation, phone: PhoneBrowser) -> None:
    code = installation.create_code()
    phone.open(installation.page_url(code))
    phone.wait_for_text("左翼检查")
    key = json.loads(phone.evaluate("localStorage.getItem('walkaround-phone')"))["key"]
    log = installation.log.read_text("utf-8")
    assert "POST /phone/claim 200" in log
    assert code["token"] not in log
    assert key not in log
