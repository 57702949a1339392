"""Provides the inspection domain on a real database, with rows of the other domains."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

import pytest
from fastapi import APIRouter, FastAPI
from sqlalchemy import Table, update
from sqlmodel import Session
from starlette.testclient import TestClient

from service.account.tables import User, UserRole
from service.audit.service import AuditService
from service.catalogue.tables import AircraftRow, FlightRow, ReferenceImageRow, TaskRow
from service.changes import ObjectChange
from service.db.database import Database, now
from service.db.upsert import insert_or_ignore, insert_or_update
from service.detection.tables import BatchRow, ChunkRow, ModelRow
from service.files.tables import FileRow
from service.inspection.records.matches import MatchRegion
from service.inspection.records.records import locked_record, recompute
from service.inspection.routes import router
from service.inspection.rules import result_values
from service.inspection.service import InspectionService
from service.inspection.tables import ITEM
from service.settings import Settings
from service.web.envelope import install_handlers
from service.web.routing import add_routes
from service.web.security import Caller
from shared.record import results
from shared.record.codes import ROLE_PERMISSIONS, Role, Verdict
from shared.record.content import cid
from shared.record.entries import Entry
from shared.wire.catalogue import ReferenceImage
from shared.wire.files import StoredFile
from shared.wire.photos import PhotoMatch
from tests.one_loop import second_client
from tests.service.answers import read_body, read_data

_ROWS: dict[str, tuple[Table, str, str | None, dict[str, Any]]] = {
    "executors": (User.__table__, "id", "name", {"password_hash": ""}),
    "tasks": (TaskRow.__table__, "task_id", None, {"task_name": "任务"}),
    "flights": (FlightRow.__table__, "flight_id", None, {"flight_number": "CA1"}),
    "aircraft": (AircraftRow.__table__, "aircraft_id", "aircraft_name", {}),
    "reference_images": (
        *(ReferenceImageRow.__table__, "reference_image_id", "reference_image_name"),
        {"file_id": "", "template": []},
    ),
    "models": (
        *(ModelRow.__table__, "model_id", "name"),
        {"kind": "yolo", "version": 1, "labels": [], "settings": {}, "enabled": True},
    ),
}
"""The table of each kind of row, its columns of the ID and of the name, and what else it needs."""

SHIFT = [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0], [0.0, 0.0, 1.0]]
"""Reference px to photo px: 10 to the right, 20 down."""


def stored_file(file_id: str, mime_type: str = "image/jpeg") -> StoredFile:
    return StoredFile(
        file_id=file_id,
        sha256=hashlib.sha256(file_id.encode()).hexdigest(),
        ipfs_cid=cid(hashlib.sha256(file_id.encode()).hexdigest()),
        filename=f"{file_id}.jpg",
        mime_type=mime_type,
        size=1234,
        width=640,
        height=480,
        download_url=f"/api/files/{file_id}/content",
        created_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
    )


def item_path(item: dict[str, Any], what: str = "") -> str:
    return f"/api/inspection_item/{item['item_id']}{what}"


async def opens_as_film(file: StoredFile) -> bool:
    """Replaces the check of films."""
    return file.mime_type.startswith("video/")


@dataclass
class Matcher:
    """Replaces the matching: has its answer, its requests, and a gate that it waits for."""

    matches: list[PhotoMatch] = field(default_factory=list)
    error: str | None = None
    requests: list[tuple[str, list[MatchRegion]]] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def __call__(
        self, file_id: str, regions: Sequence[MatchRegion]
    ) -> tuple[str | None, list[PhotoMatch]]:
        self.requests.append((file_id, list(regions)))
        if self.gate is not None:
            await self.gate.wait()
        return self.error, self.matches


class StoredFiles(dict[str, StoredFile]):
    """Files by their IDs; setting one stores its row."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database

    def __setitem__(self, file_id: str, file: StoredFile) -> None:
        columns = set(FileRow.__table__.c.keys())
        values = {name: value for name, value in file.model_dump().items() if name in columns}
        values |= {"file_id": file_id, "created_at": file.created_at.replace(tzinfo=None)}
        values["camera"] = None if file.camera is None else file.camera.model_dump_json(exclude_none=True)
        self._database.write_now(
            lambda session: insert_or_update(session, FileRow.__table__, [values], ["file_id"])
        )
        super().__setitem__(file_id, file)

    def __ior__(self, files: Mapping[str, StoredFile]) -> Self:  # type: ignore[override,misc]
        for file_id, file in files.items():
            self[file_id] = file
        return self


