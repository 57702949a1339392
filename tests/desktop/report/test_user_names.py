"""A report names each user so that no other user can be meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf import PdfReader
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.report import html, pdf
from desktop.report.collect import collect
from desktop.report.edition import collect_edition
from desktop.report.report_terms import report_seal
from shared.record.codes import Role, SealState, Verdict
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.desktop.messages.test_seal_terms import make_seal
from tests.narrowing import not_none

CHIEF = "首席检查员"
PASSWORD = "long enough word"


@pytest.fixture
def inspector(session: Session, service: str) -> Iterator[Session]:
    """A session of a user who has the full name of another one."""
    session.users.create("zhang3", PASSWORD, [Role.INSPECTOR], "张三")
    inspector = Session(service)
    inspector.account.login("zhang3", PASSWORD)
    yield inspector
    inspector.close()


def test_user_who_takes_another_name_is_recognized(
    session: Session, inspector: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    inspector.account.update_info({"name": CHIEF})
    me = inspector.account.me().user.user_id
    body = RecordCreate(task_id="t", inspection_name="左翼", executor_id=me)
    record = inspector.records.create(body).inspection_id
    item = inspector.items.create(ItemCreate(item_name="前缘", inspection_id=record)).value
    inspector.items.set_verdict(item.item_id, Verdict.PASSED)
    inspector.records.finish(record)
    assert inspector.records.users(record).name_changes == []
    inspector.account.update_info({"name": "张三"})
    changes = session.records.users(record).name_changes
    assert [(change.username, change.old_name, change.new_name) for change in changes] == [
        ("zhang3", "张三", CHIEF),
        ("zhang3", CHIEF, "张三"),
    ]
    assert session.records.verify_seal(record).intact
    sealed = collect_edition(session, record, 1, "主任 (chief)", lambda *_: None)
    now = collect(session, record, "主任 (chief)", lambda *_: None)
    for report in (sealed, now):
        fields = dict(report.fields)
        assert fields["Name changes"].startswith(f"zhang3: 张三 → {CHIEF}, ")
        assert f"; zhang3: {CHIEF} → 张三, " in fields["Name changes"]
        assert report.items[0].decided_by == f"{CHIEF} (zhang3)"
        assert report.seal is not None
        assert report.seal.finished_by == f"{CHIEF} (zhang3)"
    # The edition keeps the executor's name as it was; the record shows the current one.
    assert dict(sealed.fields)["Inspector"] == f"{CHIEF} (zhang3)"
    assert dict(now.fields)["Inspector"] == "张三 (zhang3)"
    page = tmp_path / "report.html"
    html.write(sealed, page)
    assert f"{CHIEF} (zhang3)" in page.read_text(encoding="utf-8")
    paper = tmp_path / "report.pdf"
    pdf.write(sealed, paper)
    text = "".join("".join(part.extract_text() for part in PdfReader(paper).pages).split())
    assert f"{CHIEF}(zhang3)" in text
    assert "Namechanges" in text


def test_signature_from_before_usernames_were_sealed_gets_the_username() -> None:
    names = {"released_by": "u2", "released_by_name": "李娜", "released_at": "2026-11-22T22:39:00Z"}
    seal = make_seal(SealState.FINISHED, finished_by_name="王芳", **names)
    shown = not_none(report_seal(seal, {"u1": "wang.fang"}))
    assert (shown.finished_by, shown.released_by) == ("王芳 (wang.fang)", "李娜")
