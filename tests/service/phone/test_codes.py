"""Tests codes: who can use one, for how long, and what ends it."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.db.database import Database
from service.phone.rules import RateLimiter, expiry_after_photo, initial_expiry
from service.phone.tables import CODE
from service.settings import Settings
from shared.wire.phone import MAX_CODE_SECONDS, MAX_CODES
from tests.service.phone.conftest import PHOTO, Phone, PhoneSetup


def assert_refused(answer: object, status: int, error: str) -> dict[str, object]:
    assert answer.status_code == status, answer.text  # type: ignore[attr-defined]
    data: dict[str, object] = answer.json()["data"]  # type: ignore[attr-defined]
    assert data["error"] == error
    return data


def test_phone_view_has_the_record_and_its_items(scene: PhoneSetup) -> None:
    code = scene.create_code()
    assert scene.read_status(code)["claimed_at"] is None
    phone = Phone(scene.client)
    view = phone.claim(code["token"]).json()["data"]
    assert (view["record_name"], view["made_by_name"], view["item_id"]) == ("左翼检查", "主任 (chief)", None)
    assert [(item["item_name"], item["photos"], item["has_picture"]) for item in view["items"]] == [
        ("前缘", 0, True),
        ("口盖", 0, True),
    ]
    assert 0 < view["seconds_left"] <= 900
    status = scene.read_status(code)
    assert (status["phone"], status["ended"], status["made_by_name"]) == ("iPhone", None, "主任 (chief)")
    picture = phone.client.get(f"/api/phone/items/{scene.items[0]}/picture")
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.content.startswith(b"\xff\xd8")


def test_code_of_an_item_shows_only_this_item(scene: PhoneSetup) -> None:
    phone = scene.connect_phone(scene.items[1])
    assert [item["item_name"] for item in phone.view().json()["data"]["items"]] == ["口盖"]
    other = phone.client.get(f"/api/phone/items/{scene.items[0]}/picture")
    assert_refused(other, 404, "not_found")
    assert_refused(phone.begin(item_id=scene.items[0]), 404, "not_found")


def test_only_the_first_phone_can_claim_a_code_repeatedly(scene: PhoneSetup) -> None:
    token = scene.create_code()["token"]
    first, second = Phone(scene.client), Phone(scene.client)
    assert first.claim(token).status_code == 200
    assert_refused(second.claim(token), 409, "phone_code_taken")
    # After the page was loaded again, or an answer was lost.
    assert first.claim(token).status_code == 200
    assert first.view().status_code == 200
    second.client.headers["Authorization"] = f"Phone {first.code_id}.{second.key}"
    assert_refused(second.view(), 401, "not_logged_in")


@pytest.mark.parametrize(
    "authorization", ["", "Phone", "Phone .", "Phone x.y", "Bearer x.y", "Phone " + "a" * 500]
)
def test_requests_without_a_key_are_refused(scene: PhoneSetup, authorization: str) -> None:
    phone = Phone(scene.client)
    phone.client.headers["Authorization"] = authorization
    for answer in (phone.view(), phone.begin(), phone.part(0, PHOTO)):
        assert_refused(answer, 401, "not_logged_in")


def test_unclaimed_code_has_no_key(scene: PhoneSetup) -> None:
    code = scene.create_code()
    phone = Phone(scene.client)
    for key in ("", "None", "x" * 32):
        phone.client.headers["Authorization"] = f"Phone {code['code_id']}.{key}"
        assert_refused(phone.view(), 401, "not_logged_in")


def test_phone_cannot_use_other_operations(scene: PhoneSetup) -> None:
    phone = scene.connect_phone()
    for path in (f"/api/inspection/{scene.record_id}/photos", "/api/phone/codes", "/api/auth/me"):
        assert_refused(phone.client.get(path), 401, "not_logged_in")


def test_code_is_for_one_record(scene: PhoneSetup) -> None:
    phone, other = scene.connect_phone(), PhoneSetup(scene.client)
    assert_refused(phone.begin(item_id=other.items[0]), 404, "not_found")
    assert_refused(phone.client.get(f"/api/phone/items/{other.items[0]}/picture"), 404, "not_found")
    body = {"inspection_id": scene.record_id, "item_id": other.items[0]}
    assert_refused(scene.client.post("/api/phone/codes", json=body), 404, "not_found")


def test_code_expires(scene: PhoneSetup, wait_seconds: Callable[[float], None]) -> None:
    code = scene.create_code()
    phone = Phone(scene.client)
    wait_seconds(901)
    assert assert_refused(phone.claim(code["token"]), 410, "phone_code_ended")["ended"] == "expired"
    assert scene.read_status(code)["ended"] == "expired"


def test_photos_extend_a_code_to_at_most_two_hours(
    scene: PhoneSetup, wait_seconds: Callable[[float], None]
) -> None:
    phone = scene.connect_phone(scene.items[0])
    for number in range(9):
        assert phone.send(f"photo-{number:04}")["state"] == "arrived", number
        wait_seconds(880)
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "expired"


def test_creator_and_administrators_can_end_a_code(
    scene: PhoneSetup, as_role: Callable[..., TestClient]
) -> None:
    mei, wang = as_role("inspector"), as_role("inspector")
    phone = scene.connect_phone(by=mei)
    path = f"/api/phone/codes/{phone.code_id}"
    assert_refused(wang.delete(path), 404, "not_found")
    assert_refused(wang.get(path), 404, "not_found")
    assert wang.get("/api/phone/codes").json()["data"] == []
    assert [entry["code_id"] for entry in mei.get("/api/phone/codes").json()["data"]] == [phone.code_id]
    assert phone.view().status_code == 200
    assert [entry["code_id"] for entry in scene.client.get("/api/phone/codes").json()["data"]] == [
        phone.code_id
    ]
    assert scene.client.delete(path).status_code == 200
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "ended"
    assert mei.delete(path).status_code == 200
    entries = scene.client.get("/api/audit").json()["data"]["data"]
    ends = [entry for entry in entries if entry["kind"] == "phone_code" and entry["action"] == "end"]
    assert len(ends) == 1


def test_code_ends_when_the_record_is_sealed(scene: PhoneSetup) -> None:
    phone = scene.connect_phone()
    scene.seal()
    assert assert_refused(phone.begin(), 410, "phone_code_ended")["ended"] == "sealed"
    body = {"inspection_id": scene.record_id}
    assert_refused(scene.client.post("/api/phone/codes", json=body), 409, "record_sealed")
    reopened = scene.client.post(f"/api/inspection/{scene.record_id}/reopen", json={"reason": "复检"})
    assert reopened.status_code == 200, reopened.text
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "sealed"


def test_code_ends_when_its_item_or_record_is_deleted(scene: PhoneSetup) -> None:
    of_item, of_record = scene.connect_phone(scene.items[0]), scene.connect_phone()
    scene.client.delete(f"/api/inspection_item/{scene.items[0]}").raise_for_status()
    assert assert_refused(of_item.view(), 410, "phone_code_ended")["ended"] == "deleted"
    assert of_record.view().status_code == 200
    scene.client.delete(f"/api/inspection/deleteInspection/{scene.record_id}").raise_for_status()
    assert assert_refused(of_record.view(), 410, "phone_code_ended")["ended"] == "deleted"


def test_code_ends_with_the_session(scene: PhoneSetup, as_role: Callable[..., TestClient]) -> None:
    mei = as_role("inspector")
    phone = scene.connect_phone(by=mei)
    user_id = mei.get("/api/auth/me").json()["data"]["user"]["user_id"]
    assert scene.client.delete(f"/api/users/{user_id}/sessions").status_code == 200
    assert assert_refused(phone.begin(), 410, "phone_code_ended")["ended"] == "logged_out"


def test_code_ends_with_the_permission(scene: PhoneSetup, as_role: Callable[..., TestClient]) -> None:
    mei = as_role("inspector", username="mei")
    phone = scene.connect_phone(by=mei)
    user_id = mei.get("/api/auth/me").json()["data"]["user"]["user_id"]
    change = {"roles": ["viewer"]}
    assert scene.client.put(f"/api/users/{user_id}", json=change).status_code == 200
    assert assert_refused(phone.part(0, PHOTO), 410, "phone_code_ended")["ended"] == "no_right"
    back = {"roles": ["inspector"]}
    assert scene.client.put(f"/api/users/{user_id}", json=back).status_code == 200
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "no_right"


def test_repeated_wrong_tokens_of_an_address_must_wait(scene: PhoneSetup) -> None:
    token = scene.create_code()["token"]
    guesser, neighbour = Phone(scene.client), Phone(scene.client, "192.168.7.21")
    for number in range(10):
        assert_refused(guesser.claim(f"guess-{number:016}"), 404, "phone_code_unknown")
    answer = guesser.claim(token)
    assert_refused(answer, 429, "too_many_requests")
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert neighbour.claim(token).status_code == 200


def test_number_of_codes_of_a_user_is_limited(scene: PhoneSetup) -> None:
    for _ in range(MAX_CODES):
        scene.create_code()
    answer = scene.client.post("/api/phone/codes", json={"inspection_id": scene.record_id})
    assert_refused(answer, 409, "conflict")


def test_only_this_machine_can_open_the_network(scene: PhoneSetup) -> None:
    body = {"inspection_id": scene.record_id, "open_network": True}
    elsewhere = Phone(scene.client).client
    elsewhere.headers["Authorization"] = scene.client.headers["Authorization"]
    assert_refused(elsewhere.post("/api/phone/codes", json=body), 403, "permission_missing")
    proxied = {"X-Forwarded-For": "192.0.2.1"}
    assert_refused(
        scene.client.post("/api/phone/codes", json=body, headers=proxied), 403, "permission_missing"
    )
    # No server of this application can listen in the network: the code is created, but no phone can reach it.
    answer = scene.client.post("/api/phone/codes", json=body).json()["data"]
    assert (answer["addresses"], answer["can_open_network"]) == ([], False)


def test_logs_answers_and_database_contain_no_token_or_key(
    scene: PhoneSetup, database: Database, caplog: pytest.LogCaptureFixture, app: FastAPI, settings: Settings
) -> None:
    with caplog.at_level(logging.DEBUG):
        code = scene.create_code()
        phone, other = Phone(scene.client), Phone(scene.client)
        answers = [phone.claim(code["token"]), other.claim(code["token"])]
        phone.send(item_id=scene.items[0])
        answers.append(other.client.post("/api/phone/claim", json={"token": code["token"], "key": 1}))
        scene.client.delete(f"/api/phone/codes/{code['code_id']}")
        answers += [phone.view(), phone.claim(code["token"]), scene.client.get("/api/phone/codes")]
        answers.append(scene.client.get(f"/api/phone/codes/{code['code_id']}"))
        answers.append(scene.client.get("/api/audit"))
    texts = caplog.text + "".join(answer.text + str(dict(answer.headers)) for answer in answers)
    rows = database.read_now(lambda session: str(session.execute(CODE.select()).all()))
    for secret in (code["token"], phone.key, other.key):
        assert secret not in texts
        assert secret not in rows
        for path in settings.data_dir.rglob("*"):
            assert not path.is_file() or secret.encode() not in path.read_bytes(), path


def test_rate_allows_a_burst_and_then_one_at_a_time() -> None:
    at = 100.0
    rate = RateLimiter(2, 60, clock=lambda: at)
    rate.count("a")
    at = 110.0
    assert rate.seconds_to_wait("a") == 0
    rate.count("a")
    assert (rate.seconds_to_wait("a"), rate.seconds_to_wait("b")) == (51, 0)
    at = 161.0
    assert rate.seconds_to_wait("a") == 0


def test_end_is_extended_up_to_the_maximum() -> None:
    import datetime as dt

    start = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
    soon = start + dt.timedelta(seconds=60)
    assert expiry_after_photo(start, initial_expiry(start), soon) == initial_expiry(soon)
    late = start + dt.timedelta(seconds=MAX_CODE_SECONDS - 1)
    assert expiry_after_photo(start, initial_expiry(start), late) == start + dt.timedelta(
        seconds=MAX_CODE_SECONDS
    )
