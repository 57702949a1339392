"""Tests that only unused files are removed."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, update
from sqlmodel import Session, select

from service.audit.chain import audit_listener
from service.audit.service import AuditService
from service.audit.tables import AuditRow
from service.catalogue.tables import ReferenceImageRow
from service.commands.files import SOURCES, main, referring_tables, referring_texts
from service.db.database import Database, now
from service.db.schema import metadata
from service.detection.tables import ModelRow
from service.files import lookup
from service.files.collecting import CollectionResult, Collector
from service.files.service import FilesService
from service.files.tables import FileRow
from service.inspection.records.records import naive_now
from service.inspection.tables import DELETED, EDITION, FILM, ITEM, PHOTO, RECORD, RECORD_PHOTO
from service.settings import Settings
from service.stores.contents import FILES, file_contents, model_contents
from shared.ids import new_id
from shared.wire.files import StoredFile
from tests.s3_server import S3Server, s3, store_settings

__all__ = ["s3"]

GRACE = dt.timedelta(days=7)
WriteReference = Callable[[Session, StoredFile], None]

pytestmark = pytest.mark.both_databases


class Storage:
    """The stored files of a service, and the collection of those that nothing refers to."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database, self.settings = database, settings
        self.files = FilesService(database, settings)

    def add(self, name: str, data: bytes, days: float = 30) -> StoredFile:
        """Store a file as if it was uploaded this number of days ago."""
        stored = self.database.write_now(self.files.keep(name, data, None))
        at = now() - dt.timedelta(days=days)
        row = FileRow.__table__
        aged = update(row).where(row.c.file_id == stored.file_id).values(created_at=at, uploaded_at=None)
        self.database.write_now(lambda session: session.connection().execute(aged) and None)
        os.utime(self.files.path_of_file(stored), (at.timestamp(), at.timestamp()))
        return stored

    def refer(self, write: WriteReference, file: StoredFile) -> None:
        """Write a row that refers to the file."""
        self.database.write_now(lambda session: write(session, file))

    def collect(self) -> CollectionResult:
        """Remove the unused files that are older than the grace period."""
        contents, models = file_contents(self.settings), model_contents(self.settings)
        tables = referring_tables()
        return Collector(self.database, contents, models, referring_texts, tables, GRACE).remove()

    def exists(self, stored: StoredFile) -> bool:
        try:
            self.files.path(stored.file_id)
        except FileNotFoundError:
            return False
        return True


@pytest.fixture
def storage(database: Database, settings: Settings) -> Iterator[Storage]:
    settings.prepare()
    AuditService(database, settings).begin()
    storage = Storage(database, settings)
    yield storage
    storage.files.close()


def insert_row(session: Session, table: Table, **values: Any) -> None:
    """Insert a row with `values`, and any value in the other columns that need one."""
    for column in table.columns:
        if column.name not in values and not column.nullable and column.server_default is None:
            values[column.name] = _any_value(column)
    session.connection().execute(insert(table).values(values))


def _any_value(column: Any) -> Any:
    if column.name == "inspection_id" and column.foreign_keys:
        return "record"
    if column.name == "item_id" and column.foreign_keys:
        return "item"
    if "time" in str(column.type).lower():
        return now() if column.table.name in {"reference_image", "detection_model"} else naive_now()
    return {"BOOLEAN": False, "INTEGER": 1, "JSON": []}.get(str(column.type), new_id()[:8])


def entry(**named: Any) -> str:
    return json.dumps([{"progress": "done", "version": 1, **named}], ensure_ascii=False)


def file_info(file: StoredFile) -> dict[str, Any]:
    return {"file_id": file.file_id, "download_url": file.download_url}


def content_address(file: StoredFile) -> dict[str, Any]:
    return {"download_url": "https://elsewhere/picture.png", "ipfs_cid": file.ipfs_cid}


def template(file: StoredFile) -> list[dict[str, Any]]:
    return [{"item_name": "左翼", "point": {}, "detection": {"ignored_by_photo": {file.file_id: []}}}]


