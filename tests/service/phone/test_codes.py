"""Codes: who gets in with one, for how long, and what ends it."""

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
from tests.service.phone.conftest import PHOTO, Phone, Scene


def assert_refused(answer: object, status: int, error: str) -> dict[str, object]:
    assert answer.status_code == status, answer.text  # type: ignore[attr-defined]
    data: dict[str, object] = answer.json()["data"]  # type: ignore[attr-defined]
    assert data["error"] == error
    return data


def test_phone_view_has_the_record_and_its_items(scene: Scene) -> None:
    code = scene.code()
    assert scene.status(code)["claimed_at"] is None
    phone = Phone(scene.client)
    view = phone.claim(code["token"]).json()["data"]
    assert (view["record_name"], view["made_by_name"], view["item_id"]) == ("左翼检查", "主任", None)
    assert [(item["item_name"], item["photos"], item["has_picture"]) for item in view["items"]] == [
        ("前缘", 0, True),
        ("口盖", 0, True),
    ]
    assert 0 < view["seconds_left"] <= 900
    status = scene.status(code)
    assert (status["phone"], status["ended"], status["made_by_name"]) == ("iPhone", None, "主任")
    picture = phone.client.get(f"/api/phone/items/{scene.items[0]}/picture")
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.content.startswith(b"\xff\xd8")


def test_a_code_of_an_item_shows_that_one_alone(scene: Scene) -> None:
    phone = scene.phone(scene.items[1])
    assert [item["item_name"] for item in phone.view().json()["data"]["items"]] == ["口盖"]
    other = phone.client.get(f"/api/phone/items/{scene.items[0]}/picture")
    assert_refused(other, 404, "not_found")
    assert_refused(phone.begin(item_id=scene.items[0]), 404, "not_found")


def test_the_first_phone_has_the_code_and_may_come_again(scene: Scene) -> None:
    token = scene.code()["token"]
    first, second = Phone(scene.client), Phone(scene.client)
    assert first.claim(token).status_code == 200
    assert_refused(second.claim(token), 409, "phone_code_taken")
    # A page that was loaded again, or whose answer was lost.
    assert first.claim(token).status_code == 200
    assert first.view().status_code == 200
    second.client.headers["Authorization"] = f"Phone {first.code_id}.{second.key}"
    assert_refused(second.view(), 401, "not_logged_in")


@pytest.mark.parametrize(
    "authorization", ["", "Phone", "Phone .", "Phone x.y", "Bearer x.y", "Phone " + "a" * 500]
)
def test_without_a_key_nothing_is_answered(scene: Scene, authorization: str) -> None:
    phone = Phone(scene.client)
    phone.client.headers["Authorization"] = authorization
    for answer in (phone.view(), phone.begin(), phone.part(0, PHOTO)):
        assert_refused(answer, 401, "not_logged_in")


def test_an_unclaimed_code_has_no_key(scene: Scene) -> None:
    code = scene.code()
    phone = Phone(scene.client)
    for key in ("", "None", "x" * 32):
        phone.client.headers["Authorization"] = f"Phone {code['code_id']}.{key}"
        assert_refused(phone.view(), 401, "not_logged_in")


def test_a_phone_reaches_no_other_operation(scene: Scene) -> None:
    phone = scene.phone()
    for path in (f"/api/inspection/{scene.record_id}/photos", "/api/phone/codes", "/api/auth/me"):
        assert_refused(phone.client.get(path), 401, "not_logged_in")


def test_a_code_is_for_one_record(scene: Scene) -> None:
    phone, other = scene.phone(), Scene(scene.client)
    assert_refused(phone.begin(item_id=other.items[0]), 404, "not_found")
    assert_refused(phone.client.get(f"/api/phone/items/{other.items[0]}/picture"), 404, "not_found")
    body = {"inspection_id": scene.record_id, "item_id": other.items[0]}
    assert_refused(scene.client.post("/api/phone/codes", json=body), 404, "not_found")


def test_a_code_expires(scene: Scene, later: Callable[[float], None]) -> None:
    code = scene.code()
    phone = Phone(scene.client)
    later(901)
    assert assert_refused(phone.claim(code["token"]), 410, "phone_code_ended")["ended"] == "expired"
    assert scene.status(code)["ended"] == "expired"


def test_photos_keep_a_code_valid_for_two_hours_at_most(scene: Scene, later: Callable[[float], None]) -> None:
    phone = scene.phone(scene.items[0])
    for number in range(9):
        assert phone.send(f"photo-{number:04}")["state"] == "arrived", number
        later(880)
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "expired"


def test_the_maker_ends_a_code_and_an_admin_anyones(scene: Scene, as_role: Callable[..., TestClient]) -> None:
    mei, wang = as_role("inspector"), as_role("inspector")
    phone = scene.phone(by=mei)
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


