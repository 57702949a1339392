"""Provides the inspection domain on a real database, with simple tables instead of the other domains."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from fastapi import APIRouter, FastAPI
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, update
from sqlmodel import Session
from starlette.testclient import TestClient

from service.changes import ObjectChange
from service.db.database import Database
from service.inspection.ports import LoggedSeal, MatchRegion
from service.inspection.queries import result_values
from service.inspection.records.records import locked_record, recompute
from service.inspection.routes import router
from service.inspection.service import InspectionService, JoinSources, Ports
from service.inspection.tables import ITEM
from service.routing import add_routes
from service.web.envelope import install_handlers
from service.web.security import Caller
from shared import results
from shared.codes import ROLE_PERMISSIONS, Role, Verdict
from shared.entries import Entry
from shared.names import user_label
from shared.wire.catalogue import ReferenceImage
from shared.wire.files import StoredFile
from shared.wire.photos import PhotoMatch
from shared.wire.seal import NameChange
from tests.one_loop import second_client

_METADATA = MetaData()


def _source(name: str, *columns: str) -> Table:
    return Table(
        f"stage_{name}",
        _METADATA,
        Column("id", String(255), primary_key=True),
        *(Column(column, String(255)) for column in columns),
    )


CHANGES = Table("stage_changes", _METADATA, Column("number", Integer))

SOURCES = JoinSources(
    executors=_source("executors", "name", "name_with_username"),
    tasks=_source("tasks", "flight_id", "aircraft_id"),
    flights=_source("flights", "aircraft_id"),
    aircraft=_source("aircraft", "name"),
    reference_images=_source("reference_images", "name"),
    models=_source("models", "name", "description"),
    counted_records=_source("counted_records", "day", "aircraft_id", "seconds"),
    counted_items=_source("counted_items", "record_id", "measure", "name"),
    changes=CHANGES,
)

SHIFT = [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0], [0.0, 0.0, 1.0]]
"""Reference px to photo px: 10 to the right, 20 down."""


def stored_file(file_id: str, mime_type: str = "image/jpeg") -> StoredFile:
    return StoredFile(
        file_id=file_id,
        sha256=hashlib.sha256(file_id.encode()).hexdigest(),
        ipfs_cid=f"cid-{file_id}",
        filename=f"{file_id}.jpg",
        mime_type=mime_type,
        size=1234,
        width=640,
        height=480,
        download_url=f"/api/files/{file_id}/content",
        created_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
    )


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
    waiting: dict[str, list[str]]
    matcher: Matcher
    name_changes: list[NameChange]
    changes: list[ObjectChange] = field(default_factory=list)

    def as_role(self, role: str) -> TestClient:
        return second_client(self.client, headers={"Authorization": f"Bearer {role}"})

    def put(self, source: str, **row: str | None) -> None:
        table = getattr(SOURCES, source)
        if source == "executors":
            row = {"name_with_username": user_label(row["name"], str(row["id"])), **row}
        self.database.write_now(lambda session: session.execute(insert(table).values(row)))

    def record(self, **body: Any) -> dict[str, Any]:
        answer = self.client.post("/api/inspection/create", json={"task_id": "t", **body})
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    def item(self, inspection_id: str, **body: Any) -> dict[str, Any]:
        """Create an item. Result entries of the service are stored as if the service had written them."""
        entries = body.get("result") or []
        if any(map(results.is_service_entry, entries)):
            del body["result"]
        values = {"item_name": "前缘", "inspection_id": inspection_id, **body}
        answer = self.client.post("/api/inspection_item/create", json=values)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()
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

    def finish(self, inspection_id: str, **body: Any) -> dict[str, Any]:
        """Pass each undecided item, finish the record and return it."""
        listed: dict[str, str | int] = {"inspection_id": inspection_id, "page_size": 200}
        for item in self.client.get("/api/inspection_item/list", params=listed).json()["data"]["data"]:
            if results.current_verdict(item["result"]) is Verdict.UNDECIDED:
                path = f"/api/inspection_item/{item['item_id']}/verdict"
                assert self.client.post(path, json={"verdict": "passed"}).status_code == 200
        answer = self.client.post(f"/api/inspection/{inspection_id}/finish", json=body)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    def get(self, inspection_id: str) -> dict[str, Any]:
        answer = self.client.get(f"/api/inspection/getInspectionById/{inspection_id}")
        data: dict[str, Any] = answer.json()["data"]
        return data

    def search(self, **query: Any) -> dict[str, Any]:
        params = {"current_page": 1, "page_size": 50, **query}
        answer = self.client.get("/api/inspection/search", params=params)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    def names(self, **query: Any) -> list[str]:
        return [record["inspection_name"] for record in self.search(**query)["data"]]


def logged_seals(log: Sequence[ObjectChange], record: str) -> list[LoggedSeal]:
    of_record = [change for change in log if (change.kind, change.object_id) == ("record", record)]
    seals = ("seal", "release", "reopen")
    return [
        LoggedSeal(change.action, change.actor, change.details)
        for change in of_record
        if change.action in seals
    ]


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


def number_changes(session: Session, changes: Sequence[ObjectChange]) -> None:
    """Raise the number of the last change, as the audit log does."""
    if not all(change.unaudited for change in changes):
        session.execute(update(CHANGES).values(number=CHANGES.c.number + 1))


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
def stage(database: Database, routes: tuple[APIRouter, CurrentService]) -> Iterator[Stage]:
    _METADATA.create_all(database.writer)
    files: dict[str, StoredFile] = {}
    images: dict[str, ReferenceImage] = {}
    waiting: dict[str, list[str]] = {}
    log: list[ObjectChange] = []
    name_changes: list[NameChange] = []
    matcher = Matcher()

    def find_file(_session: Session, info: Mapping[str, Any]) -> StoredFile | None:
        return next((file for file in files.values() if file.ipfs_cid == info.get("ipfs_cid")), None)

    def same_content(_session: Session, file_ids: Collection[str]) -> Mapping[str, Collection[str]]:
        return {
            file_id: {other.file_id for other in files.values() if other.sha256 == files[file_id].sha256}
            for file_id in file_ids
            if file_id in files
        }

    ports = Ports(
        file_info=lambda _session, file_id: files.get(file_id),
        find_file=find_file,
        reference_image=lambda _session, image_id: images.get(image_id),
        waiting_items=lambda _session, record: waiting.get(record, ()),
        usernames=lambda _session, users: {user: user.removeprefix("id-of-") for user in users},
        name_changes=lambda _session, users: [
            change for change in name_changes if f"id-of-{change.username}" in users
        ],
        seal_log=lambda _session, record: logged_seals(log, record),
        stored_hash=lambda sha256: sha256,
        model_hash=lambda sha256: sha256,
        severities=lambda _session, _labels: {},
        match_photo=matcher,
        same_content=same_content,
        reason=lambda code: f"因为 {code}",
    )
    service = InspectionService(database, SOURCES, ports)
    app = FastAPI()
    install_handlers(app)
    app.state.authenticate = _authenticate
    router_of_all, current = routes
    current.now = service
    add_routes(app, router_of_all)
    with TestClient(
        app, raise_server_exceptions=False, headers={"Authorization": "Bearer planner"}
    ) as client:
        stage = Stage(service, database, app, client, files, images, waiting, matcher, name_changes)
        database.write_now(lambda session: session.execute(insert(CHANGES).values(number=0)))
        database.after_commit.append(stage.changes.extend)
        database.before_commit.append(number_changes)
        database.before_commit.append(lambda _session, changes: log.extend(changes))
        yield stage