KINDS: dict[str, WriteReference] = {
    "input image": lambda s, f: insert_row(s, ITEM, result=entry(inputImage={"fileInfo": file_info(f)})),
    "picture of a result": lambda s, f: insert_row(
        s, ITEM, result=entry(resultImage={"resultImage": {"fileInfo": file_info(f)}})
    ),
    "input image by content": lambda s, f: insert_row(
        s, ITEM, result=entry(inputImage={"fileInfo": content_address(f)})
    ),
    "image of an item": lambda s, f: insert_row(
        s, ITEM, result="[]", item_point=json.dumps({"fileInfo": file_info(f)})
    ),
    "photo of an item": lambda s, f: insert_row(s, PHOTO, item_id="item", file_id=f.file_id),
    "reference of a photo": lambda s, f: insert_row(
        s, PHOTO, item_id="item", file_id="gone", reference_file_id=f.file_id
    ),
    "photo of a record": lambda s, f: insert_row(s, RECORD_PHOTO, file_id=f.file_id),
    "film of a record": lambda s, f: insert_row(s, FILM, file_id=f.file_id),
    "match of a photo": lambda s, f: insert_row(s, RECORD_PHOTO, matches=json.dumps([{"file": f.file_id}])),
    "deleted item": lambda s, f: insert_row(
        s, DELETED, content=json.dumps({"item": {}, "photos": [{"file_id": f.file_id}]})
    ),
    "edition by id": lambda s, f: insert_row(
        s, EDITION, content=json.dumps({"items": [{"file_id": f.file_id}]})
    ),
    "edition by hash": lambda s, f: insert_row(
        s, EDITION, content=json.dumps({"files": [{"sha256": f.sha256}]})
    ),
    "reference image": lambda s, f: insert_row(s, ReferenceImageRow.__table__, file_id=f.file_id),
    "template": lambda s, f: insert_row(s, ReferenceImageRow.__table__, template=template(f)),
    "settings of a model": lambda s, f: insert_row(s, ModelRow.__table__, settings={"file": f.file_id}),
}


@pytest.fixture
def record(database: Database) -> None:
    """A record with an item, for rows that belong to one."""

    def write(session: Session) -> None:
        insert_row(session, RECORD, inspection_id="record")
        insert_row(session, ITEM, item_id="item", inspection_id="record", result="[]")

    database.write_now(write)


@pytest.mark.usefixtures("record")
def test_referenced_file_is_kept_for_every_kind_of_reference(storage: Storage) -> None:
    named = {kind: storage.add(f"{kind}.bin", kind.encode()) for kind in KINDS}
    unused = [storage.add(f"{number}.bin", b"unused %d" % number) for number in range(3)]
    fresh = storage.add("fresh.bin", b"fresh", days=1)
    for kind, write in KINDS.items():
        storage.refer(write, named[kind])
    assert storage.collect() == CollectionResult(3, 3, 3 * len(b"unused 0"))
    assert [kind for kind, file in named.items() if not storage.exists(file)] == []
    assert [storage.exists(file) for file in unused] == [False] * 3
    assert storage.exists(fresh)
    assert storage.collect() == CollectionResult(0, 0, 0)


def test_every_text_column_is_classified() -> None:
    named = {column for source in SOURCES for column in source.columns}
    # Other columns of text, by table. None of them refers to a file.
    without = {
        *("user", "user_role", "session", "spent_refresh", "login_failures", "audit_event", "audit_head"),
        *("face_enrolment", "face_template", "face_station", "file", "alembic_version"),
        *("aircraft", "flight", "task", "detection_label", "detection_batch", "detection_portion"),
        *("detection_job", "record", "record_key", "backup_run", "webhook", "webhook_delivery"),
        *("statistic_record", "statistic_item", "statistic_sum", "face_challenge", "face_policy"),
        "face_device",
        # Photos of a memory are photos of items. Their stored data can be computed again.
        *("region_memory", "region_memory_left_out", "region_variation", "region_memory_waiting"),
        # A photo from a phone is a file only when it is complete. Then the record refers to it.
        *("phone_code", "phone_upload", "phone_part"),
    }
    prose = {
        "item": {"item_id", "inspection_id", "item_name", "description", "model_id", "outcome", "verdict"}
        | {"client_key", "client_body", "updated_by"},
        "item_photo": {"photo_id", "item_id", "added_by", "client_key", "record_photo_id", "assigned"}
        | {"homography"},
        "record_photo": {"photo_id", "inspection_id", "added_by", "state", "error"},
        "record_film": {"film_id", "inspection_id", "added_by"},
        "deleted_item": {"item_id", "inspection_id", "deleted_by"},
        "record_edition": {"inspection_id", "seal", "outcome", "finished_by", "finished_by_name"}
        | {"released_by", "released_by_name", "reopened_by", "reopened_by_name", "reopen_reason"},
        # The file of a comment is a photo of the record.
        "record_comment": {"comment_id", "inspection_id", "item_id", "text", "written_by", "written_by_name"}
        | {"file_id"},
        "record_handover": {"handover_id", "inspection_id", "note", "given_by", "given_by_name"}
        | {"given_to", "given_to_name"},
        "item_order": {"inspection_id", "item_id"},
        "reference_image": {"reference_image_id", "reference_image_name", "aircraft_id"},
        "detection_model": {"model_id", "name", "description", "kind", "labels", "added_by"},
    }
    unknown = [
        str(column)
        for table in metadata().sorted_tables
        if table.name not in without
        for column in table.columns
        if str(column.type).partition("(")[0] in {"VARCHAR", "TEXT", "JSON"}
        if column not in named
        if column.name not in prose[table.name]
    ]
    assert unknown == []


