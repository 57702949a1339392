"""Tests that changes of a sealed record in the database and in its files are found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from service.audit.service import AuditService
from service.commands import verify_audit
from service.commands.backup import main as backup
from service.commands.verify_audit import records
from service.db.database import Database
from service.inspection.sealing import seal
from service.inspection.sealing.contents import table_content
from service.inspection.tables import EDITION, ITEM, PHOTO, RECORD, RECORD_PHOTO
from service.settings import Settings
from service.stores.contents import FILES
from tests.service.inspection.sealing.conftest import AUDIT, FILE, SealedRecord

pytestmark = pytest.mark.slow


def changed_texts(value: str) -> Iterator[str]:
    """Variants of `value` with one changed character, at its start, its end and positions in between."""
    step = max(1, len(value) // 40)
    for at in {*range(0, len(value), step), len(value) - 1}:
        if value:
            yield value[:at] + ("1" if value[at] != "1" else "2") + value[at + 1 :]
    yield value + "1"


def changed_values(column: Any, value: Any, sqlite: bool) -> Iterator[Any]:
    if value is None:
        yield from ([dt.datetime(2026, 1, 1)] if _is_time(column) else ["x"])
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, dt.datetime):
        yield value + dt.timedelta(microseconds=1)
        if sqlite:
            stored = value.isoformat(sep=" ", timespec="microseconds")
            yield from changed_texts(stored)
            yield stored.replace(" ", "T")
    else:
        yield from changed_texts(value)


def _is_time(column: Any) -> bool:
    return "DATETIME" in str(column.type).upper() or "TIMESTAMP" in str(column.type).upper()


# Columns that a seal does not cover: the user and the time of an upload.
_BESIDES = {("file", "added_by"), ("file", "created_at"), ("file", "uploaded_at")}


@pytest.mark.slow(120)
def test_each_changed_byte_of_the_database_is_found(sealed_record: SealedRecord) -> None:
    for table in (RECORD, ITEM, PHOTO, RECORD_PHOTO, EDITION, FILE):
        _assert_each_changed_byte_is_found(sealed_record, table)


def _assert_each_changed_byte_is_found(sealed_record: SealedRecord, table: Table) -> None:
    key = next(iter(table.primary_key)) if table is not EDITION else EDITION.c.inspection_id
    wanted = {RECORD: "inspection_id", ITEM: "item_id", PHOTO: "photo_id", FILE: "file_id"}
    wanted[RECORD_PHOTO] = "record_photo"
    condition = key == sealed_record.ids[wanted.get(table, "inspection_id")]
    row = sealed_record.database.read_now(
        lambda session: session.execute(select(table).where(condition)).one()
    )
    tried, refused = 0, 0
    for column in table.c:
        if (table.name, column.name) in _BESIDES:
            continue
        value = row._mapping[column.name]
        for other in changed_values(column, value, sealed_record.database.is_sqlite):
            name = f"{table.name}.{column.name}: {other!r}"
            try:
                set_column(sealed_record.database, table, column, condition, other)
            except DBAPIError:
                # The database refuses a referenced key or a text that is too long.
                refused += 1
                continue
            check = sealed_record.check()
            assert not check.intact, name
            assert check.differences[0].path, name
            assert check.differences[0].message, name
            back = condition if column is not key else key == other
            set_column(sealed_record.database, table, column, back, value)
            tried += 1
    assert sealed_record.check().intact, table.name
    assert tried >= len(table.c) - len(_BESIDES) - 3, table.name
    assert refused < tried, table.name


def set_column(database: Database, table: Table, column: Any, condition: Any, value: Any) -> None:
    if isinstance(value, dt.datetime):
        value = value.isoformat(sep=" ", timespec="microseconds")
    stored = "cast(:value as timestamp)" if not database.is_sqlite and _is_time(column) else ":value"
    where = condition.compile(compile_kwargs={"literal_binds": True})
    statement = text(f'UPDATE "{table.name}" SET "{column.name}" = {stored} WHERE {where}')
    database.write_now(lambda session: session.execute(statement, {"value": value}))


def test_removed_and_added_rows_are_found(sealed_record: SealedRecord) -> None:
    sealed_record.write(delete(PHOTO))
    assert sealed_record.paths() == ["items[0].photos[0]"]
    (difference,) = sealed_record.check().differences
    assert (difference.item_id, difference.item_name) == (sealed_record.ids["item_id"], "前缘")
    assert difference.message == "检查项“前缘”的 photos[0] 已不存在"
    row = sealed_record.rows(ITEM)["item"][0]
    values = dict(zip((column.name for column in ITEM.c), row, strict=True))
    added = {**values, "item_id": "new", "inspection_id": sealed_record.record, "client_key": None}
    sealed_record.write(insert(ITEM).values({**added, "created_at": dt.datetime(2100, 1, 1)}))
    assert sealed_record.paths() == ["items[2]", "items[0].photos[0]"]
    sealed_record.write(delete(ITEM).where(ITEM.c.inspection_id == sealed_record.record))
    assert {"items[0]", "items[1]"} <= set(sealed_record.paths())
    sealed_record.write(delete(RECORD).where(RECORD.c.inspection_id == sealed_record.record))
    assert sealed_record.paths() == ["record"]
    sealed_record.write(delete(EDITION))
    check = sealed_record.check()
    assert [discrepancy.path for discrepancy in check.differences] == ["editions[1]"]
    answer = sealed_record.client.get(f"/api/inspection/{sealed_record.record}/seal/verify").json()
    assert (answer["data"]["intact"], answer["msg"]) == (False, "校验未通过：记录与封存时不一致")


def test_removed_and_added_record_photos_are_found(sealed_record: SealedRecord) -> None:
    (row,) = sealed_record.rows(RECORD_PHOTO)["record_photo"]
    values = dict(zip((column.name for column in RECORD_PHOTO.c), row, strict=True))
    sealed_record.write(insert(RECORD_PHOTO).values({**values, "photo_id": "new", "file_id": "new"}))
    (difference,) = sealed_record.check().differences
    assert (difference.kind, difference.item_id) == ("added", None)
    sealed_record.write(delete(RECORD_PHOTO))
    assert sealed_record.paths() == ["photos[0]"]
    assert sealed_record.check().differences[0].message == "photos[0] 已不存在"


def test_edition_of_an_earlier_form_is_checked_in_that_form(sealed_record: SealedRecord) -> None:
    """As an earlier version sealed it: without the photos of the record and their data in the items'."""
    old = sealed_record.database.read_now(
        lambda session: table_content(session, sealed_record.record, seal.OLD_FORM)
    )
    content = seal.parse_content(sealed_record.rows(EDITION)["record_edition"][0][3])
    del content["photos"]
    old_content = seal.canonical({**content, **(old or {}), "format": seal.OLD_FORM})
    assert "record_photo_id" not in old_content
    condition = EDITION.c.inspection_id == sealed_record.record
    sealed_record.write(
        update(EDITION).where(condition).values(content=old_content, seal=seal.seal_of(old_content))
    )
    # Only the log still has the seal of the other form.
    assert sealed_record.paths() == ["editions[1].seal"]
    sealed_record.write(update(PHOTO).values(file_id="another"))
    assert "items[0].photos[0].file_id" in sealed_record.paths()


