"""A phone's browser adds photos to a record: over TLS, over a line that breaks, with a code that ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.phone_browser import CHROMIUM, PhoneBrowser, phone_browser
from tests.pictures import draw_gradient, encode_picture
from tests.service_process import Started, first_admin, running_service
from tests.stalling_proxy import StallingProxy

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
    pytest.mark.slow(60),
]


class Hangar:
    """A running service with a record of two items, and the person who makes codes."""

    def __init__(self, running: Started, folder: Path) -> None:
        self.url = running.url
        self.log = folder / "service.log"
        token = first_admin(self.url)
        self.http = httpx.Client(base_url=f"{self.url}/api", headers={"Authorization": f"Bearer {token}"})
        files = {"file": ("wing.png", encode_picture(draw_gradient(640, 480)), "image/png")}
        file_id = self._post("/files", files=files)["file_id"]
        image = {"reference_image_name": "左翼", "file_id": file_id}
        image_id = self._post("/catalogue/reference-images", json=image)["reference_image_id"]
        record = {"task_id": "T-1", "inspection_name": "左翼检查", "reference_image_id": image_id}
        self.record_id: str = self._post("/inspection/create", json=record)["inspection_id"]
        self.items = [self._item(name, x) for name, x in (("前缘", 0.1), ("口盖", 0.5))]

    def _post(self, path: str, **fields: Any) -> dict[str, Any]:
        answer = self.http.post(path, **fields)
        answer.raise_for_status()
        data: dict[str, Any] = answer.json()["data"]
        return data

    def _item(self, name: str, x: float) -> str:
        point = {"point": {"x": x, "y": 0.2, "w": 0.25, "h": 0.3}}
        body = {"item_name": name, "inspection_id": self.record_id, "item_point": point}
        item_id: str = self.http.post("/inspection_item/create", json=body).json()["item_id"]
        return item_id

    def code(self, **more: Any) -> dict[str, Any]:
        return self._post("/phone/codes", json={"inspection_id": self.record_id, **more})

    def end(self, code: dict[str, Any]) -> None:
        self.http.delete(f"/phone/codes/{code['code_id']}").raise_for_status()

    def photos(self, number: int) -> list[dict[str, Any]]:
        answer = self.http.get(f"/inspection_item/{self.items[number]}/photos")
        photos: list[dict[str, Any]] = answer.json()["data"]
        return photos

    def page(self, code: dict[str, Any], url: str = "") -> str:
        return f"{url or self.url}/phone#{code['token']}"


@pytest.fixture(scope="module")
def hangar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hangar]:
    folder = tmp_path_factory.mktemp("service")
    with running_service(folder) as running:
        new = Hangar(running, folder)
        with closing(new.http):
            yield new


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneBrowser]:
    with phone_browser(tmp_path_factory.mktemp("browser") / "b") as phone:
        phone.be_phone(390, 844)
        yield phone


@pytest.fixture
def phone(browser: PhoneBrowser) -> Iterator[PhoneBrowser]:
    yield browser
    assert browser.errors == []


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "IMG_2041.jpg"
    path.write_bytes(encode_picture(draw_gradient(1600, 1200), "JPEG", orientation=6))
    return path


STATES = "[...document.querySelectorAll('#photos .state')].map((one) => one.textContent).join('|')"


def states(phone: PhoneBrowser) -> list[str]:
    joined: str = phone.run(STATES)
    return joined.split("|")


def until_states(phone: PhoneBrowser, *sentences: str) -> None:
    phone.until(f"{STATES} === {json.dumps('|'.join(sentences))}")


def test_photos_arrive_item_after_item(hangar: Hangar, phone: PhoneBrowser, photo: Path) -> None:
    code = hangar.code()
    phone.open(hangar.page(code))
    phone.until_says("左翼检查")
    # The token is in no history and no address that a server or a proxy would see.
    assert phone.run("location.href") == f"{hangar.url}/phone"
    assert phone.run("document.getElementById('target-name').textContent") == "前缘"
    phone.until("document.querySelector('#target-picture img')?.naturalWidth > 0")
    phone.take("#camera", photo)
    until_states(phone, "Arrived")
    phone.press("#next")
    assert phone.run("document.getElementById('target-name').textContent") == "口盖"
    phone.take("#gallery", photo, photo)
    until_states(phone, "Arrived", "Arrived", "Arrived")
    assert [len(hangar.photos(number)) for number in (0, 1)] == [1, 2]
    stored = hangar.photos(0)[0]
    assert stored["by_phone"] is True
    assert stored["added_by_name"] == "主任"
    content = hangar.http.get(f"/files/{stored['file_id']}/content").content
    assert content == photo.read_bytes()
    assert phone.run("document.getElementById('next').hidden") is True


def test_gloves_find_every_control(hangar: Hangar, phone: PhoneBrowser) -> None:
    phone.open(hangar.page(hangar.code()))
    phone.until_says("左翼检查")
    small = phone.run(
        "[...document.querySelectorAll('button, .button')].filter((e) => e.offsetParent)"
        ".filter((e) => e.getBoundingClientRect().height < 56 || e.getBoundingClientRect().width < 56)"
        ".map((e) => e.id || e.className).join()"
    )
    assert small == ""
    assert phone.run("document.documentElement.scrollWidth <= innerWidth") is True


def test_both_languages(hangar: Hangar, phone: PhoneBrowser) -> None:
    phone.be_phone(360, 740, language="zh-CN")
    try:
        phone.open(hangar.page(hangar.code(item_id=hangar.items[0])))
        phone.until_says("拍照")
        assert phone.run("document.documentElement.lang") == "zh-CN"
        # One item alone: there is none to choose.
        assert phone.run("document.getElementById('items-part').hidden") is True
        phone.press("#language")
        phone.until_says("Take photo")
        phone.run("localStorage.removeItem('walkaround-language')")
    finally:
        phone.be_phone(390, 844)


def test_only_the_same_phone_can_claim_a_code_again(hangar: Hangar, phone: PhoneBrowser, photo: Path) -> None:
    code = hangar.code()
    phone.open(hangar.page(code))
    phone.until_says("左翼检查")
    phone.call("Page.reload")
    phone.until_says("左翼检查")
    # Another phone has another key.
    phone.run("localStorage.clear()")
    phone.open(hangar.page(code))
    phone.until_says("Code in use")
    assert phone.run("document.getElementById('work').hidden") is True


def test_a_code_that_has_ended_or_never_was(hangar: Hangar, phone: PhoneBrowser) -> None:
    code = hangar.code()
    hangar.end(code)
    phone.open(hangar.page(code))
    phone.until_says("Code ended")
    phone.open(f"{hangar.url}/phone#{'x' * 22}")
    phone.until_says("Code not valid")
    phone.run("localStorage.clear()")
    phone.open(f"{hangar.url}/phone")
    phone.until_says("Scan the QR code on the workstation")


def test_photos_are_kept_while_the_connection_is_broken(
    hangar: Hangar, phone: PhoneBrowser, photo: Path
) -> None:
    proxy = StallingProxy(urlsplit(hangar.url).port or 0)
    before = len(hangar.photos(0))
    try:
        url = f"http://127.0.0.1:{proxy.port}"
        code = hangar.code(item_id=hangar.items[0])
        phone.open(hangar.page(code, url))
        phone.until_says("左翼检查")
        large = photo.with_name("large.png")
        large.write_bytes(encode_picture(draw_gradient(1400, 1000)) + bytes(1_500_000))
        # A slow line, so that it breaks in the middle of the photo, when parts have arrived.
        phone.slow_down(400_000)
        phone.take("#camera", large)
        phone.until("document.querySelector('#photos progress')?.value > 0")
        proxy.lead_to(1)
        proxy.cut()
        phone.until_says("No connection. Photos stay on this phone")
        assert hangar.http.get(f"/phone/codes/{code['code_id']}").json()["data"]["sending"] == 1
        phone.slow_down(-1)
        proxy.lead_to(urlsplit(hangar.url).port or 0)
        # Loaded again before it is sent: the photo was kept.
        phone.open(f"{url}/phone")
        until_states(phone, "Arrived")
    finally:
        proxy.refuse()
    assert len(hangar.photos(0)) == before + 1
    stored = hangar.photos(0)[0]
    assert hangar.http.get(f"/files/{stored['file_id']}/content").content == large.read_bytes()


def test_photos_of_an_ended_code_go_with_the_next(hangar: Hangar, phone: PhoneBrowser, photo: Path) -> None:
    before = len(hangar.photos(1))
    code = hangar.code(item_id=hangar.items[1])
    phone.open(hangar.page(code))
    phone.until_says("左翼检查")
    hangar.end(code)
    phone.take("#camera", photo)
    phone.until_says("Not sent yet: 1")
    phone.open(hangar.page(hangar.code(item_id=hangar.items[1])))
    until_states(phone, "Arrived")
    assert len(hangar.photos(1)) == before + 1


def test_unreadable_photos_are_reported_on_the_page(
    hangar: Hangar, phone: PhoneBrowser, tmp_path: Path
) -> None:
    heic, broken = tmp_path / "IMG_1.heic", tmp_path / "broken.jpg"
    heic.write_bytes(b"\0\0\0\x18ftypheic" + bytes(100))
    broken.write_bytes(b"no picture")
    phone.open(hangar.page(hangar.code()))
    phone.until_says("左翼检查")
    phone.take("#gallery", heic, broken)
    phone.until("document.querySelectorAll('#photos .bad').length === 2")
    assert "Most Compatible" in "".join(states(phone))
    phone.press("#photos button")
    phone.until("document.querySelectorAll('#photos .bad').length === 1")


def test_a_service_of_this_machine_answers_phones_over_tls_and_nothing_else(
    hangar: Hangar, phone: PhoneBrowser, photo: Path
) -> None:
    code = hangar.code(open_network=True, item_id=hangar.items[0])
    if not code["addresses"]:
        pytest.skip("this machine is in no network")
    url = code["addresses"][0]
    assert url.startswith("https://")
    assert len(code["fingerprint"].split(":")) == 32
    before = len(hangar.photos(0))
    phone.open(hangar.page(code, url))
    phone.until_says("左翼检查")
    phone.take("#camera", photo)
    until_states(phone, "Arrived")
    assert len(hangar.photos(0)) == before + 1
    token = hangar.http.headers["Authorization"]
    with httpx.Client(base_url=url, verify=False, headers={"Authorization": token}) as outside:
        for path in ("/api/auth/me", "/api/openapi.json", "/healthz", "/api/phone/codes", "/phone/codes/x"):
            assert outside.get(path).status_code == 404, path
        assert outside.post("/api/auth/login", json={}).status_code in (404, 405)
        assert outside.delete(f"/api/phone/codes/{code['code_id']}").status_code in (404, 405)


def test_tokens_are_in_no_log(hangar: Hangar, phone: PhoneBrowser) -> None:
    code = hangar.code()
    phone.open(hangar.page(code))
    phone.until_says("左翼检查")
    key = json.loads(phone.run("localStorage.getItem('walkaround-phone')"))["key"]
    log = hangar.log.read_text("utf-8")
    assert "POST /phone/claim 200" in log
    assert code["token"] not in log
    assert key not in log
