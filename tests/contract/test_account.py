"""Tests the rows of the contract about accounts: one test for each row, named after it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from shared.record.codes import ROLE_PERMISSIONS, Permission, Role
from shared.samples import faces
from tests.contract.application import (
    ContractApp,
    assert_forbidden,
    assert_invalid,
    assert_not_logged_in,
    assert_refused,
    new_id,
)
from tests.service.answers import read_body, read_data
from tests.service_app import ADMIN, with_token

AsRole = Callable[..., TestClient]
NEW_PASSWORD = "another-horse-battery"


class Account(NamedTuple):
    """A logged-in user that only one test uses."""

    username: str
    password: str
    client: TestClient


def new_account(service: ContractApp, role: str, username: str = "") -> Account:
    username = username or new_id("user")
    login = {"username": username, "password": f"pass-of-{username}"}
    service.post("/api/users", **login, roles=[role])
    token = service.anonymous.post("/api/auth/login", json=login).json()["data"]["access_token"]
    return Account(username, login["password"], with_token(service.anonymous, token))


def log_in(service: ContractApp, account: Account) -> dict[str, Any]:
    """The data of a new login of the user."""
    login = {"username": account.username, "password": account.password}
    return read_data(service.anonymous.post("/api/auth/login", json=login))


@pytest.fixture
def account(service: ContractApp) -> Account:
    """An administrator. Tests of face logins use another application, because a face belongs to one user."""
    return new_account(service, "admin")


def encode_face(pixels: faces.Pixels) -> str:
    return base64.b64encode(faces.encode_picture(pixels, ".png")).decode()


USER_FIELDS = [
    "user_id",
    "username",
    "name",
    "email",
    "phone",
    "gender",
    "work_years",
    "department",
    "has_face",
    "enabled",
    "status",
    "last_login",
    "created_at",
    "updated_at",
]
PERMISSIONS = [
    "INSPECTION_ADD",
    "INSPECTION_READ",
    "INSPECTION_UPDATE",
    "INSPECTION_DELETE",
    "INSPECTION_ITEM_ADD",
    "INSPECTION_ITEM_READ",
    "INSPECTION_ITEM_UPDATE",
    "INSPECTION_ITEM_DELETE",
    "USER.UPDATE",
]


def _assert_tokens(data: dict[str, Any], username: str, role: list[str]) -> None:
    """Assert that `data` is the data of an administrator's login, with every permission of the contract."""
    assert list(data) == ["access_token", "refresh_token", "token_type", "expires_in", "payload"]
    assert data["access_token"].count(".") == 2
    assert isinstance(data["refresh_token"], str)
    assert (data["token_type"], data["expires_in"]) == ("Bearer", 900)
    assert list(data["payload"]) == ["user", "role", "permissions"]
    assert list(data["payload"]["user"]) == USER_FIELDS
    assert data["payload"]["user"]["username"] == username
    assert data["payload"]["role"] == role
    assert data["payload"]["permissions"][: len(PERMISSIONS)] == PERMISSIONS


# Endpoints, account operations


def test_update_face_info_gives_the_submitted_face_info_unchanged_and_msg_null(client: TestClient) -> None:
    face = encode_face(faces.enrolment_picture())
    for path in ("/api/auth/updateFaceInfo", "/auth/updateFaceInfo"):
        for submitted in (face, f"data:image/png;base64,{face}"):
            answer = client.post(path, json={"faceInfo": submitted})
            assert read_body(answer) == {"code": 0, "data": submitted, "msg": None}


def test_update_face_info_needs_a_jwt(service: ContractApp) -> None:
    answer = service.anonymous.post("/api/auth/updateFaceInfo", json={"faceInfo": "x"})
    assert_not_logged_in(answer)


def test_face_login_needs_no_login_and_gives_tokens_and_payload(
    client: TestClient, anonymous: TestClient
) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": encode_face(faces.enrolment_picture())})
    for path in ("/api/auth/loginByFaceInfo", "/auth/loginByFaceInfo"):
        body = read_body(anonymous.post(path, json={"faceInfo": encode_face(faces.login_picture())}))
        assert body == {"code": 0, "data": body["data"], "msg": "登录成功"}
        _assert_tokens(body["data"], ADMIN[0], ["admin"])
        header = {"Authorization": f"Bearer {body['data']['access_token']}"}
        assert anonymous.get("/api/auth/me", headers=header).status_code == 200


