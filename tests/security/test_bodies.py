"""Every column name of the database sent to every body: nothing that the body does not offer is ever set."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import pytest

from service.db.schema import metadata
from tests.films import make_film
from tests.security.application import NEVER_SENT, PopulatedApp, dump
from tests.security.operations import fill_path, parts
from tests.service_app import ADMIN

pytestmark = pytest.mark.slow

CANARY = "forged-7c1f"
_numbers = itertools.count(1)

# Names that bodies and tokens of such services commonly know, beside our own columns.
MORE = (
    "role", "roles", "permissions", "is_admin", "admin", "user_id", "has_face", "amr", "sid",
    "model_name", "executor_name", "status_name", "aircraft_name", "download_url", "added_by_name",
    "__class__", "__dict__", "_sa_instance_state",
)  # fmt: skip
# There is a first admin, the built-in model has no versions of a person's, nothing awaits a release, and the
# item has no region.
CONFLICTS = (
    "POST /api/auth/first-run",
    "POST /api/detection/models/{model_id}/versions",
    "POST /api/inspection/{inspection_id}/release",
    "PUT /api/inspection_item/{item_id}/memory",
)
# Another folder would get a backup.
_REFUSED = ("PUT /api/backups",)
# A phone has no login, and a login is no phone.
_OF_PHONES = ("POST /api/phone/uploads",)
# They ask for a record whose items are decided, and seal it.
_OF_JUDGED = ("/finish", "/reopen", "/release")


def _password(number: int) -> str:
    """The admin's password after the bodies of this number were sent, one after the other."""
    return f"{ADMIN[1]}-{number}" if number else ADMIN[1]


