"""Fixtures for phones: a record with items, codes, and phones that claim them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.one_loop import second_client
from tests.pictures import encode_picture, gradient_pixels
from tests.service.answers import read_body, read_data, read_list

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"
ADDRESS = "192.168.7.20"
PHOTO = encode_picture(gradient_pixels(320, 240), "JPEG")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


class Phone:
    """A phone in the network, with its key."""

    def __init__(self, client: TestClient, address: str = ADDRESS) -> None:
        self.client = second_client(client, client=(address, 40000), raise_server_exceptions=False)
        self.client.headers["User-Agent"] = IPHONE
        self.key = secrets.token_urlsafe(32)
        self.code_id = ""

    def claim(self, token: str) -> Any:
        """Claim a code and return the answer. After success, the phone sends its key with each request."""
        answer = self.client.post("/api/phone/claim", json={"token": token, "key": self.key})
        if answer.status_code == 200:
            self.code_id = answer.json()["data"]["code_id"]
            self.client.headers["Authorization"] = f"Phone {self.code_id}.{self.key}"
        return answer

    def view(self) -> Any:
        """The answer with the content of the phone page."""
        return self.client.get("/api/phone/view")

    def begin(self, upload_id: str = "photo-0001", data: bytes = PHOTO, **more: Any) -> Any:
        """Begin the upload of a photo and return the answer."""
        body = {"upload_id": upload_id, "name": "photo.jpg", "size": len(data), **more}
        return self.client.post("/api/phone/uploads", json=body)

    def part(self, start: int, data: bytes, upload_id: str = "photo-0001") -> Any:
        """Send a part of a photo and return the answer."""
        headers = {"Content-Type": "application/octet-stream"}
        address = f"/api/phone/uploads/{upload_id}?start={start}"
        return self.client.put(address, content=data, headers=headers)

    def send(self, upload_id: str = "photo-0001", data: bytes = PHOTO, **more: Any) -> dict[str, Any]:
        """Send a photo in two parts. Returns the upload in the last answer."""
        first_answer = self.begin(upload_id, data, **more)
        assert first_answer.status_code == 200, first_answer.text
        half = len(data) // 2
        assert self.part(0, data[:half], upload_id).json()["data"]["received"] == half
        return read_data(self.part(half, data[half:], upload_id))


class PhoneSetup:
    """A record with a reference image and two items, and a user who creates codes."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        files = {"file": ("flügel.png", encode_picture(gradient_pixels(640, 480)), "image/png")}
        file_id = read_data(client.post("/api/files", files=files))["file_id"]
        body = {"reference_image_name": "左翼", "file_id": file_id}
        image = read_data(client.post("/api/catalogue/reference-images", json=body))
        image_id = image["reference_image_id"]
        body = {"task_id": "T-1", "inspection_name": "左翼检查", "reference_image_id": image_id}
        self.record_id: str = read_data(client.post("/api/inspection/create", json=body))["inspection_id"]
        self.items = [self._create_item(name, x) for name, x in (("前缘", 0.1), ("口盖", 0.5))]

    def _create_item(self, name: str, x: float) -> str:
        point = {"point": {"x": x, "y": 0.2, "w": 0.25, "h": 0.3}}
        body = {"item_name": name, "inspection_id": self.record_id, "item_point": point}
        return str(read_body(self.client.post("/api/inspection_item/create", json=body))["item_id"])

    def create_code(
        self, item_id: str | None = None, by: TestClient | None = None, **more: Any
    ) -> dict[str, Any]:
        """Create a code, by default as the administrator."""
        body = {"inspection_id": self.record_id, "item_id": item_id, **more}
        return read_data((by or self.client).post("/api/phone/codes", json=body))

    def read_status(self, code: dict[str, Any]) -> dict[str, Any]:
        """The code as its creator sees it."""
        return read_data(self.client.get(f"/api/phone/codes/{code['code_id']}"))

    def connect_phone(self, item_id: str | None = None, by: TestClient | None = None) -> Phone:
        """A phone that has claimed a new code."""
        phone = Phone(self.client)
        answer = phone.claim(self.create_code(item_id, by)["token"])
        assert answer.status_code == 200, answer.text
        return phone

    def item_photos(self, item_id: str) -> list[dict[str, Any]]:
        """The photos of an item, newest first."""
        return read_list(self.client.get(f"/api/inspection_item/{item_id}/photos"))

    def seal(self) -> None:
        """Finish the record."""
        for item_id in self.items:
            self.client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "passed"})
        answer = self.client.post(f"/api/inspection/{self.record_id}/finish", json={})
        assert answer.status_code == 200, answer.text


@pytest.fixture
def scene(client: TestClient) -> PhoneSetup:
    """The record and its user."""
    return PhoneSetup(client)


@pytest.fixture
def wait_seconds(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A function that lets seconds pass, for codes only."""
    import datetime as dt

    import service.phone.codes as codes
    import service.phone.uploads as uploads
    from service.db.database import now
    from service.phone import service as shown

    passed = 0.0

    def shifted_now() -> dt.datetime:
        return now() + dt.timedelta(seconds=passed)

    for module in (codes, uploads, shown):
        monkeypatch.setattr(module, "now", shifted_now)

    def wait(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    return wait