def test_update_profile_changes_the_fields_that_were_sent(account: Account) -> None:
    profile = {
        "email": "li@example.cn",
        "phone": "+86 138-0000-0000",
        "name": "李工",
        "gender": "女",
        "work_years": 7,
        "department": "机务部",
    }
    answer = account.client.post("/api/auth/updateInfo", json=profile)
    assert answer.status_code == 200
    user = answer.json()["data"]
    assert answer.json() == {"code": 0, "data": user, "msg": "更新数据成功"}
    assert list(user) == USER_FIELDS
    assert profile.items() <= user.items()
    assert account.client.get("/api/auth/me").json()["data"]["user"] == user
    more = account.client.post("/auth/updateInfo", json={"work_years": 8})
    after = more.json()["data"]
    assert more.json() == {"code": 0, "data": after, "msg": "更新数据成功"}
    assert {**after, "updated_at": user["updated_at"]} == {**user, "work_years": 8}
    nothing = account.client.post("/api/auth/updateInfo", json={})
    assert nothing.json() == {"code": 0, "data": after, "msg": "更新数据成功"}


def test_update_profile_registers_the_face_info(client: TestClient, anonymous: TestClient) -> None:
    answer = client.post("/api/auth/updateInfo", json={"faceInfo": encode_face(faces.enrolment_picture())})
    assert answer.json()["code"] == 0, answer.text
    assert answer.json()["data"]["has_face"] is True
    login = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": encode_face(faces.login_picture())})
    assert login.json()["msg"] == "登录成功"


