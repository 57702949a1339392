"""Fixtures of phones: a record with an item, its code, and phones that claim it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.one_loop import beside
from tests.pictures import draw_gradient, encode_picture

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"
ADDRESS = "192.168.7.20"
PHOTO = encode_picture(draw_gradient(320, 240), "JPEG")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


class Phone:
    """A phone in the network, with a key of its own."""

    def __init__(self, client: TestClient, address: str = ADDRESS) -> None:
        self.client = beside(client, client=(address, 40000), raise_server_exceptions=False)
        self.client.headers["User-Agent"] = IPHONE
        self.key = secrets.token_urlsafe(32)
        self.code_id = ""

    def claim(self, token: str) -> Any:
        """The answer of a claim; a phone that is connected says from now on by what."""
        answer = self.client.post("/api/phone/claim", json={"token": token, "key": self.key})
        if answer.status_code == 200:
            self.code_id = answer.json()["data"]["code_id"]
            self.client.headers["Authorization"] = f"Phone {self.code_id}.{self.key}"
        return answer

    def view(self) -> Any:
        """The answer with what it shows."""
        return self.client.get("/api/phone/view")

    def begin(self, upload_id: str = "photo-0001", data: bytes = PHOTO, **more: Any) -> Any:
        """The answer to the beginning of a photo."""
        body = {"upload_id": upload_id, "name": "photo.jpg", "size": len(data), **more}
        return self.client.post("/api/phone/uploads", json=body)

    def part(self, start: int, data: bytes, upload_id: str = "photo-0001") -> Any:
        """The answer to some bytes of it."""
        headers = {"Content-Type": "application/octet-stream"}
        address = f"/api/phone/uploads/{upload_id}?start={start}"
        return self.client.put(address, content=data, headers=headers)

    def send(self, upload_id: str = "photo-0001", data: bytes = PHOTO, **more: Any) -> dict[str, Any]:
        """Send a whole photo in two parts; gives what the last answer says of it."""
        first_answer = self.begin(upload_id, data, **more)
        assert first_answer.status_code == 200, first_answer.text
        half = len(data) // 2
        assert self.part(0, data[:half], upload_id).json()["data"]["received"] == half
        answer = self.part(half, data[half:], upload_id)
        assert answer.status_code == 200, answer.text
        upload: dict[str, Any] = answer.json()["data"]
        return upload


class Scene:
    """A record with a reference image and two items, and a person who makes codes."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        files = {"file": ("flügel.png", encode_picture(draw_gradient(640, 480)), "image/png")}
        file_id = client.post("/api/files", files=files).json()["data"]["file_id"]
        image = client.post(
            "/api/catalogue/reference-images",
            json={"reference_image_name": "左翼", "file_id": file_id},
        ).json()["data"]
        record = client.post(
            "/api/inspection/create",
            json={
                "task_id": "T-1",
                "inspection_name": "左翼检查",
                "reference_image_id": image["reference_image_id"],
            },
        ).json()["data"]
        self.record_id: str = record["inspection_id"]
        self.items = [self._item(name, x) for name, x in (("前缘", 0.1), ("口盖", 0.5))]

    def _item(self, name: str, x: float) -> str:
        point = {"point": {"x": x, "y": 0.2, "w": 0.25, "h": 0.3}}
        body = {"item_name": name, "inspection_id": self.record_id, "item_point": point}
        answer = self.client.post("/api/inspection_item/create", json=body)
        assert answer.status_code == 200, answer.text
        item_id: str = answer.json()["item_id"]
        return item_id

    def code(self, item_id: str | None = None, by: TestClient | None = None, **more: Any) -> dict[str, Any]:
        """A new code, by the admin unless another person is named."""
        body = {"inspection_id": self.record_id, "item_id": item_id, **more}
        answer = (by or self.client).post("/api/phone/codes", json=body)
        assert answer.status_code == 200, answer.text
        phone_code: dict[str, Any] = answer.json()["data"]
        return phone_code

    def status(self, code: dict[str, Any]) -> dict[str, Any]:
        """What its maker sees of a code."""
        status: dict[str, Any] = self.client.get(f"/api/phone/codes/{code['code_id']}").json()["data"]
        return status

    def phone(self, item_id: str | None = None, by: TestClient | None = None) -> Phone:
        """A phone that has claimed a new code."""
        phone = Phone(self.client)
        answer = phone.claim(self.code(item_id, by)["token"])
        assert answer.status_code == 200, answer.text
        return phone

    def photos(self, item_id: str) -> list[dict[str, Any]]:
        """The photos of an item, newest first."""
        photos: list[dict[str, Any]] = self.client.get(f"/api/inspection_item/{item_id}/photos").json()[
            "data"
        ]
        return photos

    def seal(self) -> None:
        """Finish the record."""
        for item_id in self.items:
            self.client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "passed"})
        answer = self.client.post(f"/api/inspection/{self.record_id}/finish", json={})
        assert answer.status_code == 200, answer.text


@pytest.fixture
def scene(client: TestClient) -> Scene:
    """The record and its maker."""
    return Scene(client)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let so many seconds pass for codes, and for nothing else."""
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