def test_a_code_ends_with_the_record_and_stays_ended(scene: Scene) -> None:
    phone = scene.phone()
    scene.seal()
    assert assert_refused(phone.begin(), 410, "phone_code_ended")["ended"] == "sealed"
    body = {"inspection_id": scene.record_id}
    assert_refused(scene.client.post("/api/phone/codes", json=body), 409, "record_sealed")
    reopened = scene.client.post(f"/api/inspection/{scene.record_id}/reopen", json={"reason": "复检"})
    assert reopened.status_code == 200, reopened.text
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "sealed"


def test_a_code_ends_with_its_item_and_its_record(scene: Scene) -> None:
    of_item, of_record = scene.phone(scene.items[0]), scene.phone()
    scene.client.delete(f"/api/inspection_item/{scene.items[0]}").raise_for_status()
    assert assert_refused(of_item.view(), 410, "phone_code_ended")["ended"] == "deleted"
    assert of_record.view().status_code == 200
    scene.client.delete(f"/api/inspection/deleteInspection/{scene.record_id}").raise_for_status()
    assert assert_refused(of_record.view(), 410, "phone_code_ended")["ended"] == "deleted"


def test_a_code_ends_with_the_login(scene: Scene, as_role: Callable[..., TestClient]) -> None:
    mei = as_role("inspector")
    phone = scene.phone(by=mei)
    user_id = mei.get("/api/auth/me").json()["data"]["user"]["user_id"]
    assert scene.client.delete(f"/api/users/{user_id}/sessions").status_code == 200
    assert assert_refused(phone.begin(), 410, "phone_code_ended")["ended"] == "logged_out"


def test_a_code_ends_with_the_right(scene: Scene, as_role: Callable[..., TestClient]) -> None:
    mei = as_role("inspector", username="mei")
    phone = scene.phone(by=mei)
    user_id = mei.get("/api/auth/me").json()["data"]["user"]["user_id"]
    change = {"roles": ["viewer"]}
    assert scene.client.put(f"/api/users/{user_id}", json=change).status_code == 200
    assert assert_refused(phone.part(0, PHOTO), 410, "phone_code_ended")["ended"] == "no_right"
    back = {"roles": ["inspector"]}
    assert scene.client.put(f"/api/users/{user_id}", json=back).status_code == 200
    assert assert_refused(phone.view(), 410, "phone_code_ended")["ended"] == "no_right"


def test_guesses_are_slowed_down_by_address(scene: Scene) -> None:
    token = scene.code()["token"]
    guesser, neighbour = Phone(scene.client), Phone(scene.client, "192.168.7.21")
    for number in range(10):
        assert_refused(guesser.claim(f"guess-{number:016}"), 404, "phone_code_unknown")
    answer = guesser.claim(token)
    assert_refused(answer, 429, "too_many_requests")
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert neighbour.claim(token).status_code == 200


def test_a_person_has_so_many_codes(scene: Scene) -> None:
    for _ in range(MAX_CODES):
        scene.code()
    answer = scene.client.post("/api/phone/codes", json={"inspection_id": scene.record_id})
    assert_refused(answer, 409, "conflict")


def test_only_this_machine_opens_the_network(scene: Scene) -> None:
    body = {"inspection_id": scene.record_id, "open_network": True}
    elsewhere = Phone(scene.client).client
    elsewhere.headers["Authorization"] = scene.client.headers["Authorization"]
    assert_refused(elsewhere.post("/api/phone/codes", json=body), 403, "permission_missing")
    # This application is served by nobody who could listen: the code is made, and reached by no phone.
    answer = scene.client.post("/api/phone/codes", json=body).json()["data"]
    assert (answer["addresses"], answer["can_open_network"]) == ([], False)


def test_tokens_and_keys_are_in_no_log_answer_or_database(
    scene: Scene, database: Database, caplog: pytest.LogCaptureFixture, app: FastAPI, settings: Settings
) -> None:
    with caplog.at_level(logging.DEBUG):
        code = scene.code()
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


def test_a_rate_allows_so_many_and_then_the_next_in_time() -> None:
    at = 100.0
    rate = RateLimiter(2, 60, clock=lambda: at)
    rate.count("a")
    at = 110.0
    assert rate.seconds_to_wait("a") == 0
    rate.count("a")
    assert (rate.seconds_to_wait("a"), rate.seconds_to_wait("b")) == (51, 0)
    at = 161.0
    assert rate.seconds_to_wait("a") == 0


def test_the_end_moves_on_but_not_beyond_the_longest() -> None:
    import datetime as dt

    start = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
    soon = start + dt.timedelta(seconds=60)
    assert expiry_after_photo(start, initial_expiry(start), soon) == initial_expiry(soon)
    late = start + dt.timedelta(seconds=MAX_CODE_SECONDS - 1)
    assert expiry_after_photo(start, initial_expiry(start), late) == start + dt.timedelta(
        seconds=MAX_CODE_SECONDS
    )
