from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from service.db.database import now
from service.face.routes import router
from shared.record.codes import Role
from shared.samples import faces
from shared.wire.face import FacePolicy
from tests.narrowing import not_none
from tests.service.domain_app import create_client, role_headers
from tests.service.face.conftest import Setup, as_face_info

PERSON = as_face_info(faces.enrolment_picture())
AGAIN = as_face_info(faces.login_picture())
STRANGER = as_face_info(faces.stranger_picture())


@pytest.fixture
def client(setup: Setup) -> Iterator[TestClient]:
    with create_client(router(setup.service)) as client:
        yield client


def test_refused_picture_has_a_sentence_with_what_to_change(client: TestClient) -> None:
    small = as_face_info(faces.render_frame(faces.load_portrait(), 0.8))
    answer = client.post("/api/auth/updateFaceInfo", json={"faceInfo": small})
    assert answer.json() == {"code": 1, "data": None, "msg": "人脸过小，请靠近摄像头后重拍"}


@pytest.mark.parametrize("value", [123, 0, True, False, 1.5, [], ["x"], {}, {"canary": "secret"}], ids=repr)
def test_login_with_non_text_fails_and_counts(client: TestClient, value: object) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": PERSON})
    expected = client.post("/api/auth/loginByFaceInfo", json={"faceInfo": STRANGER})
    for _ in range(4):
        answer = client.post("/api/auth/loginByFaceInfo", json={"faceInfo": value})
        assert (answer.status_code, answer.content) == (200, expected.content)
        assert answer.headers.keys() == expected.headers.keys()
    assert client.post("/api/auth/loginByFaceInfo", json={"faceInfo": value}).status_code == 429


def test_a_wrong_type_never_repeats_the_input(client: TestClient) -> None:
    answer = client.post("/api/auth/updateFaceInfo", json={"faceInfo": {"canary": "secret"}})
    assert answer.status_code == 422
    assert "secret" not in answer.text


def test_enrolment_can_be_created_replaced_and_deleted(client: TestClient) -> None:
    status = client.get("/api/auth/face").json()["data"]
    assert (status["enrolled"], status["templates"], status["recommend_pack"]) == (False, 0, True)
    assert "同意" in status["current_consent_text"]
    images = [as_face_info(image) for image in faces.enrolment_pictures()]
    answer = client.post("/api/auth/face", json={"images": images, "consent": True}).json()
    assert (answer["code"], answer["msg"]) == (0, "人脸登记成功")
    assert (answer["data"]["enrolled"], answer["data"]["usable"], answer["data"]["templates"]) == (
        True,
        True,
        3,
    )
    assert answer["data"]["consented_at"].endswith("Z")
    assert client.delete("/api/auth/face").json() == {"code": 0, "data": True, "msg": "人脸数据已删除"}
    assert client.delete("/api/auth/face").json()["data"] is False
    assert client.get("/api/auth/face").json()["data"]["enrolled"] is False


@pytest.mark.parametrize(
    "body",
    [
        {"images": [PERSON]},
        {"images": [PERSON], "consent": False},
        {"images": [], "consent": True},
        {"images": [PERSON] * 6, "consent": True},
    ],
)
def test_an_enrolment_needs_consent_and_one_to_five_pictures(
    client: TestClient, body: dict[str, object]
) -> None:
    answer = client.post("/api/auth/face", json=body)
    assert answer.status_code == 422
    assert PERSON[:50] not in answer.text


def test_device_token_travels_in_a_header(client: TestClient, setup: Setup) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": PERSON})
    admin = role_headers(Role.ADMIN)
    # Both ask for a recent password, which a caller by role has not given.
    portal = not_none(client.portal)
    allowed = portal.call(setup.service.devices.allow, "Gate A", "chief", "127.0.0.1")
    policy = FacePolicy(login_enabled=True, allowed_devices_only=True)
    portal.call(setup.service.oversight.change_policy, policy, "chief", "127.0.0.1")
    listed = client.get("/api/face/devices", headers=admin).json()["data"]
    assert [(device["name"], device["device_id"]) for device in listed] == [("Gate A", allowed.device_id)]
    assert allowed.token not in str(listed)
    needed = client.get("/api/auth/faceRequirements", headers=role_headers(None)).json()["data"]
    assert needed["allowed_devices_only"]
    anyone, device = role_headers(None), {"X-Device-Token": allowed.token}
    for path, body in (
        ("/api/auth/loginByFaceInfo", {"faceInfo": AGAIN}),
        ("/api/auth/faceChallenge", {"avoid": []}),
    ):
        answer = client.post(path, json=body, headers=anyone)
        assert (answer.status_code, answer.json()["data"]["error"]) == (403, "device_not_allowed")
        answer = client.post(path, json=body, headers={**anyone, **device})
        assert (answer.status_code, answer.json()["code"]) == (200, 0)


def test_enrolment_reports_weaknesses_of_its_pictures(client: TestClient) -> None:
    body = {"images": [PERSON], "consent": True}
    assert client.post("/api/auth/face", json=body).json()["data"]["weaknesses"] == ["one_photo"]
    assert client.get("/api/auth/face").json()["data"]["weaknesses"] == []


def test_enrolment_of_more_than_a_year_ago_is_due_for_renewal(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": PERSON})
    assert not client.get("/api/auth/face").json()["data"]["renewal_due"]
    later = now() + timedelta(days=366)
    monkeypatch.setattr("service.face.enrolment.now", lambda: later)
    assert client.get("/api/auth/face").json()["data"]["renewal_due"]
