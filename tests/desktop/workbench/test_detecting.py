"""Where a detection stands: waiting, under way, failed with a reason, cancelled; seen by every desktop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.embedded import EmbeddedService
from desktop.pages.workbench.run_state import Run, run_state
from shared.cv import cv2
from shared.samples import panel
from tests.desktop.workbench.stage import HEIGHT, WIDTH, Desk, desk, make_record, picture
from tests.service_process import logged_in

REGION = ((0.2, 0.2, 0.4, 0.4),)


def png(image: np.ndarray) -> bytes:
    good, data = cv2.imencode(".png", image)
    assert good
    return bytes(data)


def large() -> bytes:
    """A photo of the reference image that takes a while to compare."""
    image = panel(WIDTH, HEIGHT, 1).image
    return png(cv2.resize(image, (4 * WIDTH, 4 * HEIGHT), interpolation=cv2.INTER_CUBIC))


def add_photo(session: Session, record_id: str, data: bytes, place: int = 0) -> str:
    item = session.items.all(record_id)[place]
    session.items.add_photo(item.item_id, session.files.upload(data, "today.png").file_id)
    return item.item_id


@pytest.fixture
def other(service: EmbeddedService, qtbot: QtBot) -> Iterator[Desk]:
    """Another user at another desktop, without a journal of their own: it is open here."""
    with logged_in(service.wait_ready(30)) as session, desk(session, qtbot) as there:
        yield there


@pytest.mark.parametrize(
    ("entry", "run"),
    [
        ({"progress": "pending", "job_id": "j", "isPassed": False}, Run.WAITING),
        ({"progress": "detecting", "job_id": "j", "isPassed": False}, Run.RUNNING),
        ({"progress": "done", "job_id": "j", "isPassed": True}, Run.DONE),
        ({"progress": "error", "job_id": "j", "error": {"code": "no_photo", "message": "x"}}, Run.FAILED),
        ({"progress": "canceled", "job_id": "j", "isPassed": False}, Run.CANCELED),
        ({"progress": "detecting", "isPassed": False}, Run.DONE),
        ({"progress": "in_some_other_word"}, Run.DONE),
    ],
)
def test_the_newest_entry_says_where_it_stands(entry: dict[str, Any], run: Run) -> None:
    old = {"progress": "done", "isPassed": True, "version": 1}
    state = run_state([old, {**entry, "version": 2}])
    assert state.run is run
    assert state.under_way == (run in (Run.WAITING, Run.RUNNING))
    assert bool(state.message) == (run is Run.FAILED)


def test_a_known_reason_is_said_in_the_words_of_the_desktop() -> None:
    entry = {"progress": "error", "error": {"code": "no_photo", "message": "该条目还没有照片"}}
    assert run_state([entry]).message == "This item has no photo. Add one first."
    entry["error"] = {"code": "brand_new", "message": "新的原因"}
    assert run_state([entry]).message == "新的原因"
    assert run_state([]).run is Run.NONE


def test_a_photo_that_does_not_fit_says_why_and_another_one_is_retried(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session, REGION)
    noise = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    add_photo(bench.session, record_id, png(cv2.GaussianBlur(noise, (9, 9), 3)))
    bench.open(record_id, qtbot.waitUntil)
    box = bench.page.inspector.run
    assert box.start.isVisible()
    assert not box.retry.isVisible()
    box.start.click()
    assert box.said.text() == "Detection queued…"
    qtbot.waitUntil(box.retry.isVisible, timeout=30000)
    assert box.why.text().startswith("The photo does not")
    assert bench.page.bench.rows[0].note == box.why.text()
    assert box.align.isVisible()
    assert not box.start.isVisible()
    box.align.click()
    assert bench.page.centre.currentWidget() is bench.page.compare
    bench.page.aligning.cancel()
    add_photo(bench.session, record_id, picture(1))
    box.retry.click()
    qtbot.waitUntil(lambda: bench.page.bench.item.passed is True, timeout=30000)
    qtbot.waitUntil(box.start.isVisible)
    assert not box.why.isVisible()
    assert not bench.page.detecting.running


def test_what_another_desktop_detects_is_seen_and_appears(bench: Desk, other: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    for place in range(3):
        add_photo(bench.session, record_id, large(), place)
    bench.open(record_id, qtbot.waitUntil)
    other.open(record_id, qtbot.waitUntil)
    qtbot.wait(500)
    seen: list[str] = []
    marks: list[str] = []
    other.page.detecting.runningChanged.connect(lambda running: seen.extend(running))
    other.page.bench.changed.connect(lambda: marks.extend(row.run.run for row in other.page.bench.rows))
    bench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: all(row.run.run is Run.DONE for row in other.page.bench.rows), timeout=60000)
    qtbot.waitUntil(lambda: all(row.run.run is Run.DONE for row in bench.page.bench.rows))
    # How many are seen on their way is a matter of speed; that some are, is not.
    assert set(seen) & {row.item_id for row in other.page.bench.rows}
    assert {Run.WAITING, Run.RUNNING} & set(marks)
    qtbot.waitUntil(lambda: not other.page.detecting.running)
    assert "Run detection" in bench.page.top.detect.text()


def test_leaving_the_record_ends_nothing_and_cancel_ends_all(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    for place in range(3):
        add_photo(bench.session, record_id, large(), place)
    bench.open(record_id, qtbot.waitUntil)
    bench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: len(bench.page.detecting.running) >= 2)
    bench.page.top.detect_cancelled.emit()
    qtbot.waitUntil(lambda: not bench.page.detecting.running, timeout=30000)
    runs = [row.run.run for row in bench.page.bench.rows]
    assert Run.CANCELED in runs
    place = runs.index(Run.CANCELED)
    bench.page.bench.choose(bench.page.bench.rows[place].item_id)
    box = bench.page.inspector.run
    assert box.said.text() == "Detection cancelled."
    box.retry.click()
    item_id = bench.page.bench.current
    qtbot.waitUntil(lambda: bench.page.bench.item.result[-1].get("progress") in ("pending", "detecting"))
    bench.open(make_record(bench.session, ()), qtbot.waitUntil)
    assert not bench.page.detecting.running
    qtbot.waitUntil(
        lambda: bench.session.items.get(item_id).value.result[-1].progress == "done", timeout=30000
    )


def test_items_that_cannot_be_detected_are_counted(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    add_photo(bench.session, record_id, picture(3))
    bench.open(record_id, qtbot.waitUntil)
    with qtbot.waitSignal(bench.page.detecting.said) as said:
        bench.context.commands.run("record.detect")
    assert said.args == ["2 item(s) skipped: no photo or no model."]
    bench.page.detecting.cancel()
    qtbot.waitUntil(lambda: not bench.page.detecting.running, timeout=20000)


def test_detect_all_runs_what_has_no_current_result_and_offers_the_rest(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session, ((0.2, 0.2, 0.4, 0.4), (0.5, 0.5, 0.3, 0.3)))
    for place in range(2):
        add_photo(bench.session, record_id, picture(1), place)
    bench.open(record_id, qtbot.waitUntil)
    page, rest = bench.page, bench.page.rest

    def versions() -> list[int]:
        return [len(item.result) for item in bench.session.items.all(record_id)]

    def over() -> bool:
        return not page.detecting.running and all(row.run.run is Run.DONE for row in page.bench.rows)

    bench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: over() and versions() == [1, 1])
    assert not rest.isVisible()
    add_photo(bench.session, record_id, large(), 1)
    bench.context.commands.run("record.detect")
    qtbot.waitUntil(rest.isVisible)
    assert rest.text()[:11] == "1 undecided"
    qtbot.waitUntil(lambda: over() and versions() == [1, 2])
    bench.context.commands.run("record.detect")
    qtbot.waitUntil(lambda: rest.text()[:11] == "2 undecided")
    rest.acted.emit()
    qtbot.waitUntil(lambda: over() and versions() == [2, 3])
    assert not rest.isVisible()
