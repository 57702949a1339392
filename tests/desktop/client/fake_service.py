"""A fake service (httpx.MockTransport): it logs in any user, renews tokens, and answers as a test sets it."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx

BASE = "http://service.test"
SECRET = "correct horse battery staple"

PAYLOAD: dict[str, Any] = {
    "user": {
        "user_id": "u1",
        "username": "zhang",
        "name": "张三",
        "email": None,
        "phone": None,
        "gender": None,
        "work_years": None,
        "department": None,
        "has_face": False,
        "enabled": True,
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    },
    "role": ["inspector"],
    "permissions": ["INSPECTION_READ"],
}

RECORD: dict[str, Any] = {
    "inspection_id": "r1",
    "inspection_name": "walk",
    "task_id": "t1",
    "executor_id": None,
    "executor_name": None,
    "reference_image_id": None,
    "reference_image_name": None,
    "progress": 0,
    "start_time": None,
    "end_time": None,
    "inspection_status": "not_started",
    "status_name": "未开始",
    "flight_id": None,
    "aircraft_id": None,
    "aircraft_name": None,
    "created_at": "2026-01-01T00:00:00",
    "updated_at": "2026-01-01T00:00:00",
}


ITEM: dict[str, Any] = {
    "item_id": "i1",
    "item_name": "前缘",
    "inspection_id": "r1",
    "description": None,
    "model_id": None,
    "model_name": None,
    "model_description": None,
    "item_point": None,
    "result": [],
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}


def success_answer(data: object, msg: str | None = None, **headers: str) -> httpx.Response:
    return httpx.Response(200, json={"code": 0, "data": data, "msg": msg}, headers=headers)


def failure_answer(status: int, error: str, **details: object) -> httpx.Response:
    body = {"code": 1, "data": {"error": error, **details}, "msg": "不行"}
    return httpx.Response(status, json=body)


class Service:
    """Logs in anyone, renews tokens with rotation, answers everything else from `answers`."""

    def __init__(self, expires_in: int = 900) -> None:
        self.expires_in = expires_in
        self.round = 0
        self.calls: Counter[str] = Counter()
        self.requests: list[httpx.Request] = []
        self.answers: dict[str, Callable[[httpx.Request], httpx.Response]] = {}
        self.lock = threading.Lock()

    def tokens(self) -> httpx.Response:
        self.round += 1
        return success_answer(
            {
                "access_token": f"access-{self.round}",
                "refresh_token": f"refresh-{self.round}",
                "expires_in": self.expires_in,
                "payload": PAYLOAD,
            }
        )

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        with self.lock:
            self.calls[path] += 1
            self.requests.append(request)
            if path == "/api/auth/login":
                return self.tokens()
            if path == "/api/auth/refresh":
                token = json.loads(request.content)["refresh_token"]
                if token != f"refresh-{self.round}":
                    return failure_answer(401, "not_logged_in")
                return self.tokens()
            if path == "/api/auth/logout":
                return success_answer(True)
            if request.headers.get("Authorization") != f"Bearer access-{self.round}":
                return failure_answer(401, "login_expired")
        return self.answers[path](request)