def test_update_profile_needs_the_permission_user_update(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = service.anonymous.post("/api/auth/updateInfo", json={"name": "x"})
    assert_not_logged_in(answer)
    # Every role has this permission, so it is removed from one.
    fewer = ROLE_PERMISSIONS[Role.VIEWER] - {Permission.USER_UPDATE}
    monkeypatch.setitem(ROLE_PERMISSIONS, Role.VIEWER, fewer)
    answer = service.as_role("viewer").post("/api/auth/updateInfo", json={"name": "x"})
    assert_forbidden(answer, "USER.UPDATE")


def test_update_profile_is_open_to_every_role(service: ContractApp) -> None:
    for role in ("admin", "planner", "inspector", "viewer"):
        assert service.as_role(role).post("/api/auth/updateInfo", json={"name": "x"}).json()["code"] == 0


def test_change_password_answers_true(service: ContractApp, account: Account) -> None:
    steps = {"/api/auth/updatePassword": (account.password, "in-between-battery")}
    steps["/auth/updatePassword"] = ("in-between-battery", NEW_PASSWORD)
    for path, (password, new_password) in steps.items():
        answer = account.client.post(path, json={"password": password, "newPassword": new_password})
        assert read_body(answer) == {"code": 0, "data": True, "msg": "更新密码成功"}
    login = {"username": account.username, "password": NEW_PASSWORD}
    assert service.anonymous.post("/api/auth/login", json=login).json()["code"] == 0
    login["password"] = account.password
    old = service.anonymous.post("/api/auth/login", json=login)
    assert read_body(old) == {"code": 1, "data": None, "msg": "用户名或密码错误"}


def test_change_password_ends_the_other_sessions(service: ContractApp, account: Account) -> None:
    other = log_in(service, account)
    account.client.post(
        "/api/auth/updatePassword", json={"password": account.password, "newPassword": NEW_PASSWORD}
    )
    assert account.client.get("/api/auth/me").status_code == 200
    header = {"Authorization": f"Bearer {other['access_token']}"}
    for answer in (
        service.anonymous.get("/api/auth/me", headers=header),
        service.anonymous.post("/api/auth/refresh", json={"refresh_token": other["refresh_token"]}),
    ):
        assert_not_logged_in(answer)


def test_change_password_needs_a_jwt_and_no_permission(service: ContractApp) -> None:
    body = {"password": "x", "newPassword": NEW_PASSWORD}
    answer = service.anonymous.post("/api/auth/updatePassword", json=body)
    assert_not_logged_in(answer)
    viewer = new_account(service, "viewer")
    body = {"password": viewer.password, "newPassword": NEW_PASSWORD}
    answer = viewer.client.post("/api/auth/updatePassword", json=body)
    assert answer.json() == {"code": 0, "data": True, "msg": "更新密码成功"}


# Authentication


def test_every_operation_needs_the_scheme_bearer_and_a_token(service: ContractApp, account: Account) -> None:
    good = account.client.headers["authorization"].removeprefix("Bearer ")
    for header in (None, "", "Bearer", "Bearer ", "Bearer x", f"Basic {good}", f"Token {good}", good):
        headers = {} if header is None else {"Authorization": header}
        answer = service.anonymous.post("/api/auth/updateInfo", json={}, headers=headers)
        assert answer.status_code == 401, header
        assert answer.json() == {"code": 1, "data": {"error": "not_logged_in"}, "msg": "请先登录"}
        assert answer.headers["www-authenticate"] == "Bearer"


# Errors

MISSING: list[dict[str, Any]] = [{}, {"faceInfo": None}, {"faceInfo": ""}]


def test_update_face_info_face_info_missing(account: Account) -> None:
    for body in MISSING:
        answer = account.client.post("/api/auth/updateFaceInfo", json=body)
        assert read_body(answer) == {"code": 1, "data": None, "msg": "人脸信息缺失"}


def test_face_login_face_info_missing(service: ContractApp) -> None:
    for body in MISSING:
        answer = service.anonymous.post("/api/auth/loginByFaceInfo", json=body)
        assert read_body(answer) == {"code": 1, "data": None, "msg": "人脸信息缺失"}


def test_face_login_face_cannot_be_verified(client: TestClient, anonymous: TestClient) -> None:
    client.post("/api/auth/updateFaceInfo", json={"faceInfo": encode_face(faces.enrolment_picture())})
    for face in ("no picture", "AAAA", "../me.jpg", encode_face(faces.stranger_picture()), 123):
        answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": face})
        assert read_body(answer) == {"code": 1, "data": None, "msg": "无法校验人脸"}


def test_face_login_of_a_disabled_user_cannot_be_verified(
    client: TestClient, as_role: AsRole, anonymous: TestClient
) -> None:
    viewer = as_role("viewer", username="watcher")
    viewer.post("/api/auth/updateFaceInfo", json={"faceInfo": encode_face(faces.enrolment_picture())})
    user_id = viewer.get("/api/auth/me").json()["data"]["user"]["user_id"]
    client.put(f"/api/users/{user_id}", json={"enabled": False})
    answer = anonymous.post(
        "/api/auth/loginByFaceInfo", json={"faceInfo": encode_face(faces.login_picture())}
    )
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
    ("work_years", "81"),
    ("work_years", "seven"),
    ("work_years", 7.5),
    ("work_years", True),
    ("work_years", 2**70),
    ("department", {}),
    ("faceInfo", 5),
    ("faceInfo", "no picture"),
]


SENTENCES = {
    "email": "请输入有效的邮箱地址，最多 254 个字符",
    "phone": "请输入有效的电话号码，只能包含数字、空格、括号、+ 和 -，最多 32 个字符",
    "name": "应为文本，最多 255 个字符",
    "gender": "应为文本，最多 32 个字符",
    "work_years": "应为 0 到 80 的整数",
    "department": "应为文本，最多 255 个字符",
    "faceInfo": "应为 Base64 编码的人脸照片",
}


def test_update_profile_failure(account: Account) -> None:
    for field, value in BAD_PROFILES:
        answer = account.client.post("/api/auth/updateInfo", json={"department": "机务部", field: value})
        body = read_body(answer)
        assert (body["code"], body["msg"]) == (1, "更新数据失败"), (field, value)
        sentence = SENTENCES[field]
        if value == "no picture":
            sentence = "人脸照片不是有效的 Base64 内容，请重新选择照片"
        assert body["data"] == f"{field}：{sentence}"
    assert account.client.get("/api/auth/me").json()["data"]["user"]["department"] is None


