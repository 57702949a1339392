"""Tests first run, users and refused requests over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from sqlmodel import col
from starlette.testclient import TestClient

from service.account.tables import User
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from shared.record.codes import Role
from tests.service.answers import read_data
from tests.service_app import ADMIN, LOCAL_URL, with_token

AsRole = Callable[..., TestClient]
FIRST_ADMIN = {"username": "chief", "password": "correct-horse-battery", "name": "主任"}


def _get_own_account(client: TestClient) -> dict[str, Any]:
    return read_data(client.get("/api/auth/me"))


def _user_body(username: str, **more: Any) -> dict[str, Any]:
    return {"username": username, "password": f"pass-of-{username}", "roles": ["viewer"], **more}


def test_no_account_exists_by_default(anonymous: TestClient) -> None:
    assert anonymous.get("/api/auth/first-run").json() == {"code": 0, "data": {"needed": True}, "msg": None}
    for username in ("admin", "root", "walkaround", ""):
        for password in ("admin", "password", "walkaround", ""):
            answer = anonymous.post("/api/auth/login", json={"username": username, "password": password})
            assert answer.status_code in {200, 422}
            assert answer.json()["code"] == 1


def test_first_run_creates_one_administrator(anonymous: TestClient) -> None:
    answer = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN)
    assert answer.status_code == 200
    payload = answer.json()["data"]["payload"]
    assert (payload["role"], payload["user"]["name"]) == (["admin"], "主任")
    assert anonymous.get("/api/auth/first-run").json()["data"] == {"needed": False}
    again = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN | {"username": "other"})
    assert (again.status_code, again.json()["data"]["error"]) == (409, "conflict")


def test_first_run_is_refused_from_another_machine(app: FastAPI) -> None:
    with TestClient(app, LOCAL_URL, client=("192.0.2.7", 50000)) as remote_client:
        answer = remote_client.post("/api/auth/first-run", json=FIRST_ADMIN)
        assert (answer.status_code, answer.json()["data"]["error"]) == (403, "permission_missing")
        assert remote_client.get("/api/auth/first-run").json()["data"] == {"needed": True}


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP"])
def test_first_run_is_refused_behind_a_proxy_on_this_machine(anonymous: TestClient, header: str) -> None:
    answer = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN, headers={header: "127.0.0.1"})
    assert answer.status_code == 403


def test_first_run_enforces_the_rules(anonymous: TestClient) -> None:
    for change in (
        {"password": "password1"},
        {"password": "short"},
        {"username": "a b"},
        {"password": "chief"},
    ):
        answer = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN | change)
        assert answer.status_code == 422
        assert answer.json()["data"]["fields"][0]["field"] in change
    assert anonymous.get("/api/auth/first-run").json()["data"] == {"needed": True}


def test_no_body_grants_unrequested_permissions(client: TestClient, as_role: AsRole) -> None:
    viewer = as_role("viewer")
    before = _get_own_account(viewer)
    everything = {column.name: "admin" for column in User.__table__.columns} | {
        "id": "x",
        "user_id": _get_own_account(client)["user"]["user_id"],
        "enabled": False,
        "password": "quite-another-one",
        "password_hash": "x",
        "username": "root",
        "role": ["admin"],
        "roles": ["admin"],
        "permissions": ["USER.MANAGE"],
        "has_face": True,
        "created_at": "2000-01-01T00:00:00Z",
    }
    fine = {"email": "li@example.cn", "phone": "12345678", "work_years": 1}
    assert viewer.post("/api/auth/updateInfo", json=everything | fine).json()["code"] == 0
    after = _get_own_account(viewer)
    unchanged = ("user_id", "username", "enabled", "has_face", "created_at")
    assert {key: after["user"][key] for key in unchanged} == {key: before["user"][key] for key in unchanged}
    assert (after["role"], after["permissions"]) == (["viewer"], before["permissions"])
    user = client.post("/api/users", json=everything | _user_body("made")).json()["data"]
    assert (user["username"], user["roles"], user["enabled"]) == ("made", ["viewer"], True)
    assert user["user_id"] not in {"x", everything["user_id"]}


def test_user_has_status_and_last_login(client: TestClient, anonymous: TestClient) -> None:
    user = client.post("/api/users", json=_user_body("li")).json()["data"]
    assert (user["status"], user["last_login"]) == ("enabled", None)
    login = {"username": "li", "password": _user_body("li")["password"]}
    logged_in = anonymous.post("/api/auth/login", json=login).json()["data"]["payload"]["user"]
    assert user["created_at"] < logged_in["last_login"]
    place = f"/api/users/{user['user_id']}"
    disabled = client.put(place, json={"enabled": False}).json()["data"]
    assert (disabled["status"], disabled["last_login"]) == ("disabled", logged_in["last_login"])


def test_users_can_be_created_found_and_changed(client: TestClient) -> None:
    answer = client.post(
        "/api/users", json=_user_body("zhang", name="张伟", roles=["inspector", "planner"])
    ).json()
    assert (answer["code"], answer["msg"]) == (0, "用户创建成功")
    user_id = answer["data"]["user_id"]
    assert answer["data"]["roles"] == ["planner", "inspector"]
    assert answer["data"]["created_at"].endswith("Z")
    assert client.get(f"/api/users/{user_id}").json()["data"] == answer["data"]
    for q in ("zha", "ZHA", "张", "ｚｈａ"):
        page = client.get("/api/users", params={"q": q}).json()["data"]
        assert [user["user_id"] for user in page["data"]] == [user_id], q
    for q in ("%", "_", "'", "\\"):
        assert client.get("/api/users", params={"q": q}).json()["data"]["data"] == []
    changed = client.put(f"/api/users/{user_id}", json={"name": None, "roles": ["viewer"], "enabled": None})
    assert (changed.json()["code"], changed.json()["msg"]) == (0, "用户更新成功")
    data = changed.json()["data"]
    assert (data["name"], data["roles"], data["enabled"]) == (None, ["viewer"], True)


def test_list_of_users_has_pages(client: TestClient) -> None:
    for number in range(4):
        client.post("/api/users", json=_user_body(f"user-{number}"))
    page = client.get("/users", params={"current_page": 2, "page_size": 2}).json()["data"]
    assert page["pagination"] == {"current_page": 2, "page_size": 2, "total": 5, "total_pages": 3}
    assert [user["username"] for user in page["data"]] == ["user-1", "user-2"]
    for query in ({"page_size": 0}, {"page_size": 201}, {"current_page": 0}, {"current_page": 2**70}):
        assert client.get("/users", params=query).status_code == 422


def test_equivalent_username_is_taken(client: TestClient) -> None:
    for username in ("chief", "CHIEF", "ｃｈｉｅｆ", " chief "):
        answer = client.post("/api/users", json=_user_body("x") | {"username": username})
        assert (answer.status_code, answer.json()["msg"]) == (409, "用户名已存在，请使用其他用户名")


def test_new_password_must_differ_from_the_current_one(client: TestClient) -> None:
    user = client.post("/api/users", json=_user_body("zhang", password="correct-horse-7")).json()["data"]
    path = f"/api/users/{user['user_id']}"
    answer = client.put(path, json={"password": "correct-horse-7"})
    assert (answer.status_code, answer.json()["data"]["fields"][0]["type"]) == (422, "password_unchanged")
    assert client.put(path, json={"password": "correct-horse-8"}).status_code == 200


def test_blank_name_is_refused_and_clears_nothing(client: TestClient) -> None:
    client.post("/api/auth/updateInfo", json={"name": "李四"})
    answer = client.post("/api/auth/updateInfo", json={"name": " \u3000"}).json()
    assert (answer["code"], answer["msg"]) == (1, "更新数据失败")
    assert answer["data"] == "name：不能只有空白"
    assert _get_own_account(client)["user"]["name"] == "李四"


def test_user_bodies_must_follow_the_rules(client: TestClient) -> None:
    user_id = _get_own_account(client)["user"]["user_id"]
    for body in (
        _user_body("a b"),
        _user_body("zhang", password="12345678"),
        _user_body("zhang", roles=[]),
        _user_body("zhang", roles=["root"]),
        _user_body("a\x00b"),
    ):
        assert client.post("/api/users", json=body).status_code == 422
    answer = client.put(f"/api/users/{user_id}", json={"password": "short"})
    assert (answer.status_code, answer.json()["msg"]) == (422, "密码长度应为 8 到 128 个字符")
    answer = client.put(f"/api/users/{user_id}", json={"name": "  "})
    assert answer.status_code == 422
    assert client.put("/api/users/nobody", json={"name": "x"}).status_code == 404
    assert client.put("/api/users/nobody", json={"password": "quite-another-one"}).status_code == 404
    assert client.get("/api/users/nobody").json()["msg"] == "用户不存在"


def test_last_administrator_cannot_be_removed(client: TestClient) -> None:
    user_id = _get_own_account(client)["user"]["user_id"]
    for body in ({"enabled": False}, {"roles": ["planner"]}):
        answer = client.put(f"/api/users/{user_id}", json=body)
        assert (answer.status_code, answer.json()["msg"]) == (409, "必须保留至少一名启用的管理员")
    assert _get_own_account(client)["role"] == ["admin"]


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMIN])
def test_only_an_admin_sees_and_changes_users(client: TestClient, as_role: AsRole, role: str) -> None:
    user_id = _get_own_account(client)["user"]["user_id"]
    other = as_role(role)
    answers = [
        other.get("/api/users"),
        other.get(f"/api/users/{user_id}"),
        other.post("/api/users", json=_user_body("zhang")),
        other.put(f"/api/users/{user_id}", json={"password": "quite-another-one"}),
        other.put(f"/api/users/{_get_own_account(other)['user']['user_id']}", json={"roles": ["admin"]}),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert answer.json()["data"] == {"error": "permission_missing", "permissions": ["USER.MANAGE"]}


def test_many_wrong_passwords_are_429_with_retry_after(client: TestClient, anonymous: TestClient) -> None:
    body = {"username": ADMIN[0], "password": "wrong"}
    for _ in range(5):
        assert anonymous.post("/api/auth/login", json=body).json()["msg"] == "用户名或密码错误"
    answer = anonymous.post("/api/auth/login", json=body)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 30
    assert "秒后重试" in answer.json()["msg"]
    assert answer.json()["data"]["retry_after"] == int(answer.headers["retry-after"])


def test_unusual_texts_cause_no_server_error(client: TestClient, anonymous: TestClient) -> None:
    texts = [
        b'"\\ud800"',
        b'"a\\u0000b"',
        b'"' + b"\xef\xb7\xba" * 255 + b'"',
        b'"\' OR 1=1 --"',
        b"[]",
        b"{}",
        b"7",
    ]
    headers = {"content-type": "application/json"}
    for text in texts:
        for path, field in (("login", b"username"), ("login", b"password"), ("refresh", b"refresh_token")):
            body = b'{"username":"x","password":"x",' + b'"' + field + b'":' + text + b"}"
            answer = anonymous.post(f"/api/auth/{path}", content=body, headers=headers)
            assert answer.status_code in {200, 401, 422}, (path, field, text)
            assert answer.json()["code"] == 1
    for text in texts:
        body = b'{"name":' + text + b',"email":' + text + b"}"
        answer = client.post("/api/auth/updateInfo", content=body, headers=headers)
        assert (answer.status_code, answer.json()["msg"]) == (200, "更新数据失败"), text
    for body in (b"[]", b'"x"', b"null", b"{", b""):
        assert client.post("/api/auth/updateInfo", content=body, headers=headers).status_code == 422


def test_logout_ends_the_session(client: TestClient, anonymous: TestClient) -> None:
    login = anonymous.post("/api/auth/login", json={"username": ADMIN[0], "password": ADMIN[1]}).json()[
        "data"
    ]
    client_of_login = with_token(anonymous, login["access_token"])
    assert client_of_login.get("/api/auth/me").status_code == 200
    answer = anonymous.post("/api/auth/logout", json={"refresh_token": login["refresh_token"]})
    assert answer.json() == {"code": 0, "data": True, "msg": "已退出登录"}
    assert client_of_login.get("/api/auth/me").json()["data"] == {"error": "not_logged_in"}


def test_no_log_or_failure_contains_a_secret(
    client: TestClient, anonymous: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    canary = "canary-7f3a"
    login = anonymous.post("/api/auth/login", json={"username": ADMIN[0], "password": ADMIN[1]}).json()[
        "data"
    ]
    answers = [
        anonymous.post("/api/auth/login", json={"username": canary, "password": f"{canary}-1"}),
        anonymous.post("/api/auth/login", json={"username": [canary], "password": [f"{canary}-2"]}),
        anonymous.post("/api/auth/login", json={"username": "x", "password": canary * 200}),
        anonymous.post("/api/auth/refresh", json={"refresh_token": canary}),
        anonymous.post("/api/auth/refresh", json={"refresh_token": {"x": canary}}),
        anonymous.get("/api/auth/me", headers={"Authorization": f"Bearer {canary}"}),
        client.post("/api/auth/updatePassword", json={"password": canary, "newPassword": canary}),
        client.post("/api/auth/updatePassword", json={"password": canary}),
        client.post("/api/users", json=_user_body("zhang", password=canary, roles=[canary])),
        client.post("/api/auth/updateInfo", json={"email": canary, "work_years": canary}),
        client.post("/api/auth/refresh", json={"refresh_token": login["refresh_token"]}),
    ]
    assert all(canary not in answer.text for answer in answers)
    for secret in (canary, ADMIN[1], login["access_token"], login["refresh_token"]):
        assert secret not in caplog.text


def test_audit_names_user_and_address(app: FastAPI, settings: Settings) -> None:
    announced: list[ObjectChange] = []
    database: Database = _get_database(app)
    database.after_commit.append(announced.extend)
    with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000)) as anonymous:
        token = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN).json()["data"]["access_token"]
        client = with_token(anonymous, token)
        admin = _get_own_account(client)["user"]["user_id"]
        user_id = client.post("/api/users", json=_user_body("zhang")).json()["data"]["user_id"]
        client.put(f"/api/users/{user_id}", json={"roles": ["planner"], "password": "quite-another-one"})
        client.post("/api/auth/updateInfo", json={"phone": "12345678"})
        client.post("/api/auth/updateInfo", json={"name": "李四", "phone": "87654321"})
        client.put(f"/api/users/{user_id}", json={"name": "李四"})
    changes = [(change.action, change.object_id, change.actor, change.details) for change in announced]
    assert changes[0] == ("create", admin, admin, {"username": "chief", "roles": ["admin"]})
    assert changes[1][:3] == ("login", admin, admin)
    assert changes[2] == ("create", user_id, admin, {"username": "zhang", "roles": ["viewer"]})
    assert changes[3] == ("update", user_id, admin, {"roles": [["viewer"], ["planner"]], "password": True})
    assert changes[4] == ("update", admin, admin, {"fields": ["phone"]})
    # Full names sign records, so their changes are in the log; other old values are not.
    old_name = FIRST_ADMIN.get("name")
    assert changes[5][3] == {"fields": ["phone", "name"], "name": [old_name, "李四"]}
    assert changes[6] == ("update", user_id, admin, {"name": [_user_body("zhang").get("name"), "李四"]})
    assert {change.address for change in announced} == {"127.0.0.1"}


def _get_database(app: FastAPI) -> Database:
    callers = app.state.authenticate.__self__
    database: Database = callers._live._database
    return database


def test_authentication_reads_no_table_while_accounts_do_not_change(app: FastAPI) -> None:
    with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000)) as anonymous:
        token = anonymous.post("/api/auth/first-run", json=FIRST_ADMIN).json()["data"]["access_token"]
        authenticate = app.state.authenticate
        portal = anonymous.portal
        assert portal is not None
        portal.call(authenticate, token, "127.0.0.1")
        database = _get_database(app)
        reads: list[object] = []
        original_read = database.read_now

        def count_read(work: Callable[..., Any]) -> Any:
            reads.append(work)
            return original_read(work)

        database.read_now = count_read  # type: ignore[method-assign]
        for _ in range(5):
            portal.call(authenticate, token, "127.0.0.1")
        assert reads == []
        assert database.read_now(lambda session: session.scalar(select(col(User.enabled))))
