"""The application as the contract tests use it: clients of each role, and functions that create objects."""

from __future__ import annotations

import itertools
from typing import Any

from starlette.testclient import TestClient

from tests.service.answers import read_body, read_data
from tests.service_app import ADMIN, Answer, with_token

_numbers = itertools.count(1)


class ContractApp:
    """The application with its first administrator; creates and reads records and items as that user."""

    def __init__(self, anonymous: TestClient) -> None:
        self.anonymous = anonymous
        body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
        data = read_data(anonymous.post("/api/auth/first-run", json=body))
        self.admin = with_token(anonymous, data["access_token"])
        self.admin_id: str = data["payload"]["user"]["user_id"]
        self._roles: dict[str, TestClient] = {}

    def as_role(self, role: str) -> TestClient:
        if role not in self._roles:
            login = {"username": f"a-{role}", "password": f"pass-of-a-{role}"}
            answer = self.admin.post("/api/users", json={**login, "roles": [role]})
            assert answer.status_code == 200, answer.text
            token = self.anonymous.post("/api/auth/login", json=login).json()["data"]["access_token"]
            self._roles[role] = with_token(self.anonymous, token)
        return self._roles[role]

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a POST that must succeed, and return its `data`."""
        return read_data(self.admin.post(path, json=body))

    def create_record(self, **body: Any) -> dict[str, Any]:
        return self.post("/api/inspection/create", **{"task_id": new_id("task"), **body})

    def get_record(self, inspection_id: str) -> dict[str, Any]:
        return read_data(self.admin.get(f"/api/inspection/getInspectionById/{inspection_id}"))

    def create_item(self, inspection_id: str | None = None, **body: Any) -> dict[str, Any]:
        number = inspection_id or self.create_record()["inspection_id"]
        return read_body(
            self.admin.post(
                "/api/inspection_item/create", json={"item_name": "前缘", "inspection_id": number, **body}
            )
        )

    def search(self, **query: Any) -> dict[str, Any]:
        return read_data(
            self.admin.get("/api/inspection/search", params={"current_page": 1, "page_size": 50, **query})
        )


def assert_refused(answer: Answer, status: int, error: str, msg: str, **details: Any) -> None:
    """Assert that `answer` is a failure that the contract does not list, with nothing but these contents."""
    envelope = {"code": 1, "data": {"error": error, **details}, "msg": msg}
    assert (answer.status_code, answer.json()) == (status, envelope)


def assert_not_logged_in(answer: Answer) -> None:
    assert_refused(answer, 401, "not_logged_in", "请先登录")


def assert_forbidden(answer: Answer, permission: str) -> None:
    """Assert that `answer` refuses a user who lacks `permission`."""
    msg = "没有此操作的权限，请联系管理员"
    assert_refused(answer, 403, "permission_missing", msg, permissions=[permission])


def assert_invalid(answer: Answer, *names: str) -> None:
    """Assert that `answer` refuses exactly the fields of these names, each with its rule in Chinese."""
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert list(body) == ["code", "data", "msg"]
    assert list(body["data"]) == ["error", "fields"]
    assert (body["code"], body["data"]["error"]) == (1, "invalid_input")
    rules: dict[str, str] = {}
    for field in body["data"]["fields"]:
        assert list(field) == ["field", "type", "message"]
        assert "一" <= field["message"][0] <= "鿿", field
        rules.setdefault(field["field"], field["message"])
    assert [*rules] == [*names]
    assert body["msg"] == "；".join(f"{name}：{rule}" for name, rule in rules.items())


def new_id(word: str) -> str:
    """An ID that no other test uses."""
    return f"{word}-{next(_numbers)}"