def test_update_profile_work_years_as_digits_are_a_number(account: Account) -> None:
    answer = account.client.post("/api/auth/updateInfo", json={"work_years": "7"})
    assert answer.json()["data"]["work_years"] == 7


def test_update_profile_null_clears_a_field(account: Account) -> None:
    for cleared in (None, ""):
        texts = {
            "email": "li@example.cn",
            "phone": "13800000000",
            "name": "李",
            "gender": "女",
            "department": "部",
        }
        account.client.post("/api/auth/updateInfo", json=texts)
        answer = account.client.post(
            "/api/auth/updateInfo", json={**dict.fromkeys(texts, cleared), "faceInfo": cleared}
        )
        assert (answer.json()["code"], answer.json()["msg"]) == (0, "更新数据成功")
        assert [answer.json()["data"][name] for name in texts] == [None] * len(texts)
    account.client.post("/api/auth/updateInfo", json={"work_years": 7})
    cleared_years = account.client.post("/api/auth/updateInfo", json={"work_years": None})
    assert cleared_years.json()["data"]["work_years"] is None


def test_change_password_wrong_current_password(account: Account) -> None:
    body = {"password": "wrong", "newPassword": NEW_PASSWORD}
    answer = account.client.post("/api/auth/updatePassword", json=body)
    assert read_body(answer) == {"code": 1, "data": None, "msg": "原密码错误"}


BAD_PASSWORDS = {
    "short-7": "密码长度应为 8 到 128 个字符",
    "x" * 129: "密码长度应为 8 到 128 个字符",
    "password123": "密码过于常见，请更换",
    "QWERTYUIOP": "密码过于常见，请更换",
    "Long-Watcher": "密码不能与用户名相同",
}


def test_change_password_new_password_against_the_rules(service: ContractApp) -> None:
    viewer = new_account(service, "viewer", "long-watcher")
    for new, msg in BAD_PASSWORDS.items():
        body = {"password": viewer.password, "newPassword": new}
        answer = viewer.client.post("/api/auth/updatePassword", json=body)
        (field,) = read_data(answer)["fields"]
        assert_refused(answer, 200, "invalid_input", msg, fields=[field])
        assert (field["field"], field["message"]) == ("newPassword", msg)
        assert answer.headers["x-error"] == "invalid_input"


def test_change_password_new_password_equal_to_the_current_one(account: Account) -> None:
    # Full-width letters give the same password, because passwords are normalized to NFKC.
    for new in (account.password, "".join(chr(ord(letter) + 0xFEE0) for letter in account.password)):
        answer = account.client.post(
            "/api/auth/updatePassword", json={"password": account.password, "newPassword": new}
        )
        (field,) = read_data(answer)["fields"]
        assert_refused(answer, 200, "invalid_input", "新密码不能与当前密码相同，请更换", fields=[field])
        assert (field["field"], field["type"]) == ("newPassword", "password_unchanged")
    # Without the current password the answer does not reveal whether the new one is the same.
    answer = account.client.post(
        "/api/auth/updatePassword", json={"password": "wrong", "newPassword": account.password}
    )
    assert answer.json() == {"code": 1, "data": None, "msg": "原密码错误"}


def test_change_password_throttled(account: Account) -> None:
    body = {"password": "wrong", "newPassword": NEW_PASSWORD}
    for _ in range(5):
        assert account.client.post("/api/auth/updatePassword", json=body).json()["msg"] == "原密码错误"
    answer = account.client.post("/api/auth/updatePassword", json=body)
    seconds = int(answer.headers["retry-after"])
    assert 0 < seconds <= 30
    msg = f"密码错误次数过多，请在 {seconds} 秒后重试"
    assert_refused(answer, 429, "too_many_requests", msg, retry_after=seconds)


