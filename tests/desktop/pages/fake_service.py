"""A fake service for page tests (httpx.MockTransport): a test sets the answer of each path."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.context import Context
from desktop.pages.people import PeoplePage
from desktop.preferences import Preferences
from shared.wire.common import ERROR_HEADER
from tests.desktop.client.fake_service import PAYLOAD

STATUS = {
    "enrolled": False,
    "usable": True,
    "templates": 0,
    "model": "dlib",
    "enrolled_at": None,
    "consent_version": None,
    "consented_at": None,
    "login_enabled": True,
    "recommend_pack": True,
    "current_consent_version": "1",
    "current_consent_text": "同意书",
}
REQUIREMENTS = {
    "login_enabled": True,
    "challenge": "off",
    "allowed_devices_only": False,
    "refuse_virtual_cameras": False,
}
TOKENS = {"access_token": "a", "refresh_token": "r", "expires_in": 900, "payload": PAYLOAD}


def success_answer(data: Any) -> httpx.Response:
    return httpx.Response(200, json={"code": 0, "data": data, "msg": None})


def refusal_answer(error: str, msg: str, data: Any = None) -> httpx.Response:
    body = {"code": 1, "data": data, "msg": msg}
    return httpx.Response(200, json=body, headers={ERROR_HEADER: error})


def failure_answer(status: int, error: str, **details: Any) -> httpx.Response:
    return httpx.Response(status, json={"code": 1, "data": {"error": error, **details}, "msg": "说明"})


class FakeService:
    """Answers by path; remembers what was sent."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {
            "/api/auth/first-run": success_answer({"needed": False}),
            "/api/auth/login": success_answer(TOKENS),
            "/api/auth/logout": success_answer(True),
            "/api/auth/faceRequirements": success_answer(REQUIREMENTS),
            "/api/auth/loginByFaceInfo": refusal_answer("face_unknown", "无法校验人脸"),
            "/api/auth/me": success_answer(PAYLOAD),
            "/api/auth/face": success_answer(STATUS),
            "/api/auth/sessions": success_answer(
                {
                    "data": [],
                    "pagination": {"current_page": 1, "page_size": 50, "total": 0, "total_pages": 0},
                }
            ),
        }
        self.sent: list[tuple[str, str, Any]] = []
        self.open = threading.Event()
        self.open.set()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        body = json.loads(request.content) if request.content else None
        self.sent.append((request.method, path, body))
        assert self.open.wait(60)
        answer = self.answers[path]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)

    def bodies(self, path: str, method: str = "POST") -> list[Any]:
        return [body for sent, where, body in self.sent if (sent, where) == (method, path)]


@contextmanager
def open_fake_context(fake_service: FakeService, base_url: str = "http://127.0.0.1:9") -> Iterator[Context]:
    session = Session(base_url, patience=0.0, transport=httpx.MockTransport(fake_service))
    preferences = Preferences()
    preferences.change(set_up=True)
    yield Context(session, preferences, embedded=True)
    session.close()


def open_administration(context: Context, qtbot: QtBot, section: str = "users") -> PeoplePage:
    """The people's page in a window of its own."""
    page = PeoplePage(context)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.enter({"section": section})
    return page
