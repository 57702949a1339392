"""Tests the text of a search, which is searched in several names."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from service.inspection.tables import RECORD
from tests.service.inspection.conftest import Stage


@pytest.fixture
def fleet(stage: Stage) -> Stage:
    stage.put("aircraft", id="B-1001", name="国产一号 Falcon")
    stage.put("aircraft", id="B-1002", name="50%_\\")
    stage.put("flights", id="f1", aircraft_id="B-1001")
    stage.put("tasks", id="t1", flight_id="f1", aircraft_id=None)
    stage.put("tasks", id="t2", flight_id="f1", aircraft_id="B-1002")
    stage.put("tasks", id="t3", flight_id=None, aircraft_id=None)
    stage.put("executors", id="u1", name="Li Wei")
    stage.put("executors", id="u2", name="王芳")
    stage.record(inspection_name="左翼 falcon 早班", task_id="t3", executor_id="u2")
    stage.record(inspection_name="b", task_id="t1", executor_id="u1")
    stage.record(inspection_name="c", task_id="t2", executor_id="u2", inspection_status="failed")
    stage.record(inspection_name=None, task_id="elsewhere", executor_id="nobody")
    stage.record(inspection_name="Wei's e", task_id="elsewhere")
    return stage


SEARCHES: list[tuple[dict[str, Any], list[str | None]]] = [
    ({"q": "falcon"}, ["b", "左翼 falcon 早班"]),
    ({"q": "FALCON"}, ["b", "左翼 falcon 早班"]),
    ({"q": "wei"}, ["Wei's e", "b"]),
    ({"q": "王"}, ["c", "左翼 falcon 早班"]),
    ({"q": "  王 "}, ["c", "左翼 falcon 早班"]),
    ({"q": "国产"}, ["b"]),
    ({"q": "%"}, ["c"]),
    ({"q": "_"}, ["c"]),
    ({"q": "\\"}, ["c"]),
    ({"q": "'"}, ["Wei's e"]),
    ({"q": "b' OR '1'='1"}, []),
    ({"q": "nobody"}, []),
    ({"q": ""}, ["Wei's e", None, "c", "b", "左翼 falcon 早班"]),
    ({"q": "   "}, ["Wei's e", None, "c", "b", "左翼 falcon 早班"]),
    ({"q": "王", "inspection_status": "failed"}, ["c"]),
    ({"q": "falcon", "executor_name": "li"}, ["b"]),
    ({"q": "falcon", "aircraft_id": "B-1001", "task_id": "t1"}, ["b"]),
    ({"q": "falcon", "aircraft_id": "B-1002"}, []),
]


def test_text_is_searched_in_every_name_and_combines_with_the_filters(fleet: Stage) -> None:
    for query, names in SEARCHES:
        assert fleet.names(**query) == names, query
        assert fleet.search(**query)["pagination"]["total"] == len(names), query


def test_pages_of_a_text_contain_every_record_once(fleet: Stage) -> None:
    for number in range(7):
        fleet.record(inspection_name=f"Falcon {number}")
    pages = [fleet.search(q="falcon", page_size=2, current_page=page) for page in range(1, 6)]
    assert {page["pagination"]["total"] for page in pages} == {9}
    names = [record["inspection_name"] for page in pages for record in page["data"]]
    assert names == [*(f"Falcon {number}" for number in range(6, -1, -1)), "b", "左翼 falcon 早班"]


def test_the_total_of_a_text_follows_every_write(fleet: Stage) -> None:
    assert [fleet.search(q="falcon")["pagination"]["total"] for _ in range(2)] == [2, 2]
    fleet.put("tasks", id="elsewhere", flight_id="f1", aircraft_id=None)
    assert fleet.search(q="falcon")["pagination"]["total"] == 4
    fleet.database.write_now(lambda session: session.execute(update(RECORD).values(inspection_name="falcon")))
    assert fleet.search(q="falcon")["pagination"]["total"] == 5


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("text", ["a\x00b", "x" * 256])
def test_invalid_text_is_422(stage: Stage, text: str) -> None:
    query: dict[str, str | int] = {"current_page": 1, "page_size": 10, "q": text}
    answer = stage.client.get("/api/inspection/search", params=query)
    assert answer.status_code == 422, answer.text
    assert answer.json()["data"]["fields"][0]["field"] == "q"
