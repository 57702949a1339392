"""Face login in the real application, with the real face process."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from service.face.rules import SENTENCES, QualityFault
from shared.samples import faces
from tests.service.face.conftest import as_face_info

pytestmark = pytest.mark.slow

FAILED = {"code": 1, "data": None, "msg": "无法校验人脸"}


def claims(token: str) -> dict[str, object]:
    payload = token.split(".")[1]
    claims: dict[str, object] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


@pytest.fixture(autouse=True)
def _quick_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)


def test_a_life_with_face_login(
    client: TestClient, anonymous: TestClient, as_role: Callable[..., TestClient]
) -> None:
    inspector = as_role("inspector", username="mei")

    def log_in(image: faces.Pixels) -> dict[str, object]:
        answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": as_face_info(image)})
        assert answer.status_code == 200, answer.text
        body: dict[str, object] = answer.json()
        return body

    assert log_in(faces.login_picture()) == FAILED
    images = [as_face_info(image, ".jpg") for image in faces.enrolment_pictures()]
    enrolled = inspector.post("/api/auth/face", json={"images": images, "consent": True}).json()
    assert enrolled["data"]["templates"] == 3

    answer = log_in(faces.login_picture())
    assert answer["msg"] == "登录成功"
    data = answer["data"]
    assert isinstance(data, dict)
    assert data["payload"]["user"]["username"] == "mei"
    assert data["payload"]["user"]["has_face"] is True
    assert data["payload"]["role"] == ["inspector"]
    assert claims(data["access_token"])["amr"] == ["face"]
    assert log_in(faces.stranger_picture()) == FAILED

    # Another account cannot take the face, in either of the contract's ways.
    other = as_role("viewer", username="lan")
    face_info = as_face_info(faces.login_picture(1))
    refused = other.post("/api/auth/updateFaceInfo", json={"faceInfo": face_info}).json()
    assert (refused["code"], refused["msg"]) == (1, SENTENCES[QualityFault.OTHER_USER])
    refused = other.post("/api/auth/updateInfo", json={"faceInfo": face_info}).json()
    assert (refused["code"], refused["msg"]) == (1, "更新数据失败")
    assert SENTENCES[QualityFault.OTHER_USER] in refused["data"]

    # Five failures: the station waits. A password there opens it again.
    for _ in range(5):
        assert log_in(faces.stranger_picture()) == FAILED
    waiting = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": face_info})
    assert waiting.status_code == 429
    as_role("viewer", username="hua")
    assert log_in(faces.login_picture(1))["msg"] == "登录成功"

    # A disabled user fails like a stranger.
    users = {user["username"]: user["user_id"] for user in client.get("/api/users").json()["data"]["data"]}
    assert client.put(f"/api/users/{users['mei']}", json={"enabled": False}).json()["code"] == 0
    assert log_in(faces.login_picture()) == FAILED


def test_an_admin_by_face_has_to_give_the_password_for_settings(
    client: TestClient, anonymous: TestClient
) -> None:
    face_info = as_face_info(faces.enrolment_picture())
    assert client.post("/api/auth/updateFaceInfo", json={"faceInfo": face_info}).json()["code"] == 0
    login = anonymous.post(
        "/api/auth/loginByFaceInfo", json={"faceInfo": as_face_info(faces.login_picture())}
    ).json()
    by_face = {"Authorization": f"Bearer {login['data']['access_token']}"}
    off = anonymous.put("/api/face/policy", json={"login_enabled": False}, headers=by_face)
    assert off.status_code == 403
    assert off.json()["data"]["error"] == "password_login_needed"
    assert client.put("/api/face/policy", json={"login_enabled": False}).json()["code"] == 0
    me = client.get("/api/users").json()["data"]["data"][0]["user_id"]
    assert anonymous.delete(f"/api/face/enrolments/{me}", headers=by_face).status_code == 403
    assert client.delete(f"/api/face/enrolments/{me}").json()["data"] is True
    assert client.delete(f"/api/face/enrolments/{me}").json()["data"] is False
    shut = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": face_info})
    assert (shut.status_code, shut.json()["data"]["error"]) == (403, "face_login_off")


def test_a_session_by_face_keeps_the_enrolled_person(
    client: TestClient, anonymous: TestClient, as_role: Callable[..., TestClient]
) -> None:
    mei = as_role("inspector", username="mei")
    face_info = as_face_info(faces.enrolment_picture())
    assert mei.post("/api/auth/updateFaceInfo", json={"faceInfo": face_info}).json()["code"] == 0
    login = anonymous.post(
        "/api/auth/loginByFaceInfo", json={"faceInfo": as_face_info(faces.login_picture())}
    ).json()
    by_face = {"Authorization": f"Bearer {login['data']['access_token']}"}
    stranger = as_face_info(faces.stranger_picture())
    sentence = "照片与已登记的人脸不符，请使用密码登录后再更换人脸"

    def send(path: str, **body: object) -> dict[str, object]:
        answer: dict[str, object] = anonymous.post(path, json=body, headers=by_face).json()
        return answer

    for answer in (
        send("/api/auth/updateFaceInfo", faceInfo=stranger),
        send("/api/auth/face", images=[face_info, stranger], consent=True),
        send("/api/auth/face", images=[stranger], consent=True),
    ):
        assert answer["code"] == 1
    assert send("/api/auth/updateFaceInfo", faceInfo=stranger)["msg"] == sentence
    refused = send("/api/auth/updateInfo", faceInfo=stranger)
    assert (refused["code"], refused["data"]) == (1, f"faceInfo：{sentence}")
    deleted = anonymous.delete("/api/auth/face", headers=by_face)
    assert (deleted.status_code, deleted.json()["data"]["error"]) == (403, "password_login_needed")
    for cleared in (None, ""):
        refused = send("/api/auth/updateInfo", faceInfo=cleared)
        assert (refused["code"], refused["msg"]) == (1, "更新数据失败")
        assert str(refused["data"]).startswith("faceInfo：此操作需要近期使用密码登录")
    again = as_face_info(faces.login_picture(1))
    assert send("/api/auth/updateFaceInfo", faceInfo=again)["code"] == 0

    # The session by password may do both, as the contract says.
    assert mei.post("/api/auth/updateFaceInfo", json={"faceInfo": stranger}).json()["code"] == 0
    assert send("/api/auth/updateFaceInfo", faceInfo=face_info)["msg"] == sentence
    cleared_user = mei.post("/api/auth/updateInfo", json={"faceInfo": ""}).json()["data"]
    assert cleared_user["has_face"] is False
    # Nobody is enrolled now whom a picture could show.
    assert send("/api/auth/updateFaceInfo", faceInfo=face_info)["msg"] == sentence


@pytest.mark.parametrize("cleared", [None, ""])
def test_empty_face_of_a_profile_deletes_the_enrolment(client: TestClient, cleared: str | None) -> None:
    face_info = as_face_info(faces.enrolment_picture())
    assert client.post("/api/auth/updateInfo", json={"faceInfo": face_info}).json()["data"]["has_face"]
    assert client.post("/api/auth/updateInfo", json={"department": "机务部"}).json()["data"]["has_face"]
    answer = client.post("/api/auth/updateInfo", json={"faceInfo": cleared}).json()
    assert (answer["msg"], answer["data"]["has_face"]) == ("更新数据成功", False)
    assert client.get("/api/auth/face").json()["data"]["enrolled"] is False


def test_password_given_in_a_session_by_face_allows_another_face(
    client: TestClient, anonymous: TestClient, as_role: Callable[..., TestClient]
) -> None:
    mei = as_role("inspector", username="mei")
    face_info = as_face_info(faces.enrolment_picture())
    assert mei.post("/api/auth/updateFaceInfo", json={"faceInfo": face_info}).json()["code"] == 0
    login = anonymous.post(
        "/api/auth/loginByFaceInfo", json={"faceInfo": as_face_info(faces.login_picture())}
    ).json()
    by_face = {"Authorization": f"Bearer {login['data']['access_token']}"}
    body = {"password": "pass-of-mei", "newPassword": "another-long-passphrase"}
    changed = anonymous.post("/api/auth/updatePassword", json=body, headers=by_face)
    assert changed.json()["code"] == 0
    stranger = {"faceInfo": as_face_info(faces.stranger_picture())}
    answer = anonymous.post("/api/auth/updateFaceInfo", json=stranger, headers=by_face)
    assert answer.json()["code"] == 0