class StoredImages(dict[str, ReferenceImage]):
    """Reference images by their IDs; setting one stores its row."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database

    def __setitem__(self, image_id: str, image: ReferenceImage) -> None:
        columns = set(ReferenceImageRow.__table__.c.keys())
        values = {name: value for name, value in image.model_dump(mode="json").items() if name in columns}
        times = {name: getattr(image, name).replace(tzinfo=None) for name in ("created_at", "updated_at")}
        values |= {"reference_image_id": image_id, "version": 1, **times}
        self._database.write_now(
            lambda session: insert_or_update(
                session, ReferenceImageRow.__table__, [values], ["reference_image_id"]
            )
        )
        super().__setitem__(image_id, image)


@dataclass(repr=False)
class Stage:
    """The running domain.

    `client` is a planner's, `as_role` returns others; `changes` were announced.

    It has no repr with its fields, because hypothesis prints the values of a failing example.
    """

    service: InspectionService
    database: Database
    app: FastAPI
    client: TestClient
    files: dict[str, StoredFile]
    images: dict[str, ReferenceImage]
    matcher: Matcher
    changes: list[ObjectChange] = field(default_factory=list)

    def as_role(self, role: str) -> TestClient:
        return second_client(self.client, headers={"Authorization": f"Bearer {role}"})

    def put(self, kind: str, **row: str | None) -> None:
        """Store a row of another domain; `id` and `name` are the columns of its ID and its name.

        An executor has the role `role`, by default `inspector`.
        """
        table, id_column, name_column, values = _ROWS[kind]
        values = {"version": 1, "created_at": now(), "updated_at": now(), **values}
        if kind == "executors":
            username = row.pop("username", row["id"])
            values |= {"username": username, "username_key": username, "enabled": True}
            roles = [{"user_id": row["id"], "role": row.pop("role", "inspector")}]
        values |= {
            {"id": id_column, "name": name_column or "name"}.get(name, name): row[name] for name in row
        }
        values = {name: value for name, value in values.items() if name in table.c}
        self.database.write_now(lambda session: insert_or_update(session, table, [values], [id_column]))
        if kind == "executors":
            keys = ["user_id", "role"]
            self.database.write_now(
                lambda session: insert_or_ignore(session, UserRole.__table__, roles, keys)
            )

    def let_wait(self, inspection_id: str, item_ids: list[str]) -> None:
        """Store a batch that has not created the jobs of these items yet."""

        def work(session: Session) -> None:
            batch = BatchRow()
            session.add(batch)
            session.flush()
            session.add(
                ChunkRow(
                    batch_id=batch.batch_id,
                    number=0,
                    inspection_id=inspection_id,
                    item_ids=item_ids,
                    size=len(item_ids),
                )
            )

        self.database.write_now(work)

    def record(self, **body: Any) -> dict[str, Any]:
        return read_data(self.client.post("/api/inspection/create", json={"task_id": "t", **body}))

    def item(self, inspection_id: str, **body: Any) -> dict[str, Any]:
        """Create an item. Result entries of the service are stored as if the service had written them."""
        entries = body.get("result") or []
        if any(map(results.is_service_entry, entries)):
            del body["result"]
        values = {"item_name": "前缘", "inspection_id": inspection_id, **body}
        data = read_body(self.client.post("/api/inspection_item/create", json=values))
        if entries and "result" not in body:
            self.write_entries(data, entries)
            data = self.client.get(f"/api/inspection_item/{data['item_id']}").json()
        return data

    def write_entries(self, item: dict[str, Any], entries: Sequence[Entry]) -> None:
        """Write entries into an item as the service does, without a new revision."""

        def work(session: Session) -> None:
            record = locked_record(session, item["inspection_id"])
            assert record is not None
            statement = update(ITEM).where(ITEM.c.item_id == item["item_id"])
            session.execute(statement.values(**result_values(entries)))
            recompute(session, record, "id-of-planner")

        self.database.write_now(work)

    def items(self, inspection_id: str) -> list[dict[str, Any]]:
        """The items of a record, in their order."""
        query: dict[str, str | int] = {"inspection_id": inspection_id, "page_size": 200}
        page = read_data(self.client.get("/api/inspection_item/list", params=query))
        return list(page["data"])

    def decide(self, item: dict[str, Any], verdict: str, reason: str | None = None) -> dict[str, Any]:
        """Give an item a person's verdict, and return the item."""
        body = {"verdict": verdict, "reason": reason}
        return read_data(self.client.post(item_path(item, "/verdict"), json=body))

    def finish(self, inspection_id: str, **body: Any) -> dict[str, Any]:
        """Pass each undecided item, finish the record and return it."""
        for item in self.items(inspection_id):
            if results.current_verdict(item["result"]) is Verdict.UNDECIDED:
                self.decide(item, "passed")
        return read_data(self.client.post(f"/api/inspection/{inspection_id}/finish", json=body))

    def get(self, inspection_id: str) -> dict[str, Any]:
        return read_data(self.client.get(f"/api/inspection/getInspectionById/{inspection_id}"))

    def search(self, **query: Any) -> dict[str, Any]:
        params = {"current_page": 1, "page_size": 50, **query}
        return read_data(self.client.get("/api/inspection/search", params=params))

    def names(self, **query: Any) -> list[str]:
        return [record["inspection_name"] for record in self.search(**query)["data"]]


