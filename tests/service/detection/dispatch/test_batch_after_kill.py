"""Tests that a batch is completed although the service is killed in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from service.db.database import Database
from tests.service.detection.dispatch.test_queue import items_to_detect
from tests.service.waiting import wait_until
from tests.service_process import create_first_admin, running_service

MADE = 3
ITEMS = 6

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


@contextmanager
def no_more_jobs(database: Database, most: int) -> Iterator[None]:
    """Fail to create jobs once there are `most`."""

    def run(*statements: str) -> None:
        with database.writer.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))

    count = f"(SELECT count(*) FROM detection_job) >= {most}"
    if database.is_sqlite:
        run(
            f"CREATE TRIGGER no_more BEFORE INSERT ON detection_job WHEN {count}"
            " BEGIN SELECT RAISE(ABORT, 'no more'); END"
        )
    else:
        run(
            f"CREATE FUNCTION no_more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {count}"
            " THEN RAISE EXCEPTION 'no more'; END IF; RETURN NEW; END $$",
            "CREATE TRIGGER no_more BEFORE INSERT ON detection_job FOR EACH ROW EXECUTE FUNCTION no_more()",
        )
    try:
        yield
    finally:
        run("DROP TRIGGER no_more" + ("" if database.is_sqlite else " ON detection_job"))


def counts(database: Database) -> tuple[int, int]:
    """The number of jobs, and the number of those still to be created."""
    query = text(
        "SELECT (SELECT count(*) FROM detection_job), (SELECT coalesce(sum(size), 0) FROM detection_portion)"
    )
    return database.read_now(lambda session: tuple(session.execute(query).one()))


def test_batch_of_a_killed_service_is_created_once_and_completely(
    database: Database, database_url: str, database_kind: str, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    with ExitStack() as others:

        def another() -> str:
            return others.enter_context(running_service(data_dir, database_url=database_url)).url

        with running_service(data_dir, database_url=database_url) as dies:
            headers = {"Authorization": f"Bearer {create_first_admin(dies.url)}"}
            # SQLite belongs to one service: there the next one goes on, else another one that is there.
            address = another() if database_kind == "postgresql" else None
            with httpx.Client(base_url=f"{dies.url}/api", headers=headers, timeout=30) as client:
                items = [items_to_detect(client, 1)[1][0] for _ in range(ITEMS)]
                with no_more_jobs(database, MADE):
                    answer = client.post("/detection/batches", json={"inspection_ids": None}).json()["data"]
                    assert (answer["total"], answer["canceled"]) == (ITEMS, 0)
                    # Two services at once do not see each other's last one.
                    wait_until(lambda: counts(database)[0] >= MADE)
                    place = f"/detection/batches/{answer['batch_id']}"
                    assert client.get(place).json()["data"]["total"] == ITEMS
                    dies.process.kill()
                    dies.process.wait(60)
                    before, unmade = counts(database)
                    assert before < ITEMS
                    assert before + unmade == ITEMS
        address = address or another()
        with httpx.Client(base_url=f"{address}/api", headers=headers, timeout=30) as client:
            wait_until(lambda: client.get(place).json()["data"]["done"] == ITEMS, 60)
            for item in items:
                entries = client.get(f"/inspection_item/{item}").json()["result"]
                assert [entry["progress"] for entry in entries] == ["done"]
        assert counts(database) == (ITEMS, 0)
