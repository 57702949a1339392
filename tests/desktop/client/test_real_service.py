"""Every method of the client against the real service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np
import pytest
import skimage.data

from desktop.client import RecordFilter, Session
from desktop.client.http.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotLoggedIn,
    Refused,
    Stale,
    Unsupported,
)
from shared.images.cv import cv2
from shared.record.codes import Role, SealState, Status, Verdict
from shared.wire.account import UserUpdate
from shared.wire.catalogue import (
    AircraftWrite,
    FlightWrite,
    ReferenceImageWrite,
    Task,
    TaskWrite,
    TemplateRegion,
)
from shared.wire.inspection import ItemCreate, ItemPoint, ItemUpdate, Point, RecordCreate, RecordUpdate
from shared.wire.seal import InspectionPolicy
from tests.client_session import open_session
from tests.narrowing import not_none
from tests.service_process import ADMIN, service_process


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("data")) as address:
        yield address


@pytest.fixture
def session(url: str) -> Iterator[Session]:
    with open_session(url) as session:
        yield session


def picture(seed: int = 1, side: int = 96, brighter: int = 0) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 250, (side, side, 3), dtype=np.uint8)
    return bytes(cv2.imencode(".png", pixels + np.uint8(brighter))[1])


def face(brightness: float = 1.0) -> bytes:
    head = skimage.data.astronaut()[0:300, 100:400, ::-1]
    lit = np.clip(head * brightness, 0, 255).astype(np.uint8)
    return bytes(cv2.imencode(".jpg", cv2.resize(lit, (600, 600)))[1])


def test_the_first_run_is_only_once(session: Session, url: str) -> None:
    other = Session(url)
    assert not other.account.first_run_needed()
    with pytest.raises(Conflict):
        other.account.first_run("second", "another-long-password")
    other.close()


def test_login_me_refresh_and_logout(session: Session) -> None:
    me = session.account.me()
    assert me.user.username == ADMIN[0]
    assert me.role == [Role.ADMIN]
    transport = session._transport
    first = transport._access_token()
    assert transport._access_token(refused_token=first) != first
    assert session.account.me().user == me.user
    session.account.logout()
    with pytest.raises(NotLoggedIn):
        session.account.me()


def test_a_wrong_password_is_refused(url: str) -> None:
    session = Session(url)
    with pytest.raises(Refused, match="用户名或密码错误"):
        session.account.login("nobody", "wrong")
    session.close()


def test_profile_and_password(session: Session) -> None:
    user = session.account.update_info({"name": "主任", "work_years": 9, "email": None})
    assert (user.name, user.work_years) == ("主任", 9)
    with pytest.raises(Refused) as refused:
        session.account.update_info({"email": "nonsense"})
    assert refused.value.data.startswith("email：")
    with pytest.raises(Refused, match="原密码错误"):
        session.account.update_password("wrong", "another-long-password")
    with pytest.raises(Invalid) as invalid:
        session.account.update_password(ADMIN[1], "short")
    assert invalid.value.faults == {"newPassword": "password_length"}
    session.account.update_password(ADMIN[1], ADMIN[1] + "2")
    session.account.update_password(ADMIN[1] + "2", ADMIN[1])


def test_users(session: Session, url: str) -> None:
    viewer_user = session.users.create("viewer1", "view-only-password", [Role.VIEWER], "看")
    assert [user.username for user in session.users.list(q="viewer1").data] == ["viewer1"]
    viewer = Session(url)
    viewer.account.login("viewer1", "view-only-password")
    with pytest.raises(Forbidden):
        viewer.records.create(RecordCreate(task_id="t"))
    changed = session.users.update(
        viewer_user.user_id, UserUpdate(enabled=False), password="new-view-password"
    )
    assert not changed.enabled
    with pytest.raises(NotLoggedIn):
        viewer.account.me()
    viewer.close()


def test_face_enrolment_login_and_deletion(session: Session, url: str) -> None:
    before = session.account.face_status()
    assert not before.enrolled
    assert before.current_consent_text
    with pytest.raises(Refused):
        session.account.enrol_face([picture()])
    status = session.account.enrol_face([face(), face(0.9)])
    assert (status.enrolled, status.templates) == (True, 2)
    other = Session(url)
    assert other.account.login_by_face(face(1.1)).user.username == ADMIN[0]
    with pytest.raises(Refused, match="无法校验人脸"):
        other.account.login_by_face(picture())
    session.account.delete_face()
    assert not session.account.face_status().enrolled
    other.close()


def test_the_catalogue(session: Session) -> None:
    aircraft = session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1234"))
    flight = session.catalogue.flights.create(
        FlightWrite(
            flight_number="CA1",
            aircraft_id=aircraft.aircraft_id,
            scheduled_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
    )
    task = session.catalogue.tasks.create(TaskWrite(task_name="walk", flight_id=flight.flight_id))
    assert task.aircraft_name == "B-1234"
    assert [entry.task_id for entry in session.catalogue.tasks.list(flight_id=flight.flight_id).data] == [
        task.task_id
    ]
    with pytest.raises(Conflict):
        session.catalogue.aircraft.delete(aircraft.aircraft_id)
    renamed = session.catalogue.tasks.update(task.task_id, TaskWrite(task_name="walk 2"))
    assert (renamed.task_name, renamed.flight_id) == ("walk 2", flight.flight_id)
    assert session.catalogue.tasks.get(task.task_id) == renamed
    assert [entry.task_id for entry in session.catalogue.tasks.list(q="b-123").data] == [task.task_id]
    read = session.catalogue.tasks.get_versioned(task.task_id)
    newer = session.catalogue.tasks.update(task.task_id, TaskWrite(task_name="walk 3"), read.etag)
    with pytest.raises(Stale) as stale:
        session.catalogue.tasks.update(task.task_id, TaskWrite(task_name="late"), read.etag)
    assert Task.model_validate(stale.value.details["current"]) == newer
    with pytest.raises(Stale):
        session.catalogue.tasks.delete(task.task_id, read.etag)
    session.catalogue.tasks.delete(task.task_id, stale.value.details["etag"])
    with pytest.raises(NotFound):
        session.catalogue.tasks.get(task.task_id)


def test_files(session: Session) -> None:
    data = picture(7, 300)
    stored = session.files.upload(data, "左翼.png")
    assert (stored.width, stored.height, stored.filename) == (300, 300, "左翼.png")
    assert session.files.download(stored.file_id) == data
    assert session.files.fetch(stored.download_url) == data
    small = not_none(cv2.imdecode(np.frombuffer(session.files.thumbnail(stored.file_id, 64), np.uint8), 1))
    assert max(small.shape[:2]) == 64
    with pytest.raises(NotFound):
        session.files.download("nothing")


def test_record_is_created_changed_and_deleted(session: Session) -> None:
    stored = session.files.upload(picture(3, 200), "reference.png")
    reference = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="wing", file_id=stored.file_id)
    )
    region = TemplateRegion(
        item_name="rivets", point=Point(x=0.1, y=0.1, w=0.5, h=0.5), detection={"sensitivity": 0.5}
    )
    images, first = session.catalogue.reference_images, reference.reference_image_id
    tag = images.get_versioned(first).etag
    reference = images.set_template(first, [region], tag)
    assert reference.template == [region]
    with pytest.raises(Stale):
        images.set_template(first, [], tag)
    scaled = ReferenceImageWrite(reference_image_name="wing", file_id=stored.file_id, mm_per_pixel=0.25)
    assert images.update(first, scaled).mm_per_pixel == 0.25
    assert images.get(first).template == [region]
    record = session.records.create(
        RecordCreate(task_id="t1", inspection_name="左翼", reference_image_id=reference.reference_image_id)
    )
    (item,) = session.items.from_template(record.inspection_id)
    assert item.item_name == "rivets"
    other = session.records.create(RecordCreate(task_id="t1"))
    (copied,) = session.items.from_record(other.inspection_id, record.inspection_id)
    assert copied.item_name == "rivets"
    session.records.delete(other.inspection_id)
    with pytest.raises(NotFound):
        session.records.get(other.inspection_id)

    photo_file = session.files.upload(picture(4), "photo.png")
    photo = session.items.add_photo(item.item_id, photo_file.file_id)
    assert [entry.photo_id for entry in session.items.photos(item.item_id)] == [photo.photo_id]
    session.items.delete_photo(item.item_id, photo.photo_id)
    assert session.items.photos(item.item_id) == []
    text = session.files.upload(b"no picture", "notes.txt")
    with pytest.raises(Unsupported):
        session.items.add_photo(item.item_id, text.file_id)

    with pytest.raises(Conflict):
        session.records.finish(record.inspection_id)
    decided = session.items.set_verdict(item.item_id, Verdict.PASSED, "fine")
    assert decided.value.result[-1].isPassed
    assert decided.etag == session.items.get(item.item_id).etag
    finished = session.records.finish(record.inspection_id)
    assert (finished.inspection_status, finished.progress) == (Status.PASSED, 100)
    page = session.records.search(RecordFilter(task_id="t1", inspection_status=Status.PASSED))
    assert record.inspection_id in [entry.inspection_id for entry in page.data]


def test_a_record_is_sealed_and_reopened(session: Session) -> None:
    records, items = session.records, session.items
    record = records.create(RecordCreate(task_id="t9")).inspection_id
    item = items.create(ItemCreate(item_name="rivets", inspection_id=record)).value
    with pytest.raises(Conflict) as conflict:
        records.finish(record, accept_model_opinion=True, item_ids=[item.item_id], reason="seen")
    assert conflict.value.code == "undecided_items"
    assert conflict.value.details["count"] == 1
    items.set_verdict(item.item_id, Verdict.FAILED)
    open_one = records.seal(record)
    assert (open_one.state, open_one.outcome, open_one.newest) == (SealState.OPEN, Status.FAILED, None)
    tag = records.get(record).etag
    assert records.finish(record, etag=tag).inspection_status == Status.FAILED
    with pytest.raises(Conflict) as sealed:
        items.set_verdict(item.item_id, Verdict.PASSED)
    assert sealed.value.code == "record_sealed"
    (standing,) = records.summaries([record, "none"])
    assert standing.state is SealState.FINISHED
    assert standing.newest is not None
    assert (standing.counters.items, standing.counters.failed) == (1, 1)
    content = records.edition(record, 1)
    assert sha256(content.canonical.encode()).hexdigest() == standing.newest.seal
    assert content.content["items"][0]["item_name"] == "rivets"
    check = records.verify_seal(record)
    assert (check.intact, check.current, check.differences) == (True, True, [])
    assert records.reopen(record, "wrong wing").state is SealState.REOPENED
    assert records.policy().four_eyes is False
    records.set_policy(InspectionPolicy(four_eyes=True))
    try:
        records.finish(record)
    finally:
        records.set_policy(InspectionPolicy(four_eyes=False))
    assert [edition.needs_release for edition in records.editions(record)] == [False, True]
    with pytest.raises(Forbidden) as refused:
        records.release(record, 2)
    assert refused.value.code == "same_person"


def test_stale_change_is_refused(session: Session) -> None:
    record = session.records.create(RecordCreate(task_id="t2"))
    read = session.records.get(record.inspection_id)
    changed = session.records.update(record.inspection_id, RecordUpdate(inspection_name="mine"), read.etag)
    assert changed.etag != read.etag
    with pytest.raises(Stale):
        session.records.update(record.inspection_id, RecordUpdate(inspection_name="late"), read.etag)
    point = ItemPoint(point=Point(x=0, y=0, w=1, h=1))
    created = session.items.create(
        ItemCreate(item_name="a", inspection_id=record.inspection_id, item_point=point)
    )
    assert created.value.item_point == point
    newer = session.items.update(created.value.item_id, ItemUpdate(description="x"), created.etag)
    assert newer.value.description == "x"
    with pytest.raises(Stale):
        session.items.update(created.value.item_id, ItemUpdate(description="y"), created.etag)
    session.items.delete(created.value.item_id)
    assert session.items.all(record.inspection_id) == []


def test_stale_verdict_and_correction_are_refused(session: Session) -> None:
    record = session.records.create(RecordCreate(task_id="t2")).inspection_id
    result = [{"isPassed": False, "progress": "done", "version": 1, "resultImage": {"boxes": []}}]
    body = ItemCreate.model_validate({"item_name": "a", "inspection_id": record, "result": result})
    created = session.items.create(body)
    item_id = created.value.item_id
    decided = session.items.set_verdict(item_id, Verdict.PASSED, "fine", created.etag)
    with pytest.raises(Stale) as stale:
        session.items.set_verdict(item_id, Verdict.FAILED, etag=created.etag)
    assert stale.value.details["etag"] == decided.etag
    assert len(stale.value.details["current"]["result"]) == 2
    with pytest.raises(Stale):
        session.items.correct(item_id, 1, [], created.etag)
    assert session.items.correct(item_id, 1, [], decided.etag).value.result[-1].version == 3
    assert session.items.set_verdict(item_id, Verdict.FAILED).value.result[-1].version == 4


def test_deleted_item_is_restored(session: Session) -> None:
    record = session.records.create(RecordCreate(task_id="t2")).inspection_id
    item_ids = [
        session.items.create(ItemCreate(item_name=name, inspection_id=record)).value.item_id for name in "abc"
    ]
    before = session.items.get(item_ids[1])
    session.items.delete(item_ids[1])
    with pytest.raises(NotFound):
        session.items.get(item_ids[1])
    assert session.items.restore(item_ids[1]) == before
    assert session.items.restore(item_ids[1]) == before
    assert [item.item_id for item in session.items.all(record)] == item_ids
    session.items.delete(item_ids[1])
    session.records.delete(record)
    with pytest.raises(NotFound):
        session.items.restore(item_ids[1])


def test_all_items_of_a_long_record(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    record = session.records.create(RecordCreate(task_id="t3"))
    for number in range(5):
        session.items.create(ItemCreate(item_name=str(number), inspection_id=record.inspection_id))
    listed = session.items.list
    monkeypatch.setattr(
        session.items, "list", lambda inspection_id, page=1, page_size=200: listed(inspection_id, page, 2)
    )
    assert [item.item_name for item in session.items.all(record.inspection_id)] == list("01234")


def test_detection(session: Session) -> None:
    models = session.detection.models()
    assert "reference-difference" in [model.model_id for model in models]
    wing = session.files.upload(picture(11, 480), "wing.png")
    reference = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="wing", file_id=wing.file_id)
    )
    record = session.records.create(
        RecordCreate(task_id="t4", reference_image_id=reference.reference_image_id)
    )
    item = session.items.create(
        ItemCreate(
            item_name="a",
            inspection_id=record.inspection_id,
            model_id="reference-difference",
            item_point=ItemPoint(point=Point(x=0.1, y=0.1, w=0.8, h=0.8)),
        )
    ).value
    with pytest.raises(Conflict) as refused:
        session.items.detect(item.item_id)
    assert refused.value.code == "no_photo"
    with pytest.raises(Conflict) as refused:
        session.items.add_photo(item.item_id, wing.file_id)
    assert refused.value.code == "photo_is_reference"
    today = session.files.upload(picture(11, 480, brighter=3), "today.png")
    session.items.add_photo(item.item_id, today.file_id)
    job = session.items.detect(item.item_id, wait=20)
    assert (job.state, job.error) == ("done", None)
    assert session.detection.job(job.job_id) == job
    assert session.detection.cancel(job.job_id).state == "done"
    entry = session.items.get(item.item_id).value.result[-1]
    assert (entry.version, entry.isPassed) == (job.version, True)
    (again,) = session.records.detect(record.inspection_id)
    assert again.item_id == item.item_id
