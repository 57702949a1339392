from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, delete, event, update

from service.inspection.records import record_pages
from service.inspection.records.records import RecordSearch
from service.inspection.tables import RECORD
from tests.service.inspection.conftest import Stage


@pytest.fixture
def fleet(stage: Stage) -> Stage:
    stage.put("aircraft", id="B-1001", name="国产一号")
    stage.put("aircraft", id="B-1002", name="国产二号")
    stage.put("flights", id="f1", aircraft_id="B-1001")
    stage.put("flights", id="f2", aircraft_id=None)
    stage.put("tasks", id="t1", flight_id="f1", aircraft_id=None)
    stage.put("tasks", id="t2", flight_id="f1", aircraft_id="B-1002")
    stage.put("tasks", id="t3", flight_id="f2", aircraft_id=None)
    stage.put("executors", id="u1", name="Li Wei 100%")
    stage.put("executors", id="u2", name="王_芳")
    stage.put("executors", id="u3", name="王芳\\ÉCOLE")
    stage.put("reference_images", id="r1", name="左翼")
    early = {"start_time": "2025-01-01T00:00:00"}
    stage.record(inspection_name="a", task_id="t1", executor_id="u1", reference_image_id="r1", **early)
    stage.record(inspection_name="b", task_id="t2", executor_id="u2", inspection_status="failed", **early)
    stage.record(inspection_name="c", task_id="t3", executor_id="u3", start_time="2026-03-01T08:00:00")
    stage.record(
        inspection_name="d",
        task_id="elsewhere",
        executor_id="nobody",
        end_time="2026-03-02T08:00:00",
        **early,
    )
    return stage


def test_joined_fields_are_filled_from_the_catalogue(fleet: Stage) -> None:
    joined = ("executor_name", "reference_image_name", "flight_id", "aircraft_id", "aircraft_name")
    rows = {r["inspection_name"]: tuple(r[name] for name in joined) for r in fleet.search()["data"]}
    assert rows == {
        "a": ("Li Wei 100%", "左翼", "f1", "B-1001", "国产一号"),
        "b": ("王_芳", None, "f1", "B-1002", "国产二号"),
        "c": ("王芳\\ÉCOLE", None, "f2", None, None),
        "d": (None, None, None, None, None),
    }


FILTERS: list[tuple[dict[str, str], str]] = [
    ({}, "dcba"),
    ({"task_id": "t1"}, "a"),
    ({"task_id": "elsewhere"}, "d"),
    ({"executor_id": "u2"}, "b"),
    ({"inspection_status": "failed"}, "b"),
    ({"inspection_status": "not_started"}, "dca"),
    ({"record_state": "failed"}, ""),
    ({"record_state": "in_progress"}, "b"),
    ({"record_state": "not_started"}, "dca"),
    ({"record_state": ""}, "dcba"),
    ({"record_state": "in_progress", "inspection_status": "failed"}, "b"),
    ({"reference_image_id": "r1"}, "a"),
    ({"flight_id": "f1"}, "ba"),
    ({"flight_id": "f2"}, "c"),
    ({"aircraft_id": "B-1001"}, "a"),
    ({"aircraft_id": "B-1002"}, "b"),
    ({"executor_name": "wei"}, "a"),
    ({"executor_name": "王"}, "cb"),
    ({"executor_name": "芳\\É"}, "c"),
    ({"executor_name": "%"}, "a"),
    ({"executor_name": "_"}, "b"),
    ({"executor_name": "\\"}, "c"),
    ({"executor_name": "0%"}, "a"),
    ({"executor_name": "王_芳", "task_id": "t2", "flight_id": "f1"}, "b"),
    ({"executor_name": "王", "task_id": "t1"}, ""),
    ({"start_time_from": "2026-03-01T08:00:00"}, "c"),
    ({"start_time_to": "2026-03-01T08:00:00"}, "dcba"),
    ({"start_time_from": "2026-03-01T08:00:00.000001"}, ""),
    ({"start_time_to": "2026-03-01T07:59:59.999999"}, "dba"),
    ({"start_time_from": "2026-03-01T16:00:00+08:00", "start_time_to": "2026-03-01T08:00:00Z"}, "c"),
    ({"end_time_from": "2026-03-02T08:00:00", "end_time_to": "2026-03-02T08:00:00"}, "d"),
    ({"end_time_to": "2026-03-01T08:00:00"}, ""),
    ({"start_time_from": "0001-01-01T00:00:00", "start_time_to": "9999-12-31T23:59:59"}, "dcba"),
]


def test_filters(fleet: Stage) -> None:
    for query, names in FILTERS:
        assert fleet.names(**query) == list(names), query
        assert fleet.search(**query)["pagination"]["total"] == len(names), query


def test_every_pair_of_filters_combines_with_and(fleet: Stage) -> None:
    single: dict[str, Any] = {
        "task_id": "t1",
        "executor_id": "u2",
        "inspection_status": "not_started",
        "record_state": "in_progress",
        "reference_image_id": "r1",
        "flight_id": "f1",
        "aircraft_id": "B-1002",
        "executor_name": "王",
        "start_time_from": "2020-01-01T00:00:00",
        "end_time_from": "2020-01-01T00:00:00",
    }
    alone = {name: set(fleet.names(**{name: value})) for name, value in single.items()}
    for first, second in itertools.combinations(single, 2):
        both = fleet.names(**{first: single[first], second: single[second]})
        assert set(both) == alone[first] & alone[second], (first, second)


