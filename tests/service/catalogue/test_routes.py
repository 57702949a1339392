"""Tests the catalogue over HTTP, on both databases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from service.catalogue.routes import router
from service.catalogue.service import CatalogueService, RecordCounts, find_reference_image
from service.catalogue.tables import ReferenceImageRow
from service.changes import ObjectChange
from service.db.database import Database
from service.db.schema import metadata
from service.files.tables import FileRow
from shared.record.content import cid
from tests.service.domain_app import create_client

KINDS: dict[str, dict[str, Any]] = {
    "aircraft": {"aircraft_name": "B-1234", "registration": "B-1234", "aircraft_type": "A320"},
    "flights": {"flight_number": "CA1501", "departure": "PEK", "scheduled_at": "2026-05-01T08:00:00Z"},
    "tasks": {"task_name": "绕机检查", "description": "航前"},
    "reference-images": {"reference_image_name": "左翼", "file_id": "picture", "mm_per_pixel": 0.5},
}
IDS = {
    "aircraft": "aircraft_id",
    "flights": "flight_id",
    "tasks": "task_id",
    "reference-images": "reference_image_id",
}
NAMES = {kind: next(iter(body)) for kind, body in KINDS.items()}

pytestmark = pytest.mark.both_databases


def stored_file(file_id: str, size: int | None) -> FileRow:
    return FileRow(
        file_id=file_id,
        sha256=hashlib.sha256(file_id.encode()).hexdigest(),
        filename="左翼.jpg",
        mime_type="image/jpeg",
        size=5,
        width=size,
        height=size,
    )


@pytest.fixture
def record_counts() -> dict[str, int]:
    """The number of records that refer to an entry, by its ID."""
    return {}


@pytest.fixture
def service(database: Database, record_counts: dict[str, int]) -> CatalogueService:
    def count(_session: Any, entry_id: str) -> int:
        return record_counts.get(entry_id, 0)

    files = [stored_file("picture", 640), stored_file("text", None)]
    database.write_now(lambda session: session.add_all(files))
    return CatalogueService(database, RecordCounts(count, count))


@pytest.fixture
def client(service: CatalogueService) -> Iterator[TestClient]:
    with create_client(router(service)) as client:
        yield client


def create_entry(client: TestClient, kind: str, **values: Any) -> dict[str, Any]:
    answer = client.post(f"/api/catalogue/{kind}", json={**KINDS[kind], **values})
    assert answer.status_code == 200, answer.text
    assert answer.json()["code"] == 0
    data: dict[str, Any] = answer.json()["data"]
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_entry_can_be_created_changed_and_deleted(client: TestClient, kind: str) -> None:
    entry = create_entry(client, kind)
    assert {**entry, **KINDS[kind]} == entry
    url = f"/api/catalogue/{kind}/{entry[IDS[kind]]}"
    read = client.get(url)
    assert read.json()["data"] == entry
    changed = client.put(url, json={NAMES[kind]: "新名", "file_id": "picture"})
    assert changed.json()["data"][NAMES[kind]] == "新名"
    unchanged = {name: entry[name] for name in KINDS[kind] if name != NAMES[kind]}
    assert {**changed.json()["data"], **unchanged} == changed.json()["data"], "fields that were not sent stay"
    assert changed.headers["etag"] != read.headers["etag"]
    assert client.delete(url).json()["code"] == 0
    for answer in (client.get(url), client.delete(url), client.put(url, json=KINDS[kind])):
        assert answer.status_code == 404
        assert answer.json()["data"]["error"] == "not_found"


@pytest.mark.parametrize("kind", KINDS)
def test_change_of_an_older_version_is_refused(client: TestClient, kind: str) -> None:
    url = f"/api/catalogue/{kind}/{create_entry(client, kind)[IDS[kind]]}"
    old = client.get(url).headers["etag"]
    first = client.put(url, json={**KINDS[kind], NAMES[kind]: "one"}, headers={"If-Match": old})
    assert first.status_code == 200
    second = client.put(url, json={**KINDS[kind], NAMES[kind]: "two"}, headers={"If-Match": old})
    assert second.status_code == 412
    assert second.json()["data"]["error"] == "stale"
    now = client.get(url)
    assert now.json()["data"][NAMES[kind]] == "one"
    assert second.json()["data"]["current"] == now.json()["data"]
    assert second.json()["data"]["etag"] == second.headers["etag"] == now.headers["etag"]
    assert client.delete(url, headers={"If-Match": old}).status_code == 412
    assert client.delete(url, headers={"If-Match": f'"x", {first.headers["etag"]}'}).status_code == 200


def test_version_that_a_restore_lost_never_matches_a_later_one(
    client: TestClient, database: Database
) -> None:
    entry_id = create_entry(client, "aircraft")["aircraft_id"]
    url = f"/api/catalogue/aircraft/{entry_id}"
    table = metadata().tables["aircraft"]
    of_entry = table.c.aircraft_id == entry_id
    backup = database.read_now(lambda session: session.execute(select(table).where(of_entry)).one())
    lost = client.put(url, json={"aircraft_name": "one"}).headers["etag"]
    restore = update(table).where(of_entry).values(**backup._mapping)
    database.write_now(lambda session: session.execute(restore))
    theirs = client.put(url, json={"aircraft_name": "two"})
    late = client.put(url, json={"aircraft_name": "three"}, headers={"If-Match": lost})
    assert (late.status_code, late.headers["etag"]) == (412, theirs.headers["etag"])


def test_update_with_same_values_changes_nothing(client: TestClient) -> None:
    url = f"/api/catalogue/aircraft/{create_entry(client, 'aircraft')['aircraft_id']}"
    before = client.get(url)
    same = client.put(url, json=KINDS["aircraft"])
    assert same.headers["etag"] == before.headers["etag"]
    assert same.json()["data"]["updated_at"] == before.json()["data"]["updated_at"]


@pytest.mark.parametrize("kind", KINDS)
def test_null_clears_a_field_but_not_the_name(client: TestClient, kind: str) -> None:
    cleared = next(name for name in KINDS[kind] if name not in {NAMES[kind], "file_id"})
    entry = create_entry(client, kind)
    url = f"/api/catalogue/{kind}/{entry[IDS[kind]]}"
    body = {**KINDS[kind], cleared: None}
    assert client.put(url, json=body).json()["data"][cleared] is None
    for name in (None, "", "x" * 256, 5, "a\x00b"):
        assert client.put(url, json={**KINDS[kind], NAMES[kind]: name}).status_code == 422
        assert (
            client.post(f"/api/catalogue/{kind}", json={**KINDS[kind], NAMES[kind]: name}).status_code == 422
        )


@pytest.mark.parametrize("kind", KINDS)
def test_fields_of_the_service_cannot_be_set(client: TestClient, kind: str) -> None:
    forged = {IDS[kind]: "mine", "version": 99, "created_at": "2000-01-01T00:00:00Z", "aircraft_name": "B-9"}
    entry = create_entry(
        client, kind, **{name: value for name, value in forged.items() if name not in KINDS[kind]}
    )
    assert entry[IDS[kind]] != "mine"
    assert not entry["created_at"].startswith("2000")
    if kind != "aircraft":
        assert entry["aircraft_name"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_complete_and_newest_first(client: TestClient, kind: str) -> None:
    ids = [create_entry(client, kind, **{NAMES[kind]: f"name {number}"})[IDS[kind]] for number in range(5)]
    listed = []
    for page in (1, 2, 3, 4):
        answer = client.get(f"/api/catalogue/{kind}", params={"current_page": page, "page_size": 2}).json()
        assert answer["data"]["pagination"] == {
            "current_page": page,
            "page_size": 2,
            "total": 5,
            "total_pages": 3,
        }
        listed += [entry[IDS[kind]] for entry in answer["data"]["data"]]
    assert listed == ids[::-1]
    default = client.get(f"/api/catalogue/{kind}").json()["data"]["pagination"]
    assert (default["current_page"], default["page_size"]) == (1, 20)


@pytest.mark.parametrize(
    "query", ["page_size=0", "page_size=201", "current_page=0", "current_page=9223372036854775808", "q=%00"]
)
def test_page_out_of_range_is_422(client: TestClient, query: str) -> None:
    for kind in KINDS:
        assert client.get(f"/api/catalogue/{kind}?{query}").status_code == 422


@pytest.mark.parametrize("kind", KINDS)
def test_search_takes_every_character_literally(client: TestClient, kind: str) -> None:
    names = [
        "Wing 100%",
        "Wing 1000",
        "under_score",
        "underXscore",
        "it's",
        'a"; DROP TABLE aircraft; --',
        "a/b",
    ]
    for name in names:
        create_entry(client, kind, **{NAMES[kind]: name})

    def search(q: str) -> set[str]:
        answer = client.get(f"/api/catalogue/{kind}", params={"q": q})
        assert answer.status_code == 200
        return {entry[NAMES[kind]] for entry in answer.json()["data"]["data"]}

    assert search("wing") == {"Wing 100%", "Wing 1000"}
    assert search("100%") == {"Wing 100%"}
    assert search("r_s") == {"under_score"}
    assert search("'") == {"it's"}
    assert search("/") == {"a/b"}
    assert search("' OR '1'='1") == set()
    assert search('a"; DROP TABLE aircraft; --') == {'a"; DROP TABLE aircraft; --'}
    assert search("") == set(names)


def test_search_finds_entries_by_the_names_of_their_parents(client: TestClient) -> None:
    aircraft = create_entry(client, "aircraft", aircraft_name="B-50_7")["aircraft_id"]
    other = create_entry(client, "aircraft", aircraft_name="B-5007")["aircraft_id"]
    flight = create_entry(client, "flights", flight_number="CA77", aircraft_id=aircraft)["flight_id"]
    create_entry(client, "flights", flight_number="CA78", aircraft_id=other)
    create_entry(client, "tasks", task_name="其他", aircraft_id=other)
    create_entry(client, "tasks", task_name="换机", flight_id=flight, aircraft_id=other)
    create_entry(client, "tasks", task_name="本机", flight_id=flight)
    create_entry(client, "reference-images", reference_image_name="左", aircraft_id=aircraft)
    create_entry(client, "reference-images", reference_image_name="右", aircraft_id=other)

    def search(kind: str, q: str) -> list[str]:
        page = client.get(f"/api/catalogue/{kind}", params={"q": q}).json()["data"]
        assert page["pagination"]["total"] == len(page["data"])
        return [entry[NAMES[kind]] for entry in page["data"]]

    assert search("flights", "b-50_") == ["CA77"]
    assert search("tasks", "ca77") == ["本机", "换机"]
    assert search("tasks", "b-50_") == ["本机"]
    assert search("reference-images", "B-50_7") == ["左"]


def test_names_are_joined_and_a_task_takes_the_aircraft_of_its_flight(client: TestClient) -> None:
    first = create_entry(client, "aircraft", aircraft_name="B-1")
    second = create_entry(client, "aircraft", aircraft_name="B-2")
    flight = create_entry(client, "flights", aircraft_id=first["aircraft_id"])
    assert flight["aircraft_name"] == "B-1"
    by_flight = create_entry(client, "tasks", flight_id=flight["flight_id"])
    by_aircraft = create_entry(
        client, "tasks", flight_id=flight["flight_id"], aircraft_id=second["aircraft_id"]
    )
    assert (by_flight["aircraft_id"], by_flight["aircraft_name"]) == (first["aircraft_id"], "B-1")
    assert (by_flight["flight_number"], by_aircraft["aircraft_name"]) == ("CA1501", "B-2")
    # If the flight gets another aircraft, the task has it too.
    client.put(
        f"/api/catalogue/flights/{flight['flight_id']}",
        json={"flight_number": "CA1501", "aircraft_id": second["aircraft_id"]},
    )
    now = client.get(f"/api/catalogue/tasks/{by_flight['task_id']}").json()["data"]
    assert now["aircraft_name"] == "B-2"

    def tasks(**query: str) -> set[str]:
        return {
            task["task_id"]
            for task in client.get("/api/catalogue/tasks", params=query).json()["data"]["data"]
        }

    assert tasks(aircraft_id=second["aircraft_id"]) == {by_flight["task_id"], by_aircraft["task_id"]}
    assert tasks(aircraft_id=first["aircraft_id"]) == set()
    assert tasks(flight_id=flight["flight_id"]) == {by_flight["task_id"], by_aircraft["task_id"]}
    assert tasks(flight_id="' OR 1=1 --") == set()


def test_reference_to_an_unknown_entry_is_409(client: TestClient) -> None:
    for kind, field in (
        ("flights", "aircraft_id"),
        ("tasks", "flight_id"),
        ("tasks", "aircraft_id"),
        ("reference-images", "aircraft_id"),
        ("reference-images", "file_id"),
    ):
        answer = client.post(f"/api/catalogue/{kind}", json={**KINDS[kind], field: "nothing"})
        assert answer.status_code == 409, (kind, field)
        assert answer.json()["data"]["fields"][0]["field"] == field


def test_reference_image_must_be_an_image(client: TestClient) -> None:
    answer = client.post(
        "/api/catalogue/reference-images", json={"reference_image_name": "x", "file_id": "text"}
    )
    assert answer.status_code == 409
    assert "不是图片" in answer.json()["msg"]
    image = create_entry(client, "reference-images")
    assert (image["width"], image["filename"]) == (640, "左翼.jpg")
    assert image["ipfs_cid"] == cid(hashlib.sha256(b"picture").hexdigest())
    for scale in (0, -1, 1001, "NaN"):
        body = {**KINDS["reference-images"], "mm_per_pixel": scale}
        assert client.post("/api/catalogue/reference-images", json=body).status_code == 422


@pytest.mark.parametrize("kind", ["tasks", "reference-images"])
def test_entry_with_records_cannot_be_deleted(
    client: TestClient, record_counts: dict[str, int], kind: str
) -> None:
    entry_id = create_entry(client, kind)[IDS[kind]]
    record_counts[entry_id] = 2
    refused = client.delete(f"/api/catalogue/{kind}/{entry_id}")
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "conflict")
    assert refused.json()["data"]["references"] == {"record": 2}
    assert refused.json()["msg"] == "仍被2 条检查记录引用，请先修改或删除这些引用"
    record_counts.clear()
    assert client.delete(f"/api/catalogue/{kind}/{entry_id}").status_code == 200


def test_entry_with_references_cannot_be_deleted(client: TestClient) -> None:
    aircraft = create_entry(client, "aircraft")
    flight = create_entry(client, "flights", aircraft_id=aircraft["aircraft_id"])
    task = create_entry(client, "tasks", flight_id=flight["flight_id"], aircraft_id=aircraft["aircraft_id"])
    image = create_entry(client, "reference-images", aircraft_id=aircraft["aircraft_id"])
    refused = client.delete(f"/api/catalogue/aircraft/{aircraft['aircraft_id']}")
    assert refused.status_code == 409
    assert refused.json()["data"]["references"] == {"flight": 1, "task": 1, "reference_image": 1}
    assert "1 个航班" in refused.json()["msg"]
    assert client.delete(f"/api/catalogue/flights/{flight['flight_id']}").status_code == 409
    for kind, entry in (
        ("reference-images", image),
        ("tasks", task),
        ("flights", flight),
        ("aircraft", aircraft),
    ):
        assert client.delete(f"/api/catalogue/{kind}/{entry[IDS[kind]]}").status_code == 200


REGION: dict[str, Any] = {
    "item_name": "铆钉",
    "description": None,
    "model_id": None,
    "point": {"x": 0.1, "y": 0, "w": 0.5, "h": 1},
    "detection": {
        "sensitivity": 0.7,
        "smallest": None,
        "ignored": [{"x": 0, "y": 0, "w": 1, "h": 0.5}],
        "my": 1,
    },
}


def test_template_is_stored_and_replaced(client: TestClient) -> None:
    image = create_entry(client, "reference-images", template=[REGION])
    assert image["template"] == [REGION]
    url = f"/api/catalogue/reference-images/{image['reference_image_id']}"
    etag = client.get(url).headers["etag"]
    other = [
        {**REGION, "item_name": "蒙皮", "detection": None},
        {**REGION, "point": {**REGION["point"], "shape": "rect"}},
    ]
    answer = client.post(f"{url}/template", json={"template": other}, headers={"If-Match": etag})
    assert answer.json()["data"]["template"] == other
    assert (
        client.post(f"{url}/template", json={"template": []}, headers={"If-Match": etag}).status_code == 412
    )
    assert client.put(url, json=KINDS["reference-images"]).json()["data"]["template"] == other
    assert client.post(f"{url}/template", json={"template": []}).json()["data"]["template"] == []
    deep: Any = 0
    for _ in range(100):
        deep = [deep]
    for bad in (
        [{"item_name": "x"}],
        [{**REGION, "point": {**REGION["point"], "deep": deep}}],
        [REGION] * 2001,
    ):
        assert client.post(f"{url}/template", json={"template": bad}).status_code == 422


def test_blank_names_of_an_older_version_can_still_be_read(client: TestClient, database: Database) -> None:
    region = {"item_name": " ", "point": {"x": 0, "y": 0, "w": 1, "h": 1}}
    image_id = create_entry(client, "reference-images")["reference_image_id"]
    older = update(ReferenceImageRow).values(reference_image_name=" ", template=[region])
    database.write_now(lambda session: session.execute(older))
    for path in ("", f"/{image_id}"):
        data = client.get(f"/api/catalogue/reference-images{path}").json()["data"]
        image = data if path else data["data"][0]
        assert (image["reference_image_name"], image["template"][0]["item_name"]) == (" ", " ")


def test_changes_are_announced(client: TestClient, database: Database) -> None:
    announced: list[ObjectChange] = []
    database.after_commit.append(announced.extend)
    flight = create_entry(client, "flights")
    url = f"/api/catalogue/flights/{flight['flight_id']}"
    client.put(url, json={**KINDS["flights"], "scheduled_at": "2026-05-02T08:00:00Z"})
    client.delete(url)
    assert [(change.action, change.kind, change.object_id, change.actor) for change in announced] == [
        (action, "flight", flight["flight_id"], "planner") for action in ("create", "update", "delete")
    ]
    assert announced[1].details == {
        "scheduled_at": ["2026-05-01T08:00:00+00:00", "2026-05-02T08:00:00+00:00"]
    }


def test_other_domains_can_read_a_reference_image(client: TestClient, database: Database) -> None:
    image_id = create_entry(client, "reference-images")["reference_image_id"]
    image = database.read_now(lambda session: find_reference_image(session, image_id))
    assert image is not None
    assert image.file_id == "picture"
    assert database.read_now(lambda session: find_reference_image(session, "elsewhere")) is None
