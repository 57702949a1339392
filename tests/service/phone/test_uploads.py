"""Tests photos from phones: sent in parts, stored once, and added in the name of the code's creator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from service.db.database import Database
from service.phone.tables import PART
from shared.wire.phone import MAX_PART_BYTES, MAX_PHOTO_BYTES
from tests.pictures import encode_picture, gradient_pixels
from tests.service.phone.conftest import ADDRESS, PHOTO, Phone, PhoneSetup
from tests.service.phone.test_codes import assert_refused

pytestmark = pytest.mark.slow


def count_parts(database: Database) -> int:
    return database.read_now(lambda session: len(session.execute(PART.select()).all()))


def test_photo_is_added_in_the_name_of_the_codes_creator(
    scene: PhoneSetup, as_role: Callable[..., TestClient], database: Database
) -> None:
    mei = as_role("inspector", username="mei")
    phone = scene.connect_phone(scene.items[0], by=mei)
    assert phone.send()["state"] == "arrived"
    (photo,) = scene.item_photos(scene.items[0])
    me = mei.get("/api/auth/me").json()["data"]["user"]["user_id"]
    assert (photo["added_by"], photo["by_phone"], photo["file"]["filename"]) == (me, True, "photo.jpg")
    content = scene.client.get(f"/api/files/{photo['file_id']}/content").content
    assert content == PHOTO
    assert count_parts(database) == 0
    entries = scene.client.get("/api/audit").json()["data"]["data"]
    (added,) = [entry for entry in entries if entry["action"] == "add_photo"]
    assert added["actor"] == me
    assert added["details"]["by_phone"] is True
    assert added["address"] == ADDRESS


def test_photo_from_a_file_is_not_marked_as_by_phone(scene: PhoneSetup) -> None:
    files = {"file": ("a.jpg", PHOTO, "image/jpeg")}
    file_id = scene.client.post("/api/files", files=files).json()["data"]["file_id"]
    scene.client.post(f"/api/inspection_item/{scene.items[0]}/photos", json={"file_id": file_id})
    assert scene.item_photos(scene.items[0])[0]["by_phone"] is False


def test_received_parts_are_not_sent_again(scene: PhoneSetup) -> None:
    phone = scene.connect_phone(scene.items[0])
    assert phone.begin().json()["data"]["received"] == 0
    assert phone.part(0, PHOTO[:100]).json()["data"]["received"] == 100
    # If an answer was lost, the phone asks again, or sends the same or other bytes.
    assert phone.begin().json()["data"]["received"] == 100
    assert phone.part(0, PHOTO[:100]).json()["data"]["received"] == 100
    assert phone.part(300, PHOTO[300:]).json()["data"]["received"] == 100
    done = phone.part(100, PHOTO[100:]).json()["data"]
    assert (done["state"], done["received"]) == ("arrived", len(PHOTO))
    assert phone.part(100, PHOTO[100:]).json()["data"]["state"] == "arrived"
    assert phone.begin().json()["data"]["state"] == "arrived"
    assert len(scene.item_photos(scene.items[0])) == 1


def test_upload_continues_with_a_new_code_of_the_record(scene: PhoneSetup) -> None:
    phone = scene.connect_phone(scene.items[0])
    phone.begin()
    phone.part(0, PHOTO[:100])
    scene.client.delete(f"/api/phone/codes/{phone.code_id}")
    assert phone.claim(scene.create_code(scene.items[0])["token"]).status_code == 200
    assert phone.begin().json()["data"]["received"] == 100
    assert phone.part(100, PHOTO[100:]).json()["data"]["state"] == "arrived"


def test_phone_cannot_change_the_photo_of_another(scene: PhoneSetup) -> None:
    phone, other = scene.connect_phone(scene.items[0]), scene.connect_phone(scene.items[0])
    phone.begin()
    assert_refused(other.begin(), 409, "conflict")
    assert_refused(other.part(0, PHOTO), 404, "not_found")
    assert_refused(phone.begin(data=PHOTO + b"x"), 409, "conflict")


def test_photo_of_the_record_is_matched(scene: PhoneSetup) -> None:
    phone = scene.connect_phone()
    assert phone.send()["item_id"] is None
    (photo,) = scene.client.get(f"/api/inspection/{scene.record_id}/record-photos").json()["data"]
    assert photo["by_phone"] is True
    assert photo["items"] == []


def test_phone_can_choose_an_item_of_the_record(scene: PhoneSetup) -> None:
    phone = scene.connect_phone()
    assert phone.send(item_id=scene.items[1])["state"] == "arrived"
    view = phone.view().json()["data"]
    assert [entry["photos"] for entry in view["items"]] == [0, 1]
    assert [entry["state"] for entry in view["uploads"]] == ["arrived"]


def test_detection_starts_on_the_item(scene: PhoneSetup) -> None:
    change = {"model_id": "reference-difference"}
    scene.client.put(f"/api/inspection_item/{scene.items[0]}", json=change).raise_for_status()
    scene.connect_phone(scene.items[0]).send()
    jobs = scene.client.get(f"/api/detection/jobs?inspection_id={scene.record_id}").json()["data"]
    assert [job["item_id"] for job in jobs] == [scene.items[0]]


def test_rotated_photo_is_upright(scene: PhoneSetup) -> None:
    scene.connect_phone(scene.items[0]).send(
        data=encode_picture(gradient_pixels(200, 100), "JPEG", orientation=6)
    )
    file_id = scene.item_photos(scene.items[0])[0]["file_id"]
    stored = scene.client.get(f"/api/files/{file_id}").json()["data"]
    assert (stored["width"], stored["height"]) == (200, 100)


def test_other_files_are_refused_with_a_reason(scene: PhoneSetup, database: Database) -> None:
    phone = scene.connect_phone(scene.items[0])
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(500)
    for number, data in enumerate((b"no picture at all", PHOTO[:600], heic)):
        upload = phone.send(f"photo-{number:04}", data)
        assert upload["state"] == "refused", upload
        assert upload["reason"]
    assert scene.item_photos(scene.items[0]) == []
    assert count_parts(database) == 0
    code = scene.client.get(f"/api/phone/codes/{phone.code_id}").json()["data"]
    assert (code["refused"], code["arrived"], code["sending"]) == (3, 0, 0)


def test_sealed_record_refuses_the_rest_of_a_photo(scene: PhoneSetup) -> None:
    phone = scene.connect_phone(scene.items[0])
    phone.begin()
    phone.part(0, PHOTO[:100])
    scene.seal()
    assert assert_refused(phone.part(100, PHOTO[100:]), 410, "phone_code_ended")["ended"] == "sealed"
    assert scene.item_photos(scene.items[0]) == []


def test_limits_of_parts_and_photos(scene: PhoneSetup) -> None:
    phone = scene.connect_phone(scene.items[0])
    assert_refused(phone.begin(data=b"x" * 10, size=MAX_PHOTO_BYTES + 1), 422, "invalid_input")
    phone.begin()
    assert_refused(phone.part(0, PHOTO + b"more"), 422, "invalid_input")
    assert_refused(phone.part(0, bytes(MAX_PART_BYTES + 1)), 413, "too_large")
    assert phone.begin().json()["data"]["received"] == 0


def test_abandoned_uploads_are_deleted(scene: PhoneSetup, database: Database) -> None:
    phone = scene.connect_phone(scene.items[0])
    for number in range(14):
        phone.begin(f"photo-{number:04}")
        phone.part(0, PHOTO[:50], f"photo-{number:04}")
    assert count_parts(database) == 10
    assert phone.begin("photo-0000").json()["data"]["received"] == 0


def test_page_has_a_strict_content_security_policy(scene: PhoneSetup) -> None:
    phone = Phone(scene.client)
    for path in ("/phone", "/api/phone", "/phone/app.js", "/phone/phone.css"):
        answer = phone.client.get(path)
        assert answer.status_code == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert phone.client.get("/phone/../settings.py").status_code == 404
    assert phone.client.get("/phone/index.html").status_code == 404
    text = phone.client.get("/phone").text
    assert "<script>" not in text
    assert "style=" not in text
    assert "onclick" not in text
