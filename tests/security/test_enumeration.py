"""Tests that guessing reveals nothing about which users exist: same text, headers and work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bcrypt
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.security.application import PopulatedApp

_QUEUES = ("detection_job", "detection_portion", "region_memory_waiting")


@contextmanager
def count_work(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What a request costs: full password hashes, and statements on the database."""
    work: list[str] = []
    check = bcrypt.checkpw

    def checkpw(password: bytes, stored: bytes) -> bool:
        work.append(f"hash of cost {stored.split(b'$')[2].decode()}")
        return check(password, stored)

    def count_statement(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        # Meanwhile the service may look into its queues, in transactions of their own.
        if not statement.startswith("BEGIN") and not any(queue in statement for queue in _QUEUES):
            work.append(statement.split(None, 1)[0])

    patch.setattr(bcrypt, "checkpw", checkpw)
    event.listen(Engine, "before_cursor_execute", count_statement)
    try:
        yield work
    finally:
        event.remove(Engine, "before_cursor_execute", count_statement)
        patch.undo()


def test_login_does_same_work_for_every_user(
    populated: PopulatedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("known", "disabled"):
        user = {"username": name, "password": f"pass-of-{name}", "roles": ["viewer"]}
        user_id = populated.post("/api/users", **user)["user_id"]
        if name == "disabled":
            populated.admin.put(f"/api/users/{user_id}", json={"enabled": False})
    outcomes = []
    for body in (
        {"username": "nobody", "password": "wrong-password"},
        {"username": "known", "password": "wrong-password"},
        {"username": "disabled", "password": "wrong-password"},
        {"username": "disabled", "password": "pass-of-disabled"},
        {"username": "x" * 255, "password": "wrong-password"},
    ):
        with count_work(monkeypatch) as work:
            answer = populated.anonymous.post("/api/auth/login", json=body)
        headers = sorted(set(answer.headers.items()) - {("x-request-id", answer.headers["x-request-id"])})
        outcomes.append((answer.status_code, answer.content, headers, work))
    assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
    assert outcomes[0][3].count("hash of cost 04") == 1


def test_waits_are_equal_for_every_user(populated: PopulatedApp) -> None:
    populated.post("/api/users", username="slow", password="pass-of-slow", roles=["viewer"])

    def answers(username: str) -> list[tuple[int, Any]]:
        statuses = []
        for _ in range(7):
            body = {"username": username, "password": "wrong-password"}
            answer = populated.anonymous.post("/api/auth/login", json=body)
            statuses.append((answer.status_code, answer.json()["data"]))
        return [(status, data and data["error"]) for status, data in statuses]

    assert answers("slow") == answers("slow-but-not-there")


def test_other_answers_do_not_tell_of_users_either(populated: PopulatedApp) -> None:
    """A viewer asks for users that are and are not there: 403 alike, and no id in any answer."""
    viewer = populated.as_role("viewer")
    for method, path, body in (
        ("GET", "/api/users/{}", None),
        ("PUT", "/api/users/{}", {"name": "x"}),
        ("DELETE", "/api/face/enrolments/{}", None),
    ):
        answers = [
            viewer.request(method, path.format(user), json=body)
            for user in (populated.ids["user_id"], "no-such-user")
        ]
        assert [answer.status_code for answer in answers] == [403, 403]
        assert answers[0].content == answers[1].content
    for path in ("/api/auth/refresh", "/api/auth/logout"):
        first, second = (
            populated.anonymous.post(path, json={"refresh_token": "x" * size}) for size in (43, 44)
        )
        assert (first.status_code, first.content) == (second.status_code, second.content)
