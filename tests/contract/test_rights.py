"""Tests each operation with one permission: the required one allows it, all others do not."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from shared.record.codes import ROLE_PERMISSIONS, Permission, Role
from tests.contract.application import ContractApp, assert_forbidden, new_id
from tests.service.answers import read_body
from tests.service_app import with_token

OPERATIONS: list[tuple[str, str, str, Any]] = [
    ("INSPECTION_ADD", "POST", "/api/inspection/create", {"task_id": "t"}),
    ("INSPECTION_READ", "GET", "/api/inspection/getInspectionById/{record}", None),
    ("INSPECTION_READ", "GET", "/api/inspection/search?current_page=1&page_size=1", None),
    ("INSPECTION_UPDATE", "PUT", "/api/inspection/updateInspection/{record}", {"progress": 1}),
    ("INSPECTION_DELETE", "DELETE", "/api/inspection/deleteInspection/{record}", None),
    ("INSPECTION_ITEM_ADD", "POST", "/api/inspection_item/create", {"item_name": "x"}),
    ("INSPECTION_ITEM_READ", "GET", "/api/inspection_item/{item}", None),
    ("INSPECTION_ITEM_READ", "GET", "/api/inspection_item/list?inspection_id={record}", None),
    ("INSPECTION_ITEM_UPDATE", "PUT", "/api/inspection_item/{item}", {"description": "x"}),
    ("INSPECTION_ITEM_DELETE", "DELETE", "/api/inspection_item/{item}", None),
    ("USER.UPDATE", "POST", "/api/auth/updateInfo", {"name": "x"}),
]


def client_with_permissions(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch, permissions: set[Permission]
) -> TestClient:
    """A client of a new user with exactly these permissions."""
    # No role has exactly these, so a role is changed before the login.
    monkeypatch.setitem(ROLE_PERMISSIONS, Role.VIEWER, frozenset(permissions))
    login = {"username": new_id("only"), "password": "pass-of-somebody"}
    service.post("/api/users", **login, roles=["viewer"])
    token = service.anonymous.post("/api/auth/login", json=login).json()["data"]["access_token"]
    return with_token(service.anonymous, token)


def send(service: ContractApp, client: TestClient, method: str, path: str, body: Any) -> Any:
    item = service.create_item()
    url = path.format(record=item["inspection_id"], item=item["item_id"])
    if path == "/api/inspection_item/create":
        body = {**body, "inspection_id": item["inspection_id"]}
    return client.request(method, url, json=body)


@pytest.mark.parametrize(("permission", "method", "path", "body"), OPERATIONS)
def test_operation_needs_only_its_permission(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch, permission: str, method: str, path: str, body: Any
) -> None:
    client = client_with_permissions(service, monkeypatch, {Permission(permission)})
    answer = send(service, client, method, path, body)
    assert answer.status_code == 200, answer.text
    # The item operations that answer only the item have no code.
    assert answer.json().get("code", 0) == 0


@pytest.mark.parametrize(("permission", "method", "path", "body"), OPERATIONS)
def test_all_other_permissions_do_not_allow_an_operation(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch, permission: str, method: str, path: str, body: Any
) -> None:
    client = client_with_permissions(service, monkeypatch, set(Permission) - {Permission(permission)})
    answer = send(service, client, method, path, body)
    assert_forbidden(answer, permission)


def test_user_without_permissions_can_change_face_and_password(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_with_permissions(service, monkeypatch, set())
    answer = client.post("/api/auth/updateFaceInfo", json={"faceInfo": ""})
    assert read_body(answer) == {"code": 1, "data": None, "msg": "人脸信息缺失"}
    body = {"password": "pass-of-somebody", "newPassword": "another-horse-battery"}
    answer = client.post("/api/auth/updatePassword", json=body)
    assert read_body(answer) == {"code": 0, "data": True, "msg": "更新密码成功"}