def bodies(populated: PopulatedApp) -> dict[str, tuple[str, dict[str, Any]]]:
    """Operations with a JSON body -> a path and a body that they take."""
    number = next(_numbers)
    login = {"username": f"forger-{number}", "password": "pass-of-the-forger"}
    populated.post("/api/users", **login, roles=["viewer"])
    tokens = [populated.anonymous.post("/api/auth/login", json=login).json()["data"] for _ in range(2)]
    record = populated.create_record()["inspection_id"]
    item = populated.create_item(record)["item_id"]
    judged = populated.create_record()["inspection_id"]
    populated.post(
        f"/api/inspection_item/{populated.create_item(judged)['item_id']}/verdict", verdict="passed"
    )
    entry = {"isPassed": True, "progress": "done", "version": 1, "resultImage": {"boxes": []}}
    populated.admin.put(f"/api/inspection_item/{item}", json={"result": [entry]})
    ids = populated.ids | {
        "user_id": populated.post("/api/users", **login | {"username": f"u-{number}"}, roles=["inspector"])[
            "user_id"
        ]
    }
    with tempfile.TemporaryDirectory() as folder:
        content = make_film(Path(folder) / "a.avi", count=1).read_bytes()
    film = populated.admin.post("/api/files", files={"file": ("a.avi", content)}).json()["data"]
    region = {"item_name": "a", "point": {"x": 0, "y": 0, "w": 1, "h": 1}}
    body_of_path: dict[str, dict[str, Any]] = {
        "POST /api/auth/login": login,
        "POST /api/auth/refresh": {"refresh_token": tokens[0]["refresh_token"]},
        "POST /api/auth/logout": {"refresh_token": tokens[1]["refresh_token"]},
        "POST /api/auth/first-run": {"username": "second", "password": "another-long-one"},
        "POST /api/auth/loginByFaceInfo": {"faceInfo": ""},
        "POST /api/auth/faceChallenge": {"avoid": []},
        "POST /api/auth/loginByFaceChallenge": {
            "challenge_id": "x",
            "frames": [{"at_ms": 0, "picture": "x"}, {"at_ms": 80, "picture": "x"}],
        },
        "POST /api/auth/face/practice": {
            "challenge_id": "x",
            "frames": [{"at_ms": 0, "picture": "x"}, {"at_ms": 80, "picture": "x"}],
        },
        "POST /api/auth/updateInfo": {"department": f"d{number}"},
        "POST /api/auth/updatePassword": {
            "password": _password(number - 1),
            "newPassword": _password(number),
        },
        "POST /api/auth/updateFaceInfo": {"faceInfo": ""},
        "POST /api/auth/face": {"images": ["x"], "consent": True},
        "POST /api/users": {"username": f"made-{number}", "password": "a-long-one-too", "roles": ["viewer"]},
        "PUT /api/users/{user_id}": {"name": f"n{number}"},
        "PUT /api/face/policy": {"login_enabled": True},
        "POST /api/face/devices": {"name": f"gate {number}"},
        "PUT /api/face/devices/{device_id}": {"name": f"gate {number}"},
        "POST /api/face/calibration/strangers": {"images": ["x"]},
        "POST /api/inspection/create": {"task_id": "t"},
        "PUT /api/inspection/updateInspection/{inspection_id}": {"inspection_name": f"r{number}"},
        "POST /api/inspection/{inspection_id}/finish": {"accept_model_opinion": False},
        "POST /api/inspection/{inspection_id}/reopen": {"reason": "again"},
        "POST /api/inspection/{inspection_id}/handovers": {"given_to": ids["user_id"], "note": "go on"},
        "POST /api/inspection/{inspection_id}/comments": {"item_id": item, "text": "look"},
        "PUT /api/inspection/{inspection_id}/comments/{comment_id}": {"text": f"look {number}"},
        "PUT /api/inspection/{inspection_id}/item-order": {"item_ids": [item]},
        "PUT /api/backups": {"folder": "relative"},
        "POST /api/inspection/{inspection_id}/release": {"edition": 1},
        "POST /api/inspection/{inspection_id}/record-photos": {"file_id": populated.ids["file_id"]},
        "PUT /api/inspection/{inspection_id}/record-photos/{photo_id}/items": {"items": [{"item_id": item}]},
        "POST /api/inspection/{inspection_id}/films": {"file_id": film["file_id"]},
        "PUT /api/inspection/policy": {"four_eyes": False},
        "POST /api/inspection_item/create": {"item_name": "a", "inspection_id": record},
        "PUT /api/inspection_item/{item_id}": {"item_name": f"i{number}"},
        "POST /api/inspection_item/{item_id}/verdict": {"verdict": "passed"},
        "POST /api/inspection_item/{item_id}/photos": {"file_id": populated.ids["file_id"]},
        "POST /api/inspection_item/{item_id}/boxes": {"of_version": 1, "boxes": []},
        "PUT /api/inspection_item/{item_id}/memory": {"frozen": False},
        "POST /api/catalogue/aircraft": {"aircraft_name": "a"},
        "PUT /api/catalogue/aircraft/{aircraft_id}": {"aircraft_name": f"a{number}"},
        "POST /api/catalogue/flights": {"flight_number": "f"},
        "PUT /api/catalogue/flights/{flight_id}": {"flight_number": f"f{number}"},
        "POST /api/catalogue/tasks": {"task_name": "t"},
        "PUT /api/catalogue/tasks/{task_id}": {"task_name": f"t{number}"},
        "POST /api/catalogue/reference-images": {
            "reference_image_name": "r",
            "file_id": populated.ids["file_id"],
        },
        "PUT /api/catalogue/reference-images/{reference_image_id}": {
            "reference_image_name": f"r{number}",
            "file_id": populated.ids["file_id"],
        },
        "POST /api/catalogue/reference-images/{reference_image_id}/template": {"template": [region]},
        "PUT /api/detection/labels": {"labels": [{"label": f"l{number}", "severity": None}]},
        "POST /api/detection/batches": {"inspection_ids": []},
        "PUT /api/detection/models/{model_id}": {"model_description": f"m{number}"},
        "POST /api/detection/models/{model_id}/versions": {"settings": {"confidence": 0.5}},
        "POST /api/webhooks": NEVER_SENT,
        "PUT /api/webhooks/{webhook_id}": {"name": f"w{number}"},
        "POST /api/phone/codes": {"inspection_id": record},
        "POST /api/phone/uploads": {"upload_id": f"photo-{number:04}", "name": "a.jpg", "size": 9},
        "POST /api/phone/claim": {
            "token": populated.post("/api/phone/codes", inspection_id=record)["token"],
            "key": "k" * 32,
        },
    }
    photo = populated.post(f"/api/inspection/{record}/record-photos", file_id=populated.ids["file_id"])[
        "photo_id"
    ]
    comment = populated.post(f"/api/inspection/{record}/comments", item_id=item, text="look")["comment_id"]
    ids |= {"inspection_id": record, "item_id": item, "photo_id": photo, "comment_id": comment}
    of_judged = {**ids, "inspection_id": judged}
    return {
        name: (fill_path(parts(name)[1], of_judged if name.endswith(_OF_JUDGED) else ids), body)
        for name, body in body_of_path.items()
    }


