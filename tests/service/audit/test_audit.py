"""Tests the audit log: writing with each change, listing and verification, on both databases."""

from __future__ import annotations

import datetime as dt
import re
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from service.audit import chain
from service.audit.routes import router
from service.audit.service import AuditService, Verification
from service.audit.tables import AuditRow, missing_triggers
from service.changes import ObjectChange, announce
from service.commands import verify_audit as cli
from service.db.database import Database, now
from service.db.schema import metadata
from service.settings import Settings
from shared.record.codes import Role
from tests.service.answers import read_data
from tests.service.domain_app import create_client

pytestmark = pytest.mark.both_databases


@pytest.fixture
def audit(database: Database, settings: Settings) -> AuditService:
    service = AuditService(database, settings)
    database.before_commit.append(service.before_commit)
    service.begin()
    return service


def user_names(_session: Session, user_ids: Collection[str]) -> dict[str, str]:
    return {user_id: f"张三 ({user_id})" for user_id in user_ids if user_id == "u1"}


@pytest.fixture
def client(audit: AuditService) -> Iterator[TestClient]:
    with create_client(router(audit, user_names), role=Role.ADMIN) as client:
        yield client


def announce_changes(database: Database, *changes: ObjectChange) -> None:
    def work(session: Session) -> None:
        for change in changes:
            announce(session, change)

    database.write_now(work)


def fill(database: Database, count: int = 5) -> None:
    for number in range(count):
        announce_changes(
            database, ObjectChange("update", "record", f"r{number}", "u1", "10.0.0.1", {"name": ["旧", "新"]})
        )


def change_row(database: Database, *statements: str) -> None:
    """Run statements on the log, as a user with all rights on the database can."""

    def work(session: Session) -> None:
        if database.is_sqlite:
            session.execute(text("DROP TRIGGER IF EXISTS audit_event_no_update"))
            session.execute(text("DROP TRIGGER IF EXISTS audit_event_no_delete"))
        else:
            session.execute(text("DROP TRIGGER IF EXISTS audit_event_append_only ON audit_event"))
        for statement in statements:
            session.execute(text(statement))

    database.write_now(work)


def test_change_and_its_row_are_one_transaction(audit: AuditService, database: Database) -> None:
    def failing(session: Session) -> None:
        announce(session, ObjectChange("create", "record", "lost"))
        raise RuntimeError("after the announcement")

    with pytest.raises(RuntimeError):
        database.write_now(failing)
    announce_changes(
        database, ObjectChange("create", "record", "kept"), ObjectChange("create", "item", "kept too")
    )
    assert audit.verify() == Verification(3, 3, audit.verify().hash, [])


def test_log_with_an_expected_row_is_valid(audit: AuditService, database: Database) -> None:
    first = audit.verify()
    fill(database)
    verification = audit.verify(expect=(first.seq, first.hash))
    assert (verification.rows, verification.seq, verification.problems) == (6, 6, [])
    # A row with this number and another hash is not the expected row.
    assert len(audit.verify(expect=(first.seq, "0" * 64)).problems) == 1
    announce_changes(database, ObjectChange("update", "item", "i", unaudited=True))
    assert audit.verify().rows == 6
    audit.begin()
    assert audit.verify().rows == 6, "a log starts once"


@pytest.mark.parametrize(
    "column", ["at", "action", "kind", "object_id", "actor", "address", "details", "prev_hash", "hash"]
)
def test_one_changed_byte_is_found(audit: AuditService, database: Database, column: str) -> None:
    fill(database)
    value = (
        "'2026-01-01 00:00:00.000000'"
        if column == "at"
        else f"substr({column}, 1, 1) || 'Z' || substr({column}, 3)"
    )
    change_row(database, f"UPDATE audit_event SET {column} = {value} WHERE seq = 3")
    assert any("row 3" in problem for problem in audit.verify().problems)


