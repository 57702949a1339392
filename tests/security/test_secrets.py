"""Tests that no secret of a working day appears in the log of a real service process."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.commands.backup import main as backup
from service.settings import Settings
from shared import samples
from shared.images.cv import cv2
from shared.samples import faces
from tests.security.application import LiveService
from tests.service.waiting import wait_until
from tests.service_app import ADMIN

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) [\w.]+ ")
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")


@dataclass
class Day:
    """What was secret, by name, and every answer that should not hold any of it."""

    secrets: dict[str, bytes]
    answers: list[httpx.Response]
    children: list[int]


@pytest.fixture(scope="module")
def day(live: LiveService) -> Day:
    """A day of the service that logs as text."""
    return play_day(live)


def play_day(live: LiveService) -> Day:
    """First admin, a user, wrong and right logins by password and face, a detection, a change of password."""
    secrets: dict[str, bytes] = {}
    answers: list[httpx.Response] = []
    client = httpx.Client(base_url=live.url, timeout=60)

    def post(path: str, body: Any, token: str = "", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return client.post(path, json=body, headers=headers, **more)

    def tokens(answer: httpx.Response, name: str) -> dict[str, str]:
        data: dict[str, str] = answer.json()["data"]
        secrets[f"access token of {name}"] = data["access_token"].encode()
        secrets[f"refresh token of {name}"] = data["refresh_token"].encode()
        return data

    def secret(name: str) -> str:
        text = f"canary-{name}-8d2c71"
        secrets[name] = text.encode()
        return text

    def keep(answer: httpx.Response) -> httpx.Response:
        answers.append(answer)
        return answer

    secrets["password of the admin"] = ADMIN[1].encode()
    body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
    admin = tokens(post("/api/auth/first-run", body), "the admin")["access_token"]
    first, second, set_by_admin = secret("first"), secret("second"), secret("set")
    new_user = {"username": "li", "password": first, "roles": ["inspector"]}
    user = keep(post("/api/users", new_user, admin)).json()["data"]["user_id"]

    # Wrong in every way that a person or a program is.
    keep(post("/api/auth/login", {"username": secret("typed-as-name"), "password": secret("wrong")}))
    keep(post("/api/auth/login", {"username": "li", "password": [secret("in-a-list")]}))
    keep(post("/api/auth/login", {"username": "li", "password": secret("long") * 100}))
    keep(post("/api/auth/refresh", {"refresh_token": {"x": secret("in-an-object")}}))
    keep(client.post("/api/auth/login", content=f'{{"password": "{secret("broken-json")}'))
    keep(client.get("/api/auth/me", headers={"Authorization": f"Bearer {secret('bad-bearer')}"}))
    keep(client.get("/api/auth/me", headers={"Authorization": f"Basic {secret('basic')}"}))
    keep(client.get("/api/auth/me", params={"access_token": secret("in-the-query")}))
    keep(client.get("/api/auth/me", headers={"Cookie": f"session={secret('in-a-cookie')}"}))
    keep(post("/api/users", {"username": "x", "password": secret("refused"), "roles": ["nobody"]}, admin))

    login = tokens(post("/api/auth/login", {"username": "li", "password": first}), "li")
    fresh = tokens(post("/api/auth/refresh", {"refresh_token": login["refresh_token"]}), "li, refreshed")
    token = fresh["access_token"]
    change = {"password": first, "newPassword": second}
    assert keep(post("/api/auth/updatePassword", change, token)).json()["code"] == 0
    keep(post("/api/auth/updatePassword", {"password": secret("wrong-current"), "newPassword": "x"}, token))

    # Faces: parts of the pictures as they were sent and as they are.
    for name, image in (("enrolment", faces.enrolment_picture()), ("login", faces.login_picture())):
        raw = faces.encode_picture(image)
        text = base64.b64encode(raw).decode()
        middle = len(text) // 2
        secrets[f"face of the {name}"] = text[middle : middle + 48].encode()
        secrets[f"picture of the {name}"] = raw[len(raw) // 2 :][:48]
        if name == "enrolment":
            enrolled = post("/api/auth/updateFaceInfo", {"faceInfo": text}, token)
            assert enrolled.json()["code"] == 0, enrolled.text[:200]
            keep(post("/api/auth/updateInfo", {"faceInfo": f"{text[:9000]}"}, token))
            keep(post("/api/auth/face", {"images": [text], "consent": False}, token))
        else:
            by_face = post("/api/auth/loginByFaceInfo", {"faceInfo": f"data:image/jpeg;base64,{text}"})
            tokens(by_face, "the face")
            keep(post("/api/auth/loginByFaceInfo", {"faceInfo": {"x": text}}))

    _detect(client, token)
    children = _children(live.pid)
    put = {"password": set_by_admin}
    keep(client.put(f"/api/users/{user}", json=put, headers={"Authorization": f"Bearer {admin}"}))
    keep(post("/api/auth/logout", {"refresh_token": fresh["refresh_token"]}))
    for page in range(1, 4):
        query = {"current_page": page, "page_size": 100}
        keep(client.get("/api/audit", params=query, headers={"Authorization": f"Bearer {admin}"}))
    client.close()
    return Day(secrets, answers, children)


def _detect(client: httpx.Client, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}

    def post(path: str, body: Any) -> Any:
        answer = client.post(path, json=body, headers=headers).json()
        return answer.get("data", answer)

    scene = samples.draw_scene(320, 240, 3, kinds=("added",))
    files = [
        client.post(
            "/api/files",
            files={"file": (name, bytes(cv2.imencode(".png", image)[1]))},
            headers=headers,
        ).json()["data"]
        for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo))
    ]
    record = post("/api/inspection/create", {"task_id": "t"})["inspection_id"]
    place = {
        "point": {"x": 0, "y": 0, "w": 1, "h": 1},
        "fileInfo": {"download_url": files[0]["download_url"]},
    }
    new_item = {
        "item_name": "a",
        "inspection_id": record,
        "model_id": "reference-difference",
        "item_point": place,
    }
    item = post("/api/inspection_item/create", new_item)["item_id"]
    post(f"/api/inspection_item/{item}/photos", {"file_id": files[1]["file_id"]})
    job = post(f"/api/inspection_item/{item}/detect?wait=30", {})
    assert job["state"] in {"done", "failed"}, job


def _children(pid: int) -> list[int]:
    if not Path("/proc/self/status").exists():
        return []
    children = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text("utf-8")
        except OSError:
            continue
        if re.search(rf"^PPid:\s{pid}$", text, re.MULTILINE):
            children.append(int(status.parent.name))
    return children


def test_no_log_line_holds_a_secret(live: LiveService, day: Day) -> None:
    log = (live.folder / "service.log").read_bytes()
    assert b"DEBUG" in log
    assert [name for name, secret in day.secrets.items() if secret in log] == []


def test_no_other_answer_holds_a_secret(day: Day) -> None:
    assert len(day.answers) > 20
    for answer in day.answers:
        leaked = [name for name, secret in day.secrets.items() if secret in answer.content]
        assert leaked == [], (answer.request.url.path, answer.status_code)


def test_no_file_holds_a_secret(live: LiveService, day: Day) -> None:
    """Not the database with its log, nor anything else in the data folder."""
    read = 0
    for path in live.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            read += len(data)
            assert [name for name, secret in day.secrets.items() if secret in data] == [], path.name
    assert read > 100_000


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_every_file_is_for_its_owner_alone(live: LiveService, day: Day) -> None:
    # The log was made by the process that started the service, here the test.
    paths = [path for path in (live.folder, *live.folder.rglob("*")) if path.name != "service.log"]
    assert len(paths) > 8
    assert [path.name for path in paths if path.stat().st_mode & 0o077] == []


def test_a_backup_of_the_running_service_holds_no_key(live: LiveService, day: Day, tmp_path: Path) -> None:
    settings = Settings(data_dir=live.folder)
    keys = [path.read_bytes() for path in (live.folder / "secret.key", live.folder / "face.key")]
    held: dict[bool, int] = {}
    for with_secrets in (False, True):
        archive = tmp_path / f"{with_secrets}.zip"
        assert backup(["backup", str(archive), *(["--with-secrets"] if with_secrets else [])], settings) == 0
        with zipfile.ZipFile(archive) as opened:
            contents = [opened.read(name) for name in opened.namelist()]
        held[with_secrets] = sum(key in content for key in keys for content in contents)
        assert not [
            name for name, secret in day.secrets.items() if any(secret in content for content in contents)
        ]
    assert held == {False: 0, True: 2}


@ON_LINUX
def test_telemetry_is_off_in_every_process_of_the_service(day: Day) -> None:
    """The user who started the service had it on; the face and the detection process got it switched off."""
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in day.children]
    assert any(b"worker" in command for command in commands)
    assert any(b"--faces" in command for command in commands)
    for pid, command in zip(day.children, commands, strict=True):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert b"ORT_DISABLE_TELEMETRY=1" in environment, command
        assert b"ORT_DISABLE_TELEMETRY=0" not in environment, command


@pytest.mark.parametrize(
    "module",
    [
        "service.running",
        "service.detection.compute.worker",
        "service.detection.onnx.check",
        "desktop.command_line",
    ],
)
def test_telemetry_is_off_in_a_process_that_begins_anywhere(module: str) -> None:
    script = f"import os, {module}; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environment = {**os.environ, "ORT_DISABLE_TELEMETRY": "0"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"


@pytest.mark.parametrize(
    "attack",
    [
        lambda live: httpx.get(f"{live.url}/x%0d%0a2026-01-01 00:00:00,000 INFO forged line"),
        lambda live: httpx.get(f"{live.url}/x%e2%80%a8forged%c2%85line%0b%0c%1b[31m"),
        lambda live: live.send(b"GET /x HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: 1\x0bforged\r\n\r\n"),
        lambda live: httpx.get(f"{live.url}/x", headers={"X-Request-ID": "1 INFO forged"}),
        lambda live: live.send(b"GET /x HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: a\rforged\r\n\r\n"),
        lambda live: live.send(b"GET /x\nforged HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        lambda live: httpx.post(
            f"{live.url}/api/auth/login", json={"username": "a\r\nforged line", "password": "x\r\nforged"}
        ),
    ],
    ids=["path", "other line ends", "id", "id with blanks", "bare CR", "bare LF", "body"],
)
def test_a_log_line_stays_one_line(live: LiveService, attack: Callable[[LiveService], Any]) -> None:
    before = len(live.log)
    attack(live)
    # The line of a request is written after its answer was sent.
    wait_until(lambda: live.log[before:].endswith("\n"), 20)
    new = live.log[before:]
    lines = new.splitlines()
    assert [line for line in lines if not LINE.match(line)] == []
    assert "\x1b" not in new


def test_the_audit_log_has_no_secret_and_is_whole(live: LiveService, day: Day) -> None:
    (first, *_rest) = [answer for answer in day.answers if answer.request.url.path == "/api/audit"]
    log = json.dumps(first.json(), ensure_ascii=False)
    assert "login_failed" in log
    assert "canary" not in log
    for word in ("score", "distance", "embedding", "password_hash", "$2b$"):
        assert word not in log