def test_face_login_throttled(anonymous: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    wrong: list[Any] = [123, "no picture", True, [], {}]
    for face in wrong:
        answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": face})
        assert answer.json() == {"code": 1, "data": None, "msg": "无法校验人脸"}
    answer = anonymous.post("/api/auth/loginByFaceInfo", json={"faceInfo": "no picture"})
    seconds = int(answer.headers["retry-after"])
    assert 0 < seconds <= 30
    msg = f"人脸登录尝试次数过多，请在 {seconds} 秒后重试，或使用密码登录"
    assert_refused(answer, 429, "too_many_requests", msg, retry_after=seconds)


def test_change_password_fields_missing_or_of_a_wrong_type(account: Account) -> None:
    bodies: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["password", "newPassword"]),
        ({"password": "x"}, ["newPassword"]),
        ({"newPassword": "x"}, ["password"]),
        ({"password": None, "newPassword": None}, ["password", "newPassword"]),
        ({"password": 1, "newPassword": 2}, ["password", "newPassword"]),
        ({"password": "x", "newPassword": "x" * 1025}, ["newPassword"]),
    ]
    for body, fields in bodies:
        assert_invalid(account.client.post("/api/auth/updatePassword", json=body), *fields)


# What the contract leaves open and the design decides


def test_password_login(service: ContractApp, account: Account) -> None:
    login = {"username": account.username, "password": account.password}
    for path in ("/api/auth/login", "/auth/login"):
        answer = service.anonymous.post(path, json=login)
        assert answer.status_code == 200
        assert (answer.json()["code"], answer.json()["msg"]) == (0, "登录成功")
        _assert_tokens(answer.json()["data"], account.username, ["admin"])


def test_password_login_failed(service: ContractApp, account: Account) -> None:
    for username in (account.username, "nobody"):
        answer = service.anonymous.post("/api/auth/login", json={"username": username, "password": "wrong"})
        assert read_body(answer) == {"code": 1, "data": None, "msg": "用户名或密码错误"}


def test_refresh(service: ContractApp, account: Account) -> None:
    spent = log_in(service, account)["refresh_token"]
    for path in ("/api/auth/refresh", "/auth/refresh"):
        answer = service.anonymous.post(path, json={"refresh_token": spent})
        assert (answer.json()["code"], answer.json()["msg"]) == (0, "刷新令牌成功")
        _assert_tokens(answer.json()["data"], account.username, ["admin"])
        assert answer.json()["data"]["refresh_token"] != spent
        spent = answer.json()["data"]["refresh_token"]


def test_refresh_token_as_bearer_without_a_body(service: ContractApp, account: Account) -> None:
    bearer = {"Authorization": f"Bearer {log_in(service, account)['refresh_token']}"}
    answer = service.anonymous.post("/api/auth/refresh", headers=bearer)
    assert (answer.status_code, answer.json()["msg"]) == (200, "刷新令牌成功")
    assert answer.json()["data"]["access_token"]
    without = service.anonymous.post("/api/auth/refresh")
    assert (without.status_code, without.json()["data"]["error"]) == (401, "not_logged_in")


def refresh(anonymous: TestClient, refresh_token: str, **headers: str) -> Any:
    return anonymous.post("/api/auth/refresh", json={"refresh_token": refresh_token}, headers=headers)


def test_five_parallel_refreshes_with_one_token_return_the_same_tokens(
    service: ContractApp, account: Account
) -> None:
    spent = log_in(service, account)["refresh_token"]
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: refresh(service.anonymous, spent), range(5)))
    assert {answer.status_code for answer in answers} == {200}
    (tokens,) = {
        (data["access_token"], data["refresh_token"]) for data in (a.json()["data"] for a in answers)
    }
    assert tokens[1] != spent
    header = {"Authorization": f"Bearer {tokens[0]}"}
    assert service.anonymous.get("/api/auth/me", headers=header).status_code == 200
    assert refresh(service.anonymous, tokens[1]).status_code == 200


def test_spent_refresh_token_from_another_client_ends_the_session(
    service: ContractApp, account: Account
) -> None:
    spent = log_in(service, account)["refresh_token"]
    fresh = refresh(service.anonymous, spent).json()["data"]
    stolen = refresh(service.anonymous, spent, **{"User-Agent": "another program"})
    assert_refused(stolen, 401, "login_expired", "登录已过期，请重新登录")
    header = {"Authorization": f"Bearer {fresh['access_token']}"}
    assert service.anonymous.get("/api/auth/me", headers=header).status_code == 401
    for token in (spent, fresh["refresh_token"]):
        assert refresh(service.anonymous, token).status_code == 401