def test_pages_contain_every_record_once_newest_first(stage: Stage) -> None:
    names = [str(number) for number in range(11)]
    for name in names:
        stage.record(inspection_name=name, task_id="even" if int(name) % 2 == 0 else "odd")
    for page_size in (1, 3, 4, 7, 200):
        pages = -(-11 // page_size)
        shown = []
        for page in range(1, pages + 1):
            data = stage.search(current_page=page, page_size=page_size)
            assert data["pagination"] == {
                "current_page": page,
                "page_size": page_size,
                "total": 11,
                "total_pages": pages,
            }
            shown += [record["inspection_name"] for record in data["data"]]
        assert shown == names[::-1]
        beyond = stage.search(current_page=pages + 1, page_size=page_size)
        assert beyond["data"] == []
        assert beyond["pagination"]["total"] == 11
    filtered = [
        record["inspection_name"]
        for page in range(1, 8)
        for record in stage.search(current_page=page, page_size=1, task_id="odd")["data"]
    ]
    assert filtered == ["9", "7", "5", "3", "1"]


def test_records_of_the_same_time_are_ordered_by_id(stage: Stage) -> None:
    ids = [stage.record()["inspection_id"] for _ in range(9)]
    moment = stage.database.read_now(
        lambda session: session.execute(RECORD.select().limit(1)).one().created_at
    )
    stage.database.write_now(lambda session: session.execute(update(RECORD).values(created_at=moment)))
    for size in (2, 4, 50):
        pages = -(-9 // size)
        shown = [
            record["inspection_id"]
            for page in range(1, pages + 1)
            for record in stage.search(current_page=page, page_size=size)["data"]
        ]
        assert shown == sorted(ids, reverse=True)


def test_empty_database_has_no_pages(stage: Stage) -> None:
    data = stage.search()
    assert data == {
        "data": [],
        "pagination": {"current_page": 1, "page_size": 50, "total": 0, "total_pages": 0},
    }


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize(
    "query",
    [
        {"current_page": 0},
        {"current_page": -1},
        {"current_page": 2**63},
        {"page_size": 0},
        {"page_size": 201},
        {"page_size": "x"},
        {"current_page": "1.5"},
        {"inspection_status": "x" * 256},
        {"record_state": "unknown"},
        {"task_id": "x" * 256},
        {"task_id": "a\x00b"},
        {"executor_name": "\x00"},
        {"start_time_from": "yesterday"},
        {"end_time_to": "1767225600"},
        {"end_time_to": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_invalid_query_is_422(stage: Stage, query: dict[str, Any]) -> None:
    params = {"current_page": 1, "page_size": 10, **query}
    answer = stage.client.get("/api/inspection/search", params=params)
    assert answer.status_code == 422, answer.text
    assert answer.json()["data"]["fields"][0]["field"] == next(iter(query))


@pytest.mark.parametrize("name", ["task_id", "inspection_status", "executor_name", "q", "start_time_from"])
def test_empty_filter_is_ignored(stage: Stage, name: str) -> None:
    stage.record(inspection_name="only one")
    assert stage.names(**{name: ""}) == ["only one"]


INJECTIONS = [
    "' OR '1'='1",
    "'; DROP TABLE record; --",
    '" OR ""="',
    "%' OR 1=1 --",
    "\\",
    "${1}",
    "\ud7ff\U0001f600",
]


def test_sql_in_a_filter_is_text(fleet: Stage) -> None:
    names = ("task_id", "executor_id", "reference_image_id", "flight_id", "aircraft_id")
    for name, text in itertools.product(names, INJECTIONS):
        assert fleet.names(**{name: text}) == []
    for text in INJECTIONS:
        assert fleet.names(executor_name=text) == (["c"] if text == "\\" else [])
        for path in (f"/api/inspection/getInspectionById/{text}", f"/api/inspection_item/{text}"):
            assert fleet.client.get(path).status_code == 404
    assert fleet.search()["pagination"]["total"] == 4


def test_total_is_exact_after_every_write(stage: Stage) -> None:
    """Totals are cached between searches. They are correct after every write of any connection."""
    stage.put("executors", id="u1", name="甲")
    for number in range(1, 8):
        inspection_id = stage.record(executor_id="u1", task_id="t")["inspection_id"]
        for query in ({}, {"task_id": "t"}, {"executor_name": "甲"}, {"inspection_status": "not_started"}):
            assert [stage.search(**query)["pagination"]["total"] for _ in range(3)] == [number] * 3
    change = {"inspection_status": "failed"}
    stage.client.put(f"/api/inspection/updateInspection/{inspection_id}", json=change)
    assert stage.search(inspection_status="failed")["pagination"]["total"] == 1
    assert stage.search(inspection_status="not_started")["pagination"]["total"] == 6
    stage.client.delete(f"/api/inspection/deleteInspection/{inspection_id}")
    assert stage.search()["pagination"]["total"] == 6
    stage.put("executors", id="u2", name="甲乙")
    stage.database.write_now(lambda session: session.execute(update(RECORD).values(executor_id="u2")))
    assert stage.search(executor_name="乙")["pagination"]["total"] == 6


@pytest.fixture
def mark_after_every_second_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a mark after every second record, also in searches with few records."""
    monkeypatch.setattr(record_pages, "MARK_EVERY", 2)
    monkeypatch.setattr(record_pages, "MAX_ON_LOOP", 3)


@pytest.mark.usefixtures("mark_after_every_second_record")
def test_pages_after_a_mark_equal_pages_by_offset(stage: Stage) -> None:
    """Marks are cached for each filter until the next write."""
    draw = random.Random(1)
    names = [str(number) for number in range(17)]
    ids = {
        name: stage.record(inspection_name=name, task_id="t" if int(name) % 3 else "u")["inspection_id"]
        for name in names
    }
    for _ in range(2):
        for task_id in ("", "t", "u"):
            wanted = [name for name in reversed(names) if task_id in ("", "t" if int(name) % 3 else "u")]
            pages = [(page, size) for size in (1, 2, 3) for page in range(1, -(-len(wanted) // size) + 1)]
            for page, size in draw.sample(pages, len(pages)):
                page_of_records = stage.search(current_page=page, page_size=size, task_id=task_id)["data"]
                shown = [record["inspection_name"] for record in page_of_records]
                assert shown == wanted[(page - 1) * size : page * size], (task_id, page, size)
        deleted = names.pop(draw.randrange(len(names)))
        stage.client.delete(f"/api/inspection/deleteInspection/{ids[deleted]}")


@pytest.mark.parametrize("records", [16, 17])
@pytest.mark.usefixtures("mark_after_every_second_record")
def test_parallel_page_requests_find_the_marks_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    for number in range(records):
        stage.record(inspection_name=str(number))
    fetch = stage.database.fetch
    fetched: list[None] = []

    async def count_fetch(work: Callable[[Connection], Any]) -> Any:
        fetched.append(None)
        return await fetch(work)

    monkeypatch.setattr(stage.database, "fetch", count_fetch)
    wanted = [[str(number), str(number - 1)] for number in range(records - 1, 0, -2)]

    async def main() -> list[list[str]]:
        pages = (stage.service.records.search(RecordSearch(), page, 2) for page in range(4, len(wanted) + 1))
        return [
            [record["inspection_name"] for record in records] for records, _ in await asyncio.gather(*pages)
        ]

    assert asyncio.run(main()) == wanted[3:]
    # The total with the first page, and the marks. Every later page is read on the loop.
    assert len(fetched) == 2
    assert asyncio.run(main()) == wanted[3:]
    assert len(fetched) == 2


@pytest.mark.usefixtures("mark_after_every_second_record")
def test_outdated_marks_are_not_used(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(16):
        stage.record(inspection_name=str(number))
    fetch = stage.database.fetch

    async def names(page: int) -> list[str]:
        records, _ = await stage.service.records.search(RecordSearch(), page, 2)
        return [record["inspection_name"] for record in records]

    async def main() -> list[list[str]]:
        marked = asyncio.Event()

        async def delete_after(work: Callable[[Connection], Any]) -> Any:
            result = await fetch(work)
            if isinstance(result, list):
                # After the marks are found and before they are cached, a record in the middle is deleted.
                await asyncio.to_thread(
                    stage.database.write_now,
                    lambda session: session.execute(delete(RECORD).where(RECORD.c.inspection_name == "8")),
                )
                marked.set()
            return result

        monkeypatch.setattr(stage.database, "fetch", delete_after)
        await names(4)
        await marked.wait()
        monkeypatch.setattr(stage.database, "fetch", fetch)
        return [await names(page) for page in (3, 4, 5, 6)]

    assert asyncio.run(main()) == [["11", "10"], ["9", "7"], ["6", "5"], ["4", "3"]]


def test_small_searches_run_on_the_loop(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        stage.record(inspection_name=str(number))

    async def no_thread(_work: Callable[[Connection], Any]) -> Any:
        raise AssertionError("a thread read a few records")

    monkeypatch.setattr(stage.database, "fetch", no_thread)
    for page in (1, 2, 4):
        shown = stage.search(current_page=page, page_size=2)
        assert [record["inspection_name"] for record in shown["data"]] == [
            str(9 - 2 * page),
            str(8 - 2 * page),
        ]
        assert shown["pagination"]["total"] == 8


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_parallel_searches_count_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pages, "MAX_ON_LOOP", 2)
    for _ in range(3):
        stage.record(task_id="t")
    counted: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "count(" in statement:
            counted.append(statement)

    event.listen(stage.database.reader, "before_cursor_execute", listen)

    async def main() -> None:
        where = RecordSearch(task_id="t")
        results = await asyncio.gather(*(stage.service.records.search(where, 1, 10) for _ in range(8)))
        assert [pagination.total for _, pagination in results] == [3] * 8

    asyncio.run(main())
    assert len(counted) == 1