def test_content_is_kept_while_another_file_has_it(storage: Storage, database: Database) -> None:
    used, unused = (storage.add(name, b"same") for name in ("used", "unused"))
    database.write_now(lambda session: insert_row(session, ReferenceImageRow.__table__, file_id=used.file_id))
    assert storage.collect() == CollectionResult(1, 0, 0)
    assert storage.exists(used)
    assert not storage.exists(unused)


def test_contents_and_models_without_a_row_are_deleted(
    storage: Storage, database: Database, settings: Settings
) -> None:
    stored = storage.add("a", b"without a row")
    path = storage.files.path_of_file(stored)
    row = FileRow.__table__
    database.write_now(lambda session: session.connection().execute(delete(row)) and None)
    models = model_contents(settings)
    hashes = []
    for data in (b"model of a row", b"model of an edition", b"model without a row", b"fresh model"):
        incoming = models.new_incoming()
        incoming.write(data)
        incoming.finish()
        models.keep(incoming)
        hashes.append(incoming.sha256)
        if data != b"fresh model":
            os.utime(models.path(incoming.sha256), (1, 1))

    def write(session: Session) -> None:
        insert_row(session, ModelRow.__table__, sha256=hashes[0])
        insert_row(session, EDITION, content=json.dumps({"provenance": {"model_sha256": hashes[1]}}))

    database.write_now(write)
    assert storage.collect() == CollectionResult(0, 2, len(b"without a row" + b"model without a row"))
    assert not path.exists()
    assert [models.contains(sha256) for sha256 in hashes] == [True, True, False, True]


def test_file_that_is_uploaded_again_is_kept(storage: Storage, database: Database) -> None:
    stored = storage.add("a", b"again")
    assert database.write_now(storage.files.keep("a", b"again", None)).file_id == stored.file_id
    assert storage.collect() == CollectionResult(0, 0, 0)
    assert storage.exists(stored)


def test_content_removed_during_its_upload_is_stored_again(storage: Storage, database: Database) -> None:
    storage.add("a", b"again")
    # The content is on the disk, but its transaction has not begun.
    add = storage.files.keep("b", b"again", None)
    assert storage.collect().contents == 1
    assert storage.files.path_of_file(database.write_now(add)).read_bytes() == b"again"