async def _authenticate(token: str, address: str) -> Caller:
    return Caller(
        user_id=f"id-of-{token}",
        username=token,
        name=f"姓名 {token}",
        session_id="s",
        permissions=ROLE_PERMISSIONS[Role(token)],
        methods=("pwd",),
        password_at=None,
        address=address,
    )


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class CurrentService:
    """The service of the current test. All tests share its routes, because creating them takes 50 ms."""

    def __init__(self) -> None:
        self.now: InspectionService | None = None

    def __getattr__(self, part: str) -> Any:
        return CurrentPart(self, part)


class CurrentPart:
    """A part of the current service, which is looked up at each use."""

    def __init__(self, current: CurrentService, part: str) -> None:
        self._current, self._part = current, part

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._current.now, self._part), name)


@pytest.fixture(scope="session")
def routes() -> tuple[APIRouter, CurrentService]:
    """The routes of the domain, and the object through which they use the current service."""
    current = CurrentService()
    return router(cast(InspectionService, current)), current


@pytest.fixture
def stage(database: Database, routes: tuple[APIRouter, CurrentService], tmp_path: Path) -> Iterator[Stage]:
    audit = AuditService(database, Settings(data_dir=tmp_path))
    audit.begin()
    database.before_commit.append(audit.before_commit)
    files, images, matcher = StoredFiles(database), StoredImages(database), Matcher()
    service = InspectionService(
        database,
        stored_hash=lambda sha256: sha256,
        model_hash=lambda sha256: sha256,
        match_photo=matcher,
        opens_as_film=opens_as_film,
    )
    app = FastAPI()
    install_handlers(app)
    app.state.authenticate = _authenticate
    router_of_all, current = routes
    current.now = service
    add_routes(app, router_of_all)
    with TestClient(
        app, raise_server_exceptions=False, headers={"Authorization": "Bearer planner"}
    ) as client:
        stage = Stage(service, database, app, client, files, images, matcher)
        database.after_commit.append(stage.changes.extend)
        yield stage
