"""Tests who may call each operation of the API's document, for every role."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.security.application import PopulatedApp, check_frame
from tests.security.operations import EVERYBODY, ROLES, RULES, empty_body, fill_path, parts
from tests.service_app import with_token

pytestmark = pytest.mark.slow


def test_every_operation_has_its_rule(populated: PopulatedApp) -> None:
    assert sorted(populated.operations()) == sorted(RULES)


@pytest.mark.parametrize("bearer", ["", "Bearer", "Bearer x.y.z", "Basic Y2hpZWY6eA=="])
def test_without_a_login(populated: PopulatedApp, bearer: str) -> None:
    before = populated.rows()
    for name, operation in populated.operations().items():
        method, path = parts(name)
        headers = {"authorization": bearer} if bearer else {}
        arguments = empty_body(operation)
        answer = populated.anonymous.request(
            method, fill_path(path, populated.ids), headers=headers, **arguments
        )
        rule = RULES[name]
        check_frame(answer, path)
        assert answer.status_code == (401 if rule.login else rule.status), name
        if rule.login:
            assert answer.headers["www-authenticate"] == "Bearer", name
    assert populated.rows() == before


@pytest.mark.parametrize("role", ROLES)
def test_each_role(populated: PopulatedApp, role: str) -> None:
    client = populated.admin if role == "admin" else populated.as_role(role)
    before = populated.rows()
    refused = 0
    for name, operation in populated.operations().items():
        method, path = parts(name)
        rule = RULES[name]
        arguments = empty_body(operation)
        if role not in rule.roles:
            # With the ids of what is really there, and of another user.
            answer = client.request(method, fill_path(path, populated.ids), **arguments)
            assert answer.status_code == 403, name
            assert answer.json()["data"]["error"] == "permission_missing", name
            refused += 1
        else:
            answer = client.request(method, fill_path(path, {}), **arguments)
            assert answer.status_code == rule.status, (name, answer.text)
        check_frame(answer, path)
    assert populated.rows() == before
    assert refused == sum(role not in rule.roles for rule in RULES.values())


def test_sensitive_operations_need_a_recent_password(populated: PopulatedApp) -> None:
    """The admin as after a login by face, some minutes after one by password, or with the clock set back."""
    token = populated.admin.headers["authorization"].removeprefix("Bearer ")
    connection = sqlite3.connect(populated.folder / "walkaround.db")
    sessions = connection.execute("SELECT id, password_at FROM session").fetchall()
    try:
        for password_at in (None, "2020-01-01 00:00:00.000000", "2999-01-01 00:00:00.000000"):
            with connection:
                connection.execute("UPDATE session SET password_at = ?", (password_at,))
                connection.execute("UPDATE account_version SET number = number + 1")
            later = with_token(populated.anonymous, token)
            before = populated.rows()
            for name, operation in populated.operations().items():
                rule = RULES[name]
                method, path = parts(name)
                if not rule.login:
                    continue
                ids = populated.ids if rule.recent_password else {}
                answer = later.request(method, fill_path(path, ids), **empty_body(operation))
                if rule.recent_password:
                    assert answer.status_code == 403, name
                    assert answer.json()["data"]["error"] == "password_login_needed", name
                else:
                    assert answer.status_code == rule.status, (name, answer.text)
            assert populated.rows() == before
    finally:
        with connection:
            for session_id, password_at in sessions:
                connection.execute(
                    "UPDATE session SET password_at = ? WHERE id = ?", (password_at, session_id)
                )
            connection.execute("UPDATE account_version SET number = number + 1")
        connection.close()


def test_user_can_change_only_their_own_account(populated: PopulatedApp) -> None:
    """The operations on the own account take no id: another user's, sent anyway, is not looked at."""
    viewer = populated.as_role("viewer")
    other = populated.ids["user_id"]
    before = populated.admin.get(f"/api/users/{other}").json()["data"]
    aimed = {"user_id": other, "id": other, "username": "other"}
    for method, path, body in (
        ("POST", "/api/auth/updateInfo", {"department": "质检"}),
        ("POST", "/api/auth/updatePassword", {"password": "x", "newPassword": "a-new-long-one"}),
        ("POST", "/api/auth/updateFaceInfo", {"faceInfo": "x"}),
        ("DELETE", "/api/auth/face", {}),
        ("GET", "/api/auth/me", {}),
    ):
        answer = viewer.request(method, path, params=aimed, json={**body, **aimed})
        assert answer.status_code == 200, (path, answer.text)
        assert other not in answer.text, path
    assert populated.admin.get(f"/api/users/{other}").json()["data"] == before
    login = {"username": "other", "password": "pass-of-the-other"}
    assert populated.anonymous.post("/api/auth/login", json=login).json()["code"] == 0


def test_the_rules_know_every_role() -> None:
    assert all(rule.roles <= EVERYBODY for rule in RULES.values())
    assert all("admin" in rule.roles for rule in RULES.values())


def test_body_is_not_read_before_the_permission_is_checked(populated: PopulatedApp) -> None:
    """A model may have a gigabyte: nothing is taken from someone who may not send it, by any operation."""
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for _ in range(64):
            read += 2**16
            yield b"x" * 2**16

    clients = {role: populated.as_role(role) for role in ROLES if role != "admin"}
    refusals = 0
    for name, operation in populated.operations().items():
        rule = RULES[name]
        if not rule.login or "requestBody" not in operation:
            continue
        method, path = parts(name)
        (kind,) = operation["requestBody"]["content"]
        refused = [(populated.anonymous, 401)]
        refused += [(client, 403) for role, client in clients.items() if role not in rule.roles]
        for client, status in refused:
            read = 0
            headers = {"content-type": f"{kind}; boundary=b"}
            answer = client.request(method, fill_path(path, populated.ids), content=pieces(), headers=headers)
            assert answer.status_code == status, name
            assert read < 2**20, name
            refusals += 1
    assert refusals > len(clients) * 5