@pytest.mark.usefixtures("record")
def test_file_referenced_during_the_collection_is_kept(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {kind: storage.add(f"{kind}.bin", kind.encode()) for kind in KINDS}
    find = Collector.find

    def find_and_name(self: Collector) -> Any:
        unused = find(self)
        for kind, write in KINDS.items():
            storage.refer(write, named[kind])
        return unused

    monkeypatch.setattr(Collector, "find", find_and_name)
    assert storage.collect() == CollectionResult(0, 0, 0)
    assert [kind for kind, file in named.items() if not storage.exists(file)] == []


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("seed", range(5))
def test_every_reference_is_readable_after_a_collection(
    storage: Storage, database: Database, settings: Settings, seed: int
) -> None:
    chosen = random.Random(seed)
    stored = [
        storage.add(f"{number}.bin", b"%d" % chosen.randrange(12), days=chosen.choice((1, 6, 8, 400)))
        for number in range(20)
    ]
    named = chosen.sample(stored, 8)
    for file in named:
        write = chosen.choice(list(KINDS.values()))
        storage.refer(write, file)
    young = {f.sha256 for f in stored if now() - upload_time(database, f) < GRACE}
    storage.collect()
    for file in named:
        assert storage.files.stored_hash(file.sha256) == file.sha256
        assert storage.exists(file)
    left = {sha256 for sha256, _ in file_contents(settings).list_all()}
    assert left == {file.sha256 for file in named} | young
    rows = database.read_now(lambda session: session.exec(select(FileRow.sha256)).all())
    assert set(rows) == left


def upload_time(database: Database, file: StoredFile) -> dt.datetime:
    row = database.read_now(lambda session: session.get(FileRow, file.file_id))
    return dt.datetime.min.replace(tzinfo=dt.UTC) if row is None else row.created_at


@pytest.mark.parametrize(
    "database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True
)
def test_collection_waits_for_a_transaction_with_a_reference(storage: Storage, database: Database) -> None:
    stored = storage.add("a", b"about to be named")
    looked, go_on = threading.Event(), threading.Event()

    def name_it(session: Session) -> None:
        assert lookup.file_info(session, stored.file_id) is not None
        looked.set()
        assert go_on.wait(30)
        insert_row(session, ReferenceImageRow.__table__, file_id=stored.file_id)

    naming = threading.Thread(target=database.write_now, args=(name_it,))
    naming.start()
    assert looked.wait(30)
    removed: list[CollectionResult] = []
    running_collector = threading.Thread(target=lambda: removed.append(storage.collect()))
    running_collector.start()
    # Long enough for the collection to try, if it did not wait.
    deadline = time.monotonic() + 1
    while running_collector.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert running_collector.is_alive()
    go_on.set()
    naming.join(30)
    running_collector.join(30)
    assert removed == [CollectionResult(0, 0, 0)]
    assert storage.exists(stored)


def test_command_removes_only_on_request(
    storage: Storage, database: Database, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = storage.add("左翼.bin", b"x" * 2**20)
    writes = [audit_listener(settings)]
    assert main(["files", "unused"], settings, writes) == 0
    output = capsys.readouterr().out
    assert "左翼.bin" in output
    assert "1 files" in output
    assert "1.0 MB" in output
    assert f"{now() - dt.timedelta(days=30):%Y-%m-%d}" in output
    assert storage.exists(stored)
    assert main(["files", "unused", "--delete", "--older-than", "40"], settings, writes) == 0
    assert storage.exists(stored)
    assert main(["files", "unused", "--delete"], settings, writes) == 0
    assert "removed 1 files and 1 contents, 1.0 MB" in capsys.readouterr().out
    assert not storage.exists(stored)
    rows = database.read_now(lambda session: session.exec(select(AuditRow)).all())
    (row,) = [row for row in rows if (row.action, row.kind) == ("delete", "file")]
    details = json.loads(row.details)
    assert (details["files"], details["contents"], details["bytes"]) == (1, 1, 2**20)
    assert details["sha256"] == [stored.sha256]
    assert AuditService(database, settings).verify().problems == []
    assert main(["files", "unused"], settings, writes) == 0
    assert "no unused files" in capsys.readouterr().out


@pytest.mark.parametrize("days", ["0", "0.5", "-1", "nan", "inf", "x"])
def test_grace_period_has_a_minimum(settings: Settings, days: str) -> None:
    with pytest.raises(SystemExit):
        main(["files", "unused", "--older-than", days], settings)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_unused_files_of_a_bucket_are_deleted(database: Database, settings: Settings, s3: S3Server) -> None:
    settings.prepare()
    in_bucket = settings.model_copy(update=store_settings(s3, settings.data_dir))
    storage = Storage(database, in_bucket)
    used, unused = (
        database.write_now(storage.files.keep(name, name.encode(), None)) for name in ("used", "unused")
    )
    old = update(FileRow.__table__).values(created_at=now() - dt.timedelta(days=30))

    def write(session: Session) -> None:
        session.connection().execute(old)
        insert_row(session, ReferenceImageRow.__table__, file_id=used.file_id)

    database.write_now(write)
    assert storage.collect() == CollectionResult(1, 1, len("unused"))
    assert set(s3.state.objects) == {f"site/files/{FILES.name(used.sha256)}"}
    assert not storage.exists(unused)
    storage.files.close()
