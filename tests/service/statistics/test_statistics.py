"""Tests that charts follow every change and equal a recount, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, select
from starlette.testclient import TestClient

from service.command_line import main
from service.db.database import Database
from service.settings import Settings
from service.statistics.service import MAX_SERIES, StatisticsService
from service.statistics.tables import ITEM, RECORD, SUM
from tests.service.answers import read_body, read_data

DAY = "2026-05-14"
NOON = f"{DAY}T12:00:00"

pytestmark = pytest.mark.both_databases


@pytest.fixture
def statistics(client: TestClient, database: Database) -> StatisticsService:
    """A second statistics service on the database of the client, as in another process."""
    return StatisticsService(database)


def read_sums(database: Database) -> dict[tuple[Any, ...], int]:
    read_rows = database.read_now(lambda session: session.execute(select(SUM)).all())
    return {tuple(row[:-1]): row.amount for row in read_rows if row.amount}


def read_rows(database: Database, table: Table) -> list[Any]:
    return list(database.read_now(lambda session: session.execute(select(table)).all()))


def read_chart(client: TestClient, name: str, **query: str) -> dict[str, int]:
    answer = read_data(client.get(f"/api/statistics/{name}", params=query))
    return {series["name"]: sum(series["amounts"]) for series in answer["series"]}


PAGE = {"current_page": 1, "page_size": 10}


def create_record(client: TestClient, **values: Any) -> str:
    body = {"task_id": "t", "executor_id": "e", "start_time": NOON, **values}
    record_id: str = read_data(client.post("/api/inspection/create", json=body))["inspection_id"]
    return record_id


def create_item(client: TestClient, inspection_id: str, *labels: str, name: str = "Nose") -> str:
    body = {"item_name": name, "inspection_id": inspection_id}
    item_id: str = read_body(client.post("/api/inspection_item/create", json=body))["item_id"]
    add_findings(client, item_id, *labels)
    return item_id


def add_findings(client: TestClient, item_id: str, *labels: str) -> None:
    points = {"x1": 1, "y1": 1, "x2": 5, "y2": 5}
    boxes = [{"label": label, "confidence": 0.5, "points": points, "origin": "person"} for label in labels]
    entry = {"isPassed": not boxes, "progress": "done", "version": 1}
    path = f"/api/inspection_item/{item_id}"
    read_body(client.put(path, json={"result": [entry]}))
    # Findings that a client enters are not counted: a person confirms them.
    read_data(client.post(f"{path}/boxes", json={"of_version": 1, "boxes": boxes}))


def test_sums_equal_a_recount_after_every_change(
    client: TestClient, database: Database, statistics: StatisticsService
) -> None:
    def create_entry(kind: str, **values: str) -> dict[str, Any]:
        return read_data(client.post(f"/api/catalogue/{kind}", json=values))

    plane, other_plane = (
        create_entry("aircraft", aircraft_name=name)["aircraft_id"] for name in ("B-1", "B-2")
    )
    flight = create_entry("flights", flight_number="1", aircraft_id=plane)
    task = create_entry("tasks", task_name="A", flight_id=flight["flight_id"])
    first = create_record(client, task_id=task["task_id"])
    second = create_record(client, executor_id=None, start_time=None)
    nose, wing = create_item(client, first, "dent", "crack"), create_item(client, first, "dent", name="Wing")
    tail = create_item(client, second, "leak", name="Tail")

    def same() -> None:
        before = read_sums(database)
        statistics.rebuild()
        assert read_sums(database) == before

    same()
    assert read_chart(client, "findings/label") == {"dent": 2, "crack": 1, "leak": 1}
    assert read_chart(client, "findings/aircraft") == {plane: 3, "": 1}
    assert read_chart(client, "findings/region") == {"Nose": 2, "Wing": 1, "Tail": 1}
    assert read_chart(client, "findings/label", executor_id="e") == {"dent": 2, "crack": 1}
    assert read_chart(client, "findings/label", aircraft_id=plane, day_to=DAY) == {"dent": 2, "crack": 1}
    assert read_chart(client, "findings/label", aircraft_id=other_plane) == {}

    points = {"x1": 9, "y1": 9, "x2": 12, "y2": 12}
    box = {"label": "dent", "confidence": 1, "points": points, "origin": "person"}
    correction = {"of_version": 1, "boxes": [box]}
    read_data(client.post(f"/api/inspection_item/{nose}/boxes", json=correction))
    read_data(client.post(f"/api/inspection_item/{wing}/verdict", json={"verdict": "passed"}))
    read_body(client.put(f"/api/inspection_item/{wing}", json={"item_name": "Flap"}))
    same()
    assert read_chart(client, "findings/label") == {"dent": 2, "leak": 1}
    assert read_chart(client, "findings/region") == {"Nose": 1, "Flap": 1, "Tail": 1}

    body = {"flight_number": "1", "aircraft_id": other_plane}
    etag = client.get(f"/api/catalogue/flights/{flight['flight_id']}").headers["etag"]
    read_data(
        client.put(f"/api/catalogue/flights/{flight['flight_id']}", json=body, headers={"If-Match": etag})
    )
    same()
    assert read_chart(client, "findings/aircraft") == {other_plane: 2, "": 1}

    path = f"/api/inspection/updateInspection/{first}"
    read_data(client.put(path, json={"executor_id": "f", "end_time": f"{DAY}T12:30:00"}))
    read_data(
        client.put(f"/api/inspection/updateInspection/{second}", json={"inspection_status": "cancelled"})
    )
    same()
    assert read_chart(client, "records") == {"in_progress": 1, "cancelled": 1}
    assert read_chart(client, "records", executor_id="f") == {"in_progress": 1}
    took = read_data(client.get("/api/statistics/durations"))
    assert (sum(took["records"]), sum(took["seconds"])) == (1, 1800)

    client.delete(f"/api/inspection_item/{tail}").raise_for_status()
    same()
    assert read_chart(client, "findings/label") == {"dent": 2}
    read_body(client.post(f"/api/inspection_item/{tail}/restore"))
    same()
    assert read_chart(client, "findings/label") == {"dent": 2, "leak": 1}
    client.delete(f"/api/inspection/deleteInspection/{first}").raise_for_status()
    same()
    assert read_chart(client, "findings/label") == {"leak": 1}
    client.delete(f"/api/inspection/deleteInspection/{second}").raise_for_status()
    assert list(read_sums(database)) == [("complete", 0, "", "", 0, "")]
    for table in (ITEM, RECORD):
        assert read_rows(database, table) == []


def test_search_finds_the_records_of_a_chart_value(client: TestClient) -> None:
    dented = create_record(client, end_time=f"{DAY}T13:00:00")
    create_item(client, dented, "dent")
    cracked = create_record(client, start_time="2026-05-15T12:00:00")
    create_item(client, cracked, "crack", name="Tail")
    plain = create_record(client)

    def behind(**query: Any) -> set[str]:
        page_of_records = read_data(client.get("/api/inspection/search", params=PAGE | query))
        return {create_record["inspection_id"] for create_record in page_of_records["data"]}

    assert behind(finding_label="dent") == {dented}
    assert behind(finding_region="Tail", with_findings=True) == {cracked}
    assert behind(day_from=DAY, day_to=DAY) == {dented, plain}
    assert behind(day_from="2026-05-15", with_findings=True) == {cracked}
    assert behind(timed=True) == {dented}
    assert behind(without_aircraft=True, with_findings=True) == {dented, cracked}
    assert behind(without_aircraft=False, timed=False, with_findings=False) == {dented, cracked, plain}
    assert behind(model_rejected="skin@1") == set()


def test_rare_name_is_counted_as_other(client: TestClient) -> None:
    create_item(
        client, create_record(client), *(f"label {number}" for number in range(MAX_SERIES)), *["dent"] * 2
    )
    answer = read_data(client.get("/api/statistics/findings/label", params={"day_from": DAY, "day_to": DAY}))
    assert len(answer["series"]) == MAX_SERIES
    assert answer["series"][0] == {"name": "dent", "title": None, "amounts": [2]}
    assert answer["others"] == [1]
    assert answer["periods"] == [{"first": DAY, "last": DAY}]


def test_days_weeks_and_months_have_the_same_sums(client: TestClient) -> None:
    for start in ("2024-02-29", "2025-06-01", "2025-06-30", "2026-01-15", DAY):
        create_item(client, create_record(client, start_time=f"{start}T12:00:00"), "dent")

    def chart_from(first: str) -> tuple[int, int]:
        query = {"day_from": first, "day_to": DAY}
        answer = read_data(client.get("/api/statistics/findings/label", params=query))
        return len(answer["periods"]), sum(answer["series"][0]["amounts"])

    assert chart_from("2026-05-01") == (14, 1)
    assert chart_from("2025-06-30") == (46, 3)
    assert chart_from("2024-02-29") == (28, 5)
    assert chart_from("2024-03-01") == (27, 4)


async def test_service_counts_existing_records_at_its_start(
    client: TestClient, database: Database, settings: Settings, statistics: StatisticsService
) -> None:
    create_item(client, create_record(client), "dent")
    before = read_sums(database)

    def forget(session: Any) -> None:
        for table in (SUM, ITEM, RECORD):
            session.execute(delete(table))

    database.write_now(forget)
    answer = client.get("/api/statistics/records")
    assert (answer.status_code, answer.json()["msg"]) == (503, "统计数据正在生成，请稍后重试")
    await statistics.start()
    await statistics.stop()
    assert read_sums(database) == before
    assert read_chart(client, "findings/label") == {"dent": 1}


def test_recount_command_is_audited(
    client: TestClient,
    database: Database,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create_item(client, create_record(client), "dent")
    before = read_sums(database)
    database.write_now(lambda session: session.execute(delete(SUM)))
    # The command stores its options in the environment for child processes.
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("WALKAROUND_DATABASE_URL", str(settings.database_url))
    assert main(["statistics", "rebuild"]) == 0
    assert "counted 1 record\n" in capsys.readouterr().out
    assert read_sums(database) == before
    log = read_data(client.get("/api/audit", params={"kind": "statistics"}))["data"]
    assert [(entry["action"], entry["details"]) for entry in log] == [("rebuild", {"records": 1})]


def test_command_prints_missing_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path / "none"))
    assert main(["statistics", "rebuild"]) == 1
    assert "there is no database" in capsys.readouterr().out


def test_invalid_day_is_refused(client: TestClient, as_role: Callable[..., TestClient]) -> None:
    for day in ("today", "0", "1789000000", "2026-1-1", "２０２６-01-01", "2026-13-01"):
        assert client.get("/api/statistics/records", params={"day_from": day}).status_code == 422, day
        assert client.get("/api/inspection/search", params={"day_to": day, **PAGE}).status_code == 422, day
    assert client.get("/api/statistics/findings/colour").status_code == 422
    assert as_role("viewer").get("/api/statistics/records").status_code == 200
