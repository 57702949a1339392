"""The rows of the contract about accounts, one test per row, named after it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.face import faces
from tests.service_app import ADMIN

AsRole = Callable[..., TestClient]
NEW_PASSWORD = "another-horse-battery"


def _face(pixels: faces.Pixels) -> str:
    return base64.b64encode(faces.encoded(pixels, ".png")).decode()


def _assert_tokens(data: dict[str, Any], username: str, role: list[str]) -> None:
    assert {"access_token", "refresh_token", "payload"} <= set(data)
    assert isinstance(data["access_token"], str)
    assert isinstance(data["refresh_token"], str)
    assert data["payload"]["user"]["username"] == username
    assert data["payload"]["role"] == role
    assert "INSPECTION_READ" in data["payload"]["permissions"]


# Endpoints, account operations


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_update_face_info_gives_the_submitted_face_info_unchanged_and_msg_null(
    client: TestClient, prefix: str
) -> None:
    face = _face(faces.enrolment())
    answer = client.post(f"{prefix}/auth/updateFaceInfo", json={"faceInfo": face})
    assert answer.status_code == 200
    assert answer.json() == {"code": 0, "data": face, "msg": None}


def test_update_face_info_needs_a_jwt(anonymous: TestClient) -> None:
    answer = anonymous.post("/api/auth/updateFaceInfo", json={"faceInfo": "x"})
    assert answer.status_code == 401
    assert answer.json()["msg"] == "请先登录"


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_face_login_needs_no_login_and_gives_tokens_and_payload(
    client: TestClient, anonymous: TestClient, prefix: str
) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": _face(faces.enrolment())})
    answer = anonymous.post(f"{prefix}/auth/loginByFaceInfo", json={"faceInfo": _face(faces.login())})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["code"], body["msg"]) == (0, "登录成功")
    _assert_tokens(body["data"], ADMIN[0], ["admin"])
    header = {"Authorization": f"Bearer {body['data']['access_token']}"}
    assert anonymous.get("/api/auth/me", headers=header).status_code == 200


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_update_profile_changes_the_fields_that_were_sent(client: TestClient, prefix: str) -> None:
    profile = {
        "email": "li@example.cn",
        "phone": "+86 138-0000-0000",
        "name": "李工",
        "gender": "女",
        "work_years": 7,
        "department": "机务部",
    }
    answer = client.post(f"{prefix}/auth/updateInfo", json=profile)
    assert answer.status_code == 200
    body = answer.json()
    assert (body["code"], body["msg"]) == (0, "更新数据成功")
    assert profile.items() <= body["data"].items()
    assert "faceInfo" not in body["data"]
    more = client.post(f"{prefix}/auth/updateInfo", json={"work_years": 8}).json()["data"]
    assert more["work_years"] == 8
    assert more["name"] == "李工"


def test_update_profile_registers_the_face_info(client: TestClient, anonymous: TestClient) -> None:
    answer = client.post("/api/auth/updateInfo", json={"faceInfo": _face(faces.enrolment())})
    assert answer.json()["code"] == 0, answer.text
    assert answer.json()["data"]["has_face"] is True
    login = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": _face(faces.login())})
    assert login.json()["msg"] == "登录成功"


def test_update_profile_needs_the_permission_user_update(client: TestClient, anonymous: TestClient) -> None:
    assert anonymous.post("/api/auth/updateInfo", json={"name": "x"}).status_code == 401
    document = client.get("/api/auth/me").json()["data"]
    assert "USER.UPDATE" in document["permissions"]


@pytest.mark.parametrize("role", ["admin", "planner", "inspector", "viewer"])
def test_update_profile_is_open_to_every_role(as_role: AsRole, role: str) -> None:
    assert as_role(role).post("/api/auth/updateInfo", json={"name": "x"}).json()["code"] == 0


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_change_password_gives_true(client: TestClient, anonymous: TestClient, prefix: str) -> None:
    body = {"password": ADMIN[1], "newPassword": NEW_PASSWORD}
    answer = client.post(f"{prefix}/auth/updatePassword", json=body)
    assert answer.status_code == 200
    assert answer.json() == {"code": 0, "data": True, "msg": "更新密码成功"}
    login = {"username": ADMIN[0], "password": NEW_PASSWORD}
    assert anonymous.post("/api/auth/login", json=login).json()["code"] == 0
    login["password"] = ADMIN[1]
    assert anonymous.post("/api/auth/login", json=login).json()["code"] == 1


def test_change_password_needs_a_jwt_and_no_permission(as_role: AsRole, anonymous: TestClient) -> None:
    body = {"password": "x", "newPassword": NEW_PASSWORD}
    assert anonymous.post("/api/auth/updatePassword", json=body).status_code == 401
    viewer = as_role("viewer", username="watcher")
    body = {"password": "pass-of-watcher", "newPassword": NEW_PASSWORD}
    assert viewer.post("/api/auth/updatePassword", json=body).json()["code"] == 0


# Authentication


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer x", "Basic eDp5", "Token x"])
def test_every_operation_needs_the_scheme_bearer_and_a_token(
    anonymous: TestClient, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = anonymous.post("/api/auth/updateInfo", json={}, headers=headers)
    assert answer.status_code == 401
    assert answer.json() == {"code": 1, "data": {"error": "not_logged_in"}, "msg": "请先登录"}
    assert answer.headers["www-authenticate"] == "Bearer"


# Errors


@pytest.mark.parametrize("body", [{}, {"faceInfo": None}, {"faceInfo": ""}])
def test_update_face_info_face_info_missing(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/api/auth/updateFaceInfo", json=body)
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "人脸信息缺失"}


@pytest.mark.parametrize("body", [{}, {"faceInfo": None}, {"faceInfo": ""}])
def test_face_login_face_info_missing(anonymous: TestClient, body: dict[str, Any]) -> None:
    answer = anonymous.post("/api/auth/loginByFaceInfo", json=body)
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "人脸信息缺失"}


@pytest.mark.parametrize("face", ["no picture", _face(faces.stranger())], ids=["rubbish", "stranger"])
def test_face_login_face_cannot_be_verified(client: TestClient, anonymous: TestClient, face: str) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": _face(faces.enrolment())})
    answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": face})
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "无法校验人脸"}


def test_face_login_of_a_disabled_user_cannot_be_verified(
    client: TestClient, as_role: AsRole, anonymous: TestClient
) -> None:
    viewer = as_role("viewer", username="watcher")
    viewer.post("/api/auth/updateFaceInfo", json={"faceInfo": _face(faces.enrolment())})
    user_id = viewer.get("/api/auth/me").json()["data"]["user"]["user_id"]
    client.put(f"/api/users/{user_id}", json={"enabled": False})
    answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": _face(faces.login())})
    assert answer.json() == {"code": 1, "data": None, "msg": "无法校验人脸"}


BAD_PROFILES: list[tuple[str, Any]] = [
    ("email", "not an address"),
    ("email", 5),
    ("phone", "call me"),
    ("name", "x" * 256),
    ("name", ["x"]),
    ("name", "a\x00b"),
    ("gender", "x" * 33),
    ("work_years", -1),
    ("work_years", 81),
    ("work_years", "7"),
    ("work_years", 7.5),
    ("work_years", True),
    ("work_years", 2**70),
    ("department", {}),
    ("faceInfo", 5),
    ("faceInfo", "no picture"),
]


@pytest.mark.parametrize(("field", "value"), BAD_PROFILES)
def test_update_profile_failure(client: TestClient, field: str, value: Any) -> None:
    answer = client.post("/api/auth/updateInfo", json={"department": "机务部", field: value})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["code"], body["msg"]) == (1, "更新数据失败")
    assert isinstance(body["data"], str)
    assert body["data"].startswith(f"{field}：")
    assert client.get("/api/auth/me").json()["data"]["user"]["department"] is None


@pytest.mark.parametrize("cleared", [None, ""])
def test_update_profile_null_clears_a_field(client: TestClient, cleared: str | None) -> None:
    client.post("/api/auth/updateInfo", json={"email": "li@example.cn"})
    data = client.post("/api/auth/updateInfo", json={"email": cleared, "faceInfo": cleared}).json()["data"]
    assert data["email"] is None


def test_change_password_wrong_current_password(client: TestClient) -> None:
    body = {"password": "wrong", "newPassword": NEW_PASSWORD}
    answer = client.post("/api/auth/updatePassword", json=body)
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "原密码错误"}


@pytest.mark.parametrize(
    ("new", "msg"),
    [
        ("short-7", "密码需要 8 到 128 个字符"),
        ("x" * 129, "密码需要 8 到 128 个字符"),
        ("password123", "密码过于常见，请换一个"),
        ("QWERTYUIOP", "密码过于常见，请换一个"),
        ("Long-Watcher", "密码不能与用户名相同"),
    ],
)
def test_change_password_new_password_against_the_rules(as_role: AsRole, new: str, msg: str) -> None:
    viewer = as_role("viewer", username="long-watcher")
    body = {"password": "pass-of-long-watcher", "newPassword": new}
    answer = viewer.post("/api/auth/updatePassword", json=body)
    assert answer.status_code == 422
    assert answer.json()["msg"] == msg
    assert answer.json()["data"]["error"] == "invalid_input"


@pytest.mark.parametrize("body", [{}, {"password": "x"}, {"newPassword": "x"}, {"password": 1, "newPassword": 2}])
def test_change_password_fields_missing_or_of_a_wrong_type(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/api/auth/updatePassword", json=body)
    assert answer.status_code == 422
    assert answer.json()["data"]["error"] == "invalid_input"


# What the contract leaves open and the design decides


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_password_login(client: TestClient, anonymous: TestClient, prefix: str) -> None:
    login = {"username": ADMIN[0], "password": ADMIN[1]}
    answer = anonymous.post(f"{prefix}/auth/login", json=login)
    assert answer.status_code == 200
    assert (answer.json()["code"], answer.json()["msg"]) == (0, "登录成功")
    _assert_tokens(answer.json()["data"], ADMIN[0], ["admin"])
    assert answer.json()["data"]["expires_in"] == 900


@pytest.mark.parametrize("username", [ADMIN[0], "nobody"])
def test_password_login_failed(client: TestClient, anonymous: TestClient, username: str) -> None:
    answer = anonymous.post("/api/auth/login", json={"username": username, "password": "wrong"})
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "用户名或密码错误"}


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_refresh(client: TestClient, anonymous: TestClient, prefix: str) -> None:
    first = anonymous.post("/api/auth/login", json={"username": ADMIN[0], "password": ADMIN[1]}).json()["data"]
    answer = anonymous.post(f"{prefix}/auth/refresh", json={"refresh_token": first["refresh_token"]})
    assert (answer.json()["code"], answer.json()["msg"]) == (0, "刷新令牌成功")
    _assert_tokens(answer.json()["data"], ADMIN[0], ["admin"])
    assert answer.json()["data"]["refresh_token"] != first["refresh_token"]