def test_cleared_field_is_found(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(database, "UPDATE audit_event SET actor = NULL WHERE seq = 4")
    assert audit.verify().problems == ["row 4 was changed"]


@pytest.mark.parametrize(
    "statements",
    [
        ("DELETE FROM audit_event WHERE seq = 3",),
        ("DELETE FROM audit_event WHERE seq = 1",),
        (
            "DELETE FROM audit_event WHERE seq = 3",
            "UPDATE audit_event SET seq = seq - 1 WHERE seq = 4",
            "UPDATE audit_event SET seq = seq - 1 WHERE seq = 5",
            "UPDATE audit_event SET seq = seq - 1 WHERE seq = 6",
        ),
        ("DELETE FROM audit_event",),
        ("DELETE FROM audit_event", "DELETE FROM audit_head"),
    ],
    ids=["middle", "first", "closed up", "all", "all and head"],
)
def test_deleted_row_is_found(audit: AuditService, database: Database, statements: tuple[str, ...]) -> None:
    fill(database)
    change_row(database, *statements)
    assert audit.verify().problems


def test_changed_order_is_found(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(
        database,
        "UPDATE audit_event SET seq = 99 WHERE seq = 3",
        "UPDATE audit_event SET seq = 3 WHERE seq = 4",
        "UPDATE audit_event SET seq = 4 WHERE seq = 99",
    )
    assert audit.verify().problems


def test_removed_last_rows_are_found(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(database, "DELETE FROM audit_event WHERE seq > 4")
    assert audit.verify().problems == [
        "rows at the end are missing: row 6 is signed, but the log ends with row 4"
    ]


def test_removed_last_rows_with_an_older_head_are_found(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(
        database,
        "DELETE FROM audit_event WHERE seq > 4",
        "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_event WHERE seq = 4)",
    )
    assert audit.verify().problems == ["the end of the log is not signed with this installation's secret"]


def test_row_written_from_outside_is_found(audit: AuditService, database: Database) -> None:
    fill(database)
    event = chain.Event(7, dt.datetime(2026, 5, 1, tzinfo=dt.UTC), "create", "record", None, None, None, "{}")
    last = audit.verify().hash
    change_row(
        database,
        "INSERT INTO audit_event VALUES (7, '2026-05-01 00:00:00.000000', 'create', 'record', NULL, NULL, "
        f"NULL, '{{}}', '{last}', '{chain.row_hash(event, last)}')",
    )
    assert audit.verify().problems == ["row 6 is signed as the last row, but the log ends with row 7"]


def test_older_database_is_found_by_a_row_that_was_noted(audit: AuditService, database: Database) -> None:
    def head() -> Any:
        return database.read_now(
            lambda session: session.execute(text("SELECT seq, hash, mac FROM audit_head")).one()
        )

    fill(database, 2)
    old_rows = head()
    fill(database, 3)
    end = audit.verify()
    change_row(
        database,
        "DELETE FROM audit_event WHERE seq > 3",
        f"UPDATE audit_head SET seq = {old_rows.seq}, hash = '{old_rows.hash}', mac = '{old_rows.mac}'",
    )
    assert audit.verify().problems == []
    assert audit.verify(expect=(end.seq, end.hash)).problems == [
        f"row {end.seq} with the hash {end.hash} is no longer in the log"
    ]


def test_log_continued_after_a_forged_end_stays_invalid(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(
        database,
        "DELETE FROM audit_event WHERE seq > 4",
        "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_event WHERE seq = 4)",
    )
    fill(database, 2)
    problems = audit.verify().problems
    assert len(problems) == 1
    assert problems[0].startswith("row 5: the log continues although its end was not signed")


def test_signature_of_another_secret_is_invalid(
    audit: AuditService, database: Database, settings: Settings
) -> None:
    fill(database)
    (settings.data_dir / "secret.key").unlink()
    assert AuditService(database, settings).verify().problems == [
        "the end of the log is not signed with this installation's secret"
    ]


def test_restored_log_is_signed_only_if_it_is_valid(
    audit: AuditService, database: Database, settings: Settings
) -> None:
    fill(database)
    end = audit.verify()
    (settings.data_dir / "secret.key").unlink()
    restored = AuditService(database, settings)
    restored.sign_restored_log((end.seq, "f" * 64))
    assert restored.verify().problems
    restored.sign_restored_log((end.seq, end.hash))
    assert restored.verify().problems == []
    change_row(database, "DELETE FROM audit_event WHERE seq = 6")
    (settings.data_dir / "secret.key").unlink()
    cut = AuditService(database, settings)
    cut.sign_restored_log((end.seq, end.hash))
    assert cut.verify().problems


@pytest.mark.parametrize("statement", ["UPDATE audit_event SET kind = 'x'", "DELETE FROM audit_event"])
def test_database_refuses_to_change_the_log(audit: AuditService, database: Database, statement: str) -> None:
    with pytest.raises(DBAPIError, match="append-only"):
        database.write_now(lambda session: session.execute(text(statement)))


def test_parallel_transactions_write_one_chain(audit: AuditService, database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: fill(database, 5), range(8)))
    assert audit.verify() == Verification(41, 41, audit.verify().hash, [])


def test_log_started_by_two_processes_starts_once(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [Database(settings.database_url) for _ in range(2)]
    both_have_read, read = threading.Barrier(2), Database.read_now

    def read_together(of: Database, work: Callable[[Session], Any]) -> Any:
        result = read(of, work)
        both_have_read.wait(20)
        return result

    with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(Database, "read_now", read_together)
        list(pool.map(lambda other: AuditService(other, settings).begin(), others))
    for other in others:
        other.close()
    audit = AuditService(database, settings)
    assert audit.verify() == Verification(1, 1, audit.verify().hash, [])


def test_any_text_can_be_logged(audit: AuditService, database: Database) -> None:
    value = "a\x00b\ud800\r\n" + "长" * 300
    announce_changes(
        database,
        ObjectChange(
            "login_failed", "user", value, None, value, {value: value, "at": dt.datetime.now(dt.UTC)}
        ),
    )
    assert audit.verify().problems == []


@hypothesis_settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text())))
def test_equal_details_have_equal_text(details: dict[str, Any]) -> None:
    text_form = chain.details_text(details)
    assert text_form.isascii()
    assert chain.details_text(dict(reversed(details.items()))) == text_form


def test_log_is_listed_in_pages_with_filters(client: TestClient, database: Database) -> None:
    announce_changes(database, ObjectChange("create", "record", "r1", "u1", "10.0.0.1", {"name": "左翼"}))
    announce_changes(database, ObjectChange("update", "record", "r1", "u2", "10.0.0.1"))
    announce_changes(database, ObjectChange("delete", "item", "i1", "u1", "10.0.0.1"))

    def seqs(**query: Any) -> list[int]:
        return [entry["seq"] for entry in read_data(client.get("/api/audit", params=query))["data"]]

    assert seqs() == [4, 3, 2, 1]
    assert seqs(page_size=2, current_page=2) == [2, 1]
    assert seqs(kind="record") == [3, 2]
    assert seqs(kind="record", actor="u1") == [2]
    assert seqs(object_id="i1") == [4]
    assert seqs(action="' OR 1=1 --") == []
    newest = client.get("/api/audit").json()["data"]["data"][0]
    assert seqs(at_from=newest["at"]) == [4]
    assert 4 in seqs(at_to=newest["at"])
    assert seqs(at_to="2020-01-01T00:00:00") == []
    first = client.get("/api/audit", params={"action": "create"}).json()["data"]["data"][0]
    assert first["details"] == {"name": "左翼"}
    assert (first["actor"], first["actor_name"], first["address"]) == ("u1", "张三 (u1)", "10.0.0.1")
    (unknown,) = client.get("/api/audit", params={"actor": "u2"}).json()["data"]["data"]
    assert unknown["actor_name"] is None
    for bad in ("page_size=0", "current_page=0", "at_from=5", "kind=%00"):
        assert client.get(f"/api/audit?{bad}").status_code == 422


@pytest.fixture
def run_verify(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*arguments: str) -> tuple[int, str]:
        status = cli.main(["audit", "verify", *arguments], settings)
        return status, capsys.readouterr().out

    return run


def test_command_reports_whether_the_log_is_valid(
    audit: AuditService, database: Database, run_verify: Callable[..., tuple[int, str]]
) -> None:
    fill(database)
    status, out = run_verify()
    assert status == 0
    assert out.startswith("ok: 6 rows")
    end = re.findall(r"Keep (\S+) for --expect", out)[0]
    fill(database)
    assert run_verify("--expect", end)[0] == 0
    change_row(
        database,
        "DELETE FROM audit_event WHERE seq >= 6",
        "UPDATE audit_event SET details = '[]' WHERE seq = 2",
    )
    status, out = run_verify("--expect", end)
    assert status == 1
    assert "row 2 was changed" in out
    assert "rows at the end are missing" in out
    assert "no longer in the log" in out
    with pytest.raises(SystemExit):
        run_verify("--expect", "nonsense")


def test_log_that_never_started_is_valid(
    database: Database, run_verify: Callable[..., tuple[int, str]]
) -> None:
    status, out = run_verify()
    assert (status, out.split(":")[0]) == (0, "nothing to verify")
    # With an expected row, an empty log is invalid.
    assert run_verify("--expect", f"3:{'0' * 64}")[0] == 1
    database.write_now(
        lambda session: session.execute(
            insert(metadata().tables["user"]),
            {
                "id": "u1",
                "username": "chief",
                "username_key": "chief",
                "password_hash": "x",
                "enabled": True,
                "created_at": now(),
            },
        )
    )
    status, out = run_verify()
    assert status == 1
    assert "the log is empty" in out


def test_file_without_tables_has_no_log(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "walkaround.db").touch()
    assert cli.main(["audit", "verify"], Settings(data_dir=tmp_path, database_url="")) == 0
    assert "nothing to verify" in capsys.readouterr().out


def test_command_reports_a_database_without_the_triggers(
    audit: AuditService, database: Database, run_verify: Callable[..., tuple[int, str]]
) -> None:
    fill(database)
    assert run_verify()[0] == 0
    change_row(database)
    status, out = run_verify()
    assert status == 1
    assert "FAILED: the database lacks the trigger audit_event_" in out
    assert "ok:" not in out


def test_start_creates_missing_triggers_and_records_it(
    audit: AuditService, database: Database, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    change_row(database, "UPDATE audit_event SET actor = 'nobody' WHERE seq = 1")
    AuditService(database, settings).begin()
    assert "the database lacked audit_event_" in caplog.text
    with pytest.raises(DBAPIError, match="append-only"):
        database.write_now(lambda session: session.execute(text("DELETE FROM audit_event")))
    newest = select(AuditRow).order_by(col(AuditRow.seq).desc()).limit(1)
    row = database.read_now(lambda session: session.exec(newest).one())
    assert (row.action, row.kind) == ("audit_triggers_created", "audit")
    AuditService(database, settings).begin()
    verification = AuditService(database, settings).verify()
    assert (verification.rows, verification.problems) == (2, ["row 1 was changed"])


def change_row_only(database: Database, statement: str) -> None:
    database.write_now(lambda session: session.execute(text(statement)))


def test_trigger_that_refuses_nothing_is_replaced(
    audit: AuditService, database: Database, settings: Settings
) -> None:
    change_row(database)
    statement = (
        "CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event BEGIN SELECT 1; END"
        if database.is_sqlite
        else "CREATE TRIGGER audit_event_append_only BEFORE UPDATE OF actor OR DELETE ON audit_event "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse()"
    )
    change_row_only(database, statement)
    AuditService(database, settings).begin()
    assert database.read_now(missing_triggers) == []
    for change in ("DELETE FROM audit_event", "UPDATE audit_event SET details = ''"):
        with pytest.raises(DBAPIError, match="append-only"):
            change_row_only(database, change)


def test_command_without_a_database_fails(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "verify"], Settings(data_dir=tmp_path / "nothing", database_url="")) == 1
    assert "there is no database" in capsys.readouterr().out
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_invalid_time_is_reported(audit: AuditService, database: Database) -> None:
    fill(database)
    change_row(database, "UPDATE audit_event SET at = 'yesterday' WHERE seq = 3")
    assert audit.verify().problems == ["a row between 1 and 1000 was changed: it cannot be read"]
