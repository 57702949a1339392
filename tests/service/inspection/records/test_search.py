from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, update

from service.inspection.records import search
from service.inspection.records.search import RecordSearch
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


@pytest.mark.parametrize(
    "query", [{}, {"task_id": "t"}, {"task_id": "t", "inspection_status": "not_started"}]
)
def test_deep_pages_equal_those_of_the_loop(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    for number in range(9):
        stage.record(inspection_name=str(number), task_id="t")
    monkeypatch.setattr(search, "MAX_ON_LOOP", 3)
    shown = [
        [
            record["inspection_name"]
            for record in stage.search(current_page=page, page_size=2, **query)["data"]
        ]
        for page in range(1, 7)
    ]
    assert shown == [["8", "7"], ["6", "5"], ["4", "3"], ["2", "1"], ["0"], []]


def count_statements(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """The list that gets an entry for each read on a thread, which here are the counts."""
    fetch = stage.database.fetch
    fetched: list[None] = []

    async def fetch_counted(work: Callable[[Connection], Any]) -> Any:
        fetched.append(None)
        return await fetch(work)

    monkeypatch.setattr(stage.database, "fetch", fetch_counted)
    return fetched


def test_searches_count_once_until_a_record_changes(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        stage.record(task_id="t")
    counted = count_statements(stage, monkeypatch)
    for page in (1, 2, 1):
        assert stage.search(task_id="t", current_page=page, page_size=2)["pagination"]["total"] == 3
    assert len(counted) == 1
    stage.record(task_id="t")
    assert [stage.search(task_id="t")["pagination"]["total"] for _ in range(2)] == [4, 4]
    assert len(counted) == 2


async def test_parallel_searches_count_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        stage.record(task_id="t")
    counted = count_statements(stage, monkeypatch)
    where = RecordSearch(task_id="t")
    results = await asyncio.gather(*(stage.service.search.find(where, 1, 10) for _ in range(8)))
    assert [pagination.total for _, pagination in results] == [3] * 8
    assert len(counted) == 1


def test_change_during_a_count_outdates_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.record(task_id="t")
    fetch = stage.database.fetch

    async def create_after(work: Callable[[Connection], Any]) -> Any:
        result = await fetch(work)
        monkeypatch.setattr(stage.database, "fetch", fetch)
        await asyncio.to_thread(stage.record, task_id="t")
        return result

    async def total() -> int:
        _, standing = await stage.service.search.find(RecordSearch(task_id="t"), 1, 10)
        return standing.total

    async def main() -> list[int]:
        monkeypatch.setattr(stage.database, "fetch", create_after)
        return [await total(), await total()]

    assert asyncio.run(main()) == [1, 2]


def test_oldest_totals_are_forgotten(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MAX_TOTALS", 2)
    stage.record(task_id="t")
    for number in range(5):
        assert stage.search(task_id=str(number))["pagination"]["total"] == 0
    assert len(stage.service.search._totals) <= 2
    assert stage.search(task_id="t")["pagination"]["total"] == 1


def test_filter_that_is_given_twice_is_the_last_one(fleet: Stage) -> None:
    assert fleet.names(task_id=["t1", "t2"]) == ["b"]