def test_rewritten_edition_does_not_match_log(sealed_record: SealedRecord) -> None:
    """A user of the database changes the content and computes its seal, but cannot write to the log."""
    content = sealed_record.rows(EDITION)["record_edition"][0][3].replace("有裂纹", "没裂纹")
    condition = EDITION.c.inspection_id == sealed_record.record
    sealed_record.write(update(EDITION).where(condition).values(content=content, seal=seal.seal_of(content)))
    sealed_record.write(update(ITEM).values(result=text("replace(result, '有裂纹', '没裂纹')")))
    assert "editions[1].seal" in sealed_record.paths()


def test_incomplete_edition_is_unreadable(sealed_record: SealedRecord) -> None:
    whole = sealed_record.rows(EDITION)["record_edition"][0][3]
    condition = EDITION.c.inspection_id == sealed_record.record
    for key in ("sha256", "file_id", "items", "record", "model_sha256", "model_name"):
        content = whole.replace(f'"{key}":', '"other":')
        assert content != whole, key
        sealed_record.write(update(EDITION).where(condition).values(content=content))
        check = sealed_record.check()
        assert not check.intact, key
        assert "editions[1].content" in [difference.path for difference in check.differences], key


def test_forged_release_or_reopening_is_found(sealed_record: SealedRecord) -> None:
    at = dt.datetime(2026, 1, 1)
    condition = EDITION.c.inspection_id == sealed_record.record
    for who, path in (("released", "editions[1].release"), ("reopened", "editions[1].reopen")):
        values = {f"{who}_by": "x", f"{who}_at": at}
        sealed_record.write(update(EDITION).where(condition).values(values))
        assert path in sealed_record.paths()
        sealed_record.write(update(EDITION).where(condition).values(dict.fromkeys(values)))
    assert sealed_record.check().intact


