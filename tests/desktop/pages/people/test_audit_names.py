"""Names of the objects that entries of the audit log refer to."""

from __future__ import annotations

from desktop.context import Context
from desktop.pages.people.audit_terms import find_names
from tests.desktop.pages.workbench.driver import make_record, picture


def test_a_phone_code_is_called_by_its_record(context: Context) -> None:
    session = context.session
    record_id = make_record(session)
    code = session.phones.create(record_id)
    key = ("phone_code", code.code_id)
    assert find_names(session, {key}) == {key: session.records.get(record_id).value.inspection_name}
    session.phones.end(code.code_id)


def test_a_memory_is_called_by_the_file_of_its_reference_image(context: Context) -> None:
    stored = context.session.files.upload(picture(), "左翼前缘.png")
    key = ("region_memory", stored.file_id)
    assert find_names(context.session, {key}) == {key: "左翼前缘.png"}


def test_deleted_object_has_no_name(context: Context) -> None:
    assert find_names(context.session, {("phone_code", "gone"), ("record", "gone"), ("nothing", "1")}) == {}