def body_fields(populated: PopulatedApp, operation: dict[str, Any]) -> set[str]:
    """The field names that a body has in the API's document."""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    # A body that may be left out is one of two.
    schema = next(iter(schema.get("anyOf", [schema])))
    if "$ref" in schema:
        whole = populated.anonymous.get("/api/openapi.json").json()
        schema = whole["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return set(schema["properties"])


def test_no_column_is_set_by_a_body_that_does_not_offer_it(populated: PopulatedApp) -> None:
    columns = {column.name for table in metadata().tables.values() for column in table.columns} | {*MORE}
    operations = {
        name: operation
        for name, operation in populated.operations().items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    plain, forged = bodies(populated), bodies(populated)
    assert sorted(plain) == sorted(operations)
    for name, operation in operations.items():
        method, _ = parts(name)
        path, body = plain[name]
        expected = populated.admin.request(method, path, json=body)
        status = 409 if name in CONFLICTS else 401 if name in _OF_PHONES else 422 if name in _REFUSED else 200
        assert expected.status_code == status, (name, expected.text)
        beside = dict.fromkeys(columns - body_fields(populated, operation), CANARY)
        assert len(beside) > 40
        path, body = forged[name]
        answer = populated.admin.request(method, path, json={**beside, **body})
        assert answer.status_code == expected.status_code, (name, answer.text)
        assert answer.json().get("code") == expected.json().get("code"), name
        assert CANARY not in answer.text, name
    assert CANARY not in repr(dump(populated.folder))


def test_values_of_the_right_type_are_not_taken_either(populated: PopulatedApp) -> None:
    """A text would not fit into a number or a time: what fits is tried as well, where it would do harm."""
    harmful = {
        "enabled": False, "revision": 99, "version": 99, "progress": 100, "size": 1, "width": 1, "height": 1,
        "created_at": "2001-01-01T00:00:00Z", "updated_at": "2001-01-01T00:00:00Z", "failures": 0,
        "password_at": "2001-01-01T00:00:00Z", "expires_at": "2001-01-01T00:00:00Z", "login_enabled": False,
        "attempt": 9, "seq": 1, "at": "2001-01-01T00:00:00Z", "work_years": 77, "is_passed": True,
    }  # fmt: skip
    for name, (path, body) in bodies(populated).items():
        method, _ = parts(name)
        beside = {
            key: harmful[key] for key in harmful.keys() - body_fields(populated, populated.operations()[name])
        }
        answer = populated.admin.request(method, path, json={**beside, **body})
        assert answer.status_code in (
            {401} if name in _OF_PHONES else {422} if name in _REFUSED else {200, 409}
        ), (name, answer.text)
        assert "2001-01-01" not in answer.text, name
        if answer.status_code == 200 and isinstance(answer.json().get("data"), dict):
            data = answer.json()["data"]
            assert data.get("enabled") is not False, name
            assert data.get("revision") != 99, name
            assert data.get("version") != 99, name
            assert data.get("work_years") != 77, name
            # A batch of nothing is done, and so is a finished record.
            if "progress" in beside and "batch_id" not in data and not name.endswith("/finish"):
                assert data.get("progress") != 100, name
        assert '"99"' not in answer.headers.get("etag", ""), name
    stored = repr(dump(populated.folder))
    assert "2001-01-01" not in stored
    me = populated.admin.get("/api/auth/me").json()["data"]
    assert me["user"]["enabled"] is True