# The rows are the same for every byte, because the compared bytes are in the folder of files.
@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_each_changed_byte_of_a_file_is_found(sealed_record: SealedRecord) -> None:
    of_photo = select(FILE.c.sha256).where(FILE.c.file_id == sealed_record.ids["file_id"])
    (sha256,) = sealed_record.database.read_now(lambda session: session.execute(of_photo).one())
    path = sealed_record.files / FILES.name(sha256)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        (difference,) = sealed_record.check().differences
        # The sealed files are in the order of their ids, which are random.
        assert difference.path in ("files[0]", "files[1]")
        assert (difference.kind, difference.file_id) == ("file_changed", sealed_record.ids["file_id"])
    assert difference.message == "检查项“前缘”的文件“左翼.png”的内容与封存时不同"
    for other in (whole[:-1], whole + b"\x00", b""):
        path.write_bytes(other)
        assert sealed_record.check().differences[0].kind == "file_changed"
    path.unlink()
    assert [lost.kind for lost in sealed_record.check().differences] == ["file_missing"]
    path.write_bytes(whole)
    assert sealed_record.check().intact


def test_catalogue_may_change_after_the_seal(sealed_record: SealedRecord) -> None:
    image = sealed_record.client.get("/api/catalogue/reference-images").json()["data"]["data"][0]
    path = f"/api/catalogue/reference-images/{image['reference_image_id']}"
    renamed = sealed_record.client.put(path, json={**image, "reference_image_name": "右翼"})
    assert renamed.status_code == 200, renamed.text
    assert sealed_record.check().intact


def test_reopened_record_may_change_but_not_its_edition(sealed_record: SealedRecord) -> None:
    path = f"/api/inspection/{sealed_record.record}"
    assert sealed_record.client.post(f"{path}/reopen", json={"reason": "改"}).status_code == 200
    verdict = {"verdict": "passed"}
    sealed_record.client.post(f"/api/inspection_item/{sealed_record.ids['item_id']}/verdict", json=verdict)
    check = sealed_record.check()
    assert (check.intact, check.current, check.edition) == (True, False, 1)
    sealed_record.write(update(EDITION).values(content=EDITION.c.content + " "))
    assert sealed_record.paths() == ["editions[1].content"]


# On the command line


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_command_reports_the_differences(
    sealed_record: SealedRecord, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["audit", "verify", "--record", sealed_record.record]
    assert verify_audit.main(arguments, settings) == 0
    assert "the record and its 2 file(s) are as they were sealed" in capsys.readouterr().out
    sealed_record.write(update(ITEM).values(description="改"))
    assert verify_audit.main(arguments, settings) == 1
    output = capsys.readouterr().out
    assert "items[0].description (item '前缘'): differs from the sealed value" in output
    assert "FAILED: edition 1 of record" in output
    assert verify_audit.main(["audit", "verify", "--record", "none"], settings) == 1
    assert "no finished record none" in capsys.readouterr().out
    # All finished records are checked unless the log alone is asked for, and no line says "ok" then.
    assert verify_audit.main(["audit", "verify"], settings) == 1
    output = capsys.readouterr().out
    assert "FAILED: 1 of 1 finished records differ from their seals" in output
    assert "ok:" not in output
    assert verify_audit.main(["audit", "verify", "--fast"], settings) == 0
    assert capsys.readouterr().out.startswith("ok:")


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_log_without_the_seal_is_found(sealed_record: SealedRecord, settings: Settings) -> None:
    with sealed_record.database.writer.begin() as connection:
        names = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars()
        for name in names.all():
            connection.execute(text(f'DROP TRIGGER "{name}"'))
        connection.execute(delete(AUDIT).where(AUDIT.c.action == "seal"))
    assert sealed_record.paths() == ["editions[1].seal"]
    assert AuditService(sealed_record.database, settings).verify().problems


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_doctor_and_restore_find_a_changed_verdict(
    sealed_record: SealedRecord, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor_lines() -> list[str]:
        return [f"{result.level} {result}" for result in records(settings)]

    archives = [tmp_path / "whole.zip", tmp_path / "changed.zip"]
    assert [line[:2] for line in doctor_lines()] == ["ok"]
    assert backup(["backup", str(archives[0])], settings) == 0
    # A backup of changed data is as complete as one whose manifest was computed again.
    sealed_record.write(update(ITEM).values(verdict="passed"))
    assert backup(["backup", str(archives[1])], settings) == 0
    (line,) = doctor_lines()
    assert line.startswith("fail")
    assert "1 finished records differ from their seals" in line
    with sealed_record.database.writer.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_event_no_update")
    assert [line[:4] for line in doctor_lines()] == ["fail", "fail"]
    capsys.readouterr()
    for archive, status in zip(archives, (0, 1), strict=True):
        restored = Settings(data_dir=tmp_path / archive.stem, database_url="")
        assert backup(["restore", str(archive)], restored) == status
        output = capsys.readouterr()
        assert ("ok:" in output.out) is (status == 0)
        assert ("compare with another backup" in output.err) is (status == 1)
    assert "items[0].verdict" in output.out
