"""States of a detection: waiting, running, failed with a reason, cancelled; shown by every desktop."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.connection.local_service import EmbeddedService
from desktop.record.item_rows import RunPhase, run_state
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.wire.inspection import Place
from tests.client_session import open_session
from tests.desktop.pages.workbench.driver import (
    BOXES,
    HEIGHT,
    WIDTH,
    WorkbenchDriver,
    make_record,
    picture,
    store_detections,
    workbench_driver,
)
from tests.narrowing import not_none
from tests.pictures import panel_image

pytestmark = pytest.mark.slow

REGION = ((0.2, 0.2, 0.4, 0.4),)


def png(image: np.ndarray) -> bytes:
    good, data = cv2.imencode(".png", image)
    assert good
    return bytes(data)


def large() -> bytes:
    """A photo of the reference image that takes a while to compare."""
    image = panel_image(WIDTH, HEIGHT, 1)
    return png(cv2.resize(image, (4 * WIDTH, 4 * HEIGHT), interpolation=cv2.INTER_CUBIC))


def add_photo(session: Session, record_id: str, data: bytes, place: int = 0) -> str:
    item = session.items.all(record_id)[place]
    session.items.add_photo(item.item_id, session.files.upload(data, "today.png").file_id)
    return item.item_id


@pytest.fixture
def other(service: EmbeddedService, qtbot: QtBot) -> Iterator[WorkbenchDriver]:
    """A second desktop of the same account, without a journal: the first one has it open."""
    with open_session(service.wait_until_ready(30)) as session, workbench_driver(session, qtbot) as driver:
        yield driver


@pytest.mark.parametrize(
    ("entry", "run"),
    [
        ({"progress": "pending", "job_id": "j", "isPassed": False}, RunPhase.WAITING),
        ({"progress": "detecting", "job_id": "j", "isPassed": False}, RunPhase.RUNNING),
        ({"progress": "done", "job_id": "j", "isPassed": True}, RunPhase.DONE),
        (
            {"progress": "error", "job_id": "j", "error": {"code": "no_photo", "message": "x"}},
            RunPhase.FAILED,
        ),
        ({"progress": "canceled", "job_id": "j", "isPassed": False}, RunPhase.CANCELED),
        ({"progress": "in_some_other_word", "job_id": "j"}, RunPhase.DONE),
        # Of a detection without a job: it will never be finished.
        ({"progress": "detecting", "provenance": {}, "isPassed": False}, RunPhase.DONE),
        # Written by a client: no detection of the service.
        ({"progress": "detecting", "isPassed": False}, RunPhase.NONE),
        ({"progress": "in_some_other_word"}, RunPhase.NONE),
        ({"progress": "done", "isPassed": True}, RunPhase.NONE),
    ],
)
def test_progress_comes_from_the_newest_entry(entry: Entry, run: RunPhase) -> None:
    old: Entry = {"progress": "done", "isPassed": True, "version": 1}
    state = run_state([old, {**entry, "version": 2}])
    assert state.run is run
    assert state.is_running == (run in (RunPhase.WAITING, RunPhase.RUNNING))
    assert bool(state.message) == (run is RunPhase.FAILED)


def test_known_reason_is_translated() -> None:
    entry: Entry = {
        "progress": "error",
        "job_id": "j",
        "error": {"code": "no_photo", "message": "该条目还没有照片"},
    }
    assert run_state([entry]).message == "This item has no photo. Add one first."
    entry["error"] = {"code": "brand_new", "message": "新的原因"}
    assert run_state([entry]).message == "新的原因"
    assert run_state([]).run is RunPhase.NONE


def test_unsuitable_photo_is_explained_and_another_one_is_retried(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session, REGION)
    noise = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    add_photo(workbench.session, record_id, png(cv2.GaussianBlur(noise, (9, 9), 3)))
    workbench.open(record_id, qtbot.waitUntil)
    box = workbench.page.inspector.run
    assert box.start.isVisible()
    assert not box.retry.isVisible()
    box.start.click()
    assert box.notice.text() == "Detection queued…"
    qtbot.waitUntil(box.retry.isVisible)
    assert box.why.text().startswith("The photo could not be matched")
    row = workbench.page.open_record.rows[0]
    assert (row.note, row.findings) == (box.why.text(), 0)
    assert box.align.isVisible()
    assert not box.start.isVisible()
    box.align.click()
    assert workbench.page.canvas.centre.currentWidget() is workbench.page.canvas.compare
    workbench.page.canvas.aligning.cancel()
    add_photo(workbench.session, record_id, picture(1))
    box.retry.click()
    qtbot.waitUntil(lambda: not_none(workbench.page.open_record.item).passed is True)
    qtbot.waitUntil(box.start.isVisible)
    assert not box.why.isVisible()
    assert not workbench.page.results.detecting.running_items


def grain(seed: int) -> bytes:
    """A surface that looks alike everywhere but has no place in common with that of another seed."""
    noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(0, 140, (HEIGHT, WIDTH, 1)), (0, 0), 2)
    return png(np.repeat(np.clip(128 + noise, 0, 255).astype(np.uint8)[..., None], 3, axis=2))


def test_photo_that_cannot_be_aligned_is_compared_without(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    """The reference image is the one that passed, as long as no photo did."""
    record_id = make_record(workbench.session, REGION, reference=grain(1))
    add_photo(workbench.session, record_id, grain(2))
    workbench.open(record_id, qtbot.waitUntil)
    box, settings = workbench.page.inspector.run, workbench.page.inspector.fields.detection_settings
    box.start.click()
    qtbot.waitUntil(box.unaligned.isVisible)
    assert box.hint.isVisible()
    qtbot.waitUntil(lambda: not box.unaligned.visibleRegion().isEmpty())
    box.unaligned.click()
    menu = not_none(box.findChild(QMenu))
    assert [entry.text() for entry in menu.actions()] == ["Fixed camera", "Anywhere"]
    menu.actions()[0].trigger()
    menu.close()
    assert settings.place.value() == Place.FIXED
    qtbot.waitUntil(lambda: not_none(workbench.page.open_record.item).passed is True)
    assert not box.unaligned.isVisible()


@pytest.mark.parametrize("before", ["", "No findings. "])
def test_failed_detection_is_named_at_the_top_until_a_photo_is_added(
    workbench: WorkbenchDriver, qtbot: QtBot, before: str
) -> None:
    session, page = workbench.session, workbench.page
    record_id = make_record(session, REGION)
    item_id = add_photo(session, record_id, picture(2))
    (photo,) = session.items.photos(item_id)
    failed: Entry = {
        "version": 2,
        "job_id": "j",
        "isPassed": False,
        "progress": "error",
        "error": {"code": "alignment_failed", "message": "x"},
        "inputImage": {"file_id": photo.file_id},
    }
    done: Entry = {"version": 1, "job_id": "i", "isPassed": True, "progress": "done"}
    store_detections(session, item_id, *([done] if before else []), failed)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: page.open_record.photos.get(item_id) is not None)
    top, box = page.inspector.findings, page.inspector.run
    assert top.text == f"{before}The newest detection failed."
    assert box.why.text().startswith("The photo could not be matched")
    assert box.retry.isVisibleTo(box)
    model = page.items.panel.model
    assert not_none(model.row(0)).note.startswith("The photo could not be matched")
    add_photo(session, record_id, picture(3))
    qtbot.waitUntil(lambda: top.text == f"{before}The newest photo has not been inspected yet.")
    assert not any(part.isVisibleTo(box) for part in (box.why, box.notice, box.align, box.retry))
    assert box.start.isVisibleTo(box)
    qtbot.waitUntil(lambda: not_none(model.row(0)).note == "")
    # The same when the item is shown again.
    page.results.show_item()
    assert top.text == f"{before}The newest photo has not been inspected yet."
    assert box.start.isVisibleTo(box)


def test_list_names_a_failed_detection_only_of_the_newest_photo(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    session, page = workbench.session, workbench.page
    record_id = make_record(session, BOXES)
    for place in (1, 2):
        item_id = add_photo(session, record_id, picture(2), place)
        file_id = session.items.photos(item_id)[0].file_id
        failed: Entry = {"version": 1, "job_id": "j", "isPassed": False, "progress": "error"}
        failed |= {"error": {"code": "too_small", "message": "x"}, "inputImage": {"file_id": file_id}}
        store_detections(session, item_id, failed)
    add_photo(session, record_id, picture(3), 1)
    workbench.open(record_id, qtbot.waitUntil)
    # Neither item is the chosen one, whose photos are read anyway.
    assert [bool(row.note) for row in page.open_record.rows] == [False, False, True]
    add_photo(session, record_id, picture(4), 2)
    qtbot.waitUntil(lambda: not page.open_record.rows[2].note)
    page.reload()
    qtbot.waitUntil(lambda: page.open_record.rows[2].status == "undecided")
    assert not any(row.note for row in page.open_record.rows)


def test_detection_of_another_desktop_appears(
    workbench: WorkbenchDriver, other: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    for place in range(3):
        add_photo(workbench.session, record_id, large(), place)
    workbench.open(record_id, qtbot.waitUntil)
    other.open(record_id, qtbot.waitUntil)
    qtbot.wait(500)
    seen_ids: list[str] = []
    marks: list[str] = []
    other.page.results.detecting.running_changed.connect(lambda running: seen_ids.extend(running))
    other.page.open_record.rows_changed.connect(
        lambda: marks.extend(row.run.run for row in other.page.open_record.rows)
    )
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(
        lambda: all(row.run.run is RunPhase.DONE for row in other.page.open_record.rows), timeout=60000
    )
    qtbot.waitUntil(lambda: all(row.run.run is RunPhase.DONE for row in workbench.page.open_record.rows))
    # How many are seen running depends on the speed; some must be.
    assert set(seen_ids) & {row.item_id for row in other.page.open_record.rows}
    assert {RunPhase.WAITING, RunPhase.RUNNING} & set(marks)
    qtbot.waitUntil(lambda: not other.page.results.detecting.running_items)
    assert "Run detection" in workbench.page.top.detect.text()


def test_detection_continues_after_leaving_and_ends_on_cancel(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    for place in range(3):
        add_photo(workbench.session, record_id, large(), place)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: len(workbench.page.results.detecting.running_items) >= 2)
    workbench.page.top.detect_cancelled.emit()
    qtbot.waitUntil(lambda: not workbench.page.results.detecting.running_items)
    runs = [row.run.run for row in workbench.page.open_record.rows]
    assert RunPhase.CANCELED in runs
    place = runs.index(RunPhase.CANCELED)
    workbench.page.open_record.choose(workbench.page.open_record.rows[place].item_id)
    box = workbench.page.inspector.run
    assert box.notice.text() == "Detection cancelled."
    box.retry.click()
    item_id = workbench.page.open_record.current
    qtbot.waitUntil(
        lambda: (
            not_none(workbench.page.open_record.item).result[-1].get("progress") in ("pending", "detecting")
        )
    )
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    assert not workbench.page.results.detecting.running_items
    qtbot.waitUntil(lambda: workbench.session.items.get(item_id).value.result[-1].progress == "done")


def test_items_that_cannot_be_detected_are_counted(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    add_photo(workbench.session, record_id, picture(3))
    workbench.open(record_id, qtbot.waitUntil)
    with qtbot.waitSignal(workbench.page.results.detecting.notice) as notice:
        workbench.context.commands.run("record.detect")
    assert notice.args == ["2 item(s) skipped: no photo or no model."]
    workbench.page.results.detecting.cancel()
    qtbot.waitUntil(lambda: not workbench.page.results.detecting.running_items)


def test_detect_all_runs_items_without_a_current_result_and_offers_the_rest(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session, ((0.2, 0.2, 0.4, 0.4), (0.5, 0.5, 0.3, 0.3)))
    for place in range(2):
        add_photo(workbench.session, record_id, picture(1), place)
    workbench.open(record_id, qtbot.waitUntil)
    page, rest = workbench.page, workbench.page.results.skipped

    def versions() -> list[int]:
        return [len(item.result) for item in workbench.session.items.all(record_id)]

    def over() -> bool:
        # The results may arrive before the response to the request.
        return not (page.results.detecting._asking or page.results.detecting.running_items) and all(
            row.run.run is RunPhase.DONE for row in page.open_record.rows
        )

    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: over() and versions() == [1, 1])
    assert not rest.isVisible()
    add_photo(workbench.session, record_id, large(), 1)
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(rest.isVisible)
    assert rest.text()[:11] == "1 undecided"
    qtbot.waitUntil(lambda: over() and versions() == [1, 2])
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: rest.text()[:11] == "2 undecided")
    rest.action_chosen.emit()
    qtbot.waitUntil(lambda: over() and versions() == [2, 3])
    assert not rest.isVisible()
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(rest.isVisible, timeout=60_000)
    for row in page.open_record.rows:
        page.items.changes.decide_item(row.item_id, Verdict.FAILED, "dented")
    assert not rest.isVisible()
