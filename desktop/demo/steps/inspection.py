"""Plays the inspection: photos, detection, verdicts, finish and report. Checks the files that it wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import numpy as np
from pypdf import PdfReader
from PySide6.QtGui import QImage

from desktop.client.http.errors import ClientError
from desktop.demo.driver.demo_run import WINDOW, DemoRun
from desktop.demo.driver.window_driver import (
    StepFailedError,
    check,
    choose_files,
    click_in_dialog,
    grab_when_still,
    press_keys,
    type_text,
    wait_until,
)
from desktop.demo.material import REGIONS
from desktop.demo.steps.records import go_to, wait_until_saved
from desktop.pages.workbench import WorkbenchPage
from desktop.record.item_rows import run_state
from desktop.widgets.dialogs import Confirm
from shared.record import results
from shared.record.codes import Status, Verdict
from shared.record.geometry import Rect

_ITEM_COUNT = len(REGIONS)


def add_photos(demo: DemoRun) -> None:
    """Add today's photo to every item."""
    with demo.driver.step("add today's photo to every item"):
        page = demo.page(WorkbenchPage)
        for number in range(1, _ITEM_COUNT + 1):
            go_to(page, number)
            item_id = page.open_record.current
            choose_files(
                lambda: press_keys(page.canvas.comparing.canvas, demo.first_key("item.photo")),
                [demo.pictures.photo],
            )
            wait_until(lambda it=item_id: page.open_record.photos.get(it), "the photo arrives")  # type: ignore[misc]


def open_phone_page(demo: DemoRun) -> None:
    """Show the code that connects a phone, and open the page that it leads to."""
    with demo.driver.step("open the page for a phone"):
        phone = demo.page(WorkbenchPage).photos.phone
        demo.desktop.context.commands.run("item.phone")
        dialog = wait_until(lambda: phone.dialog, "the window for a phone opens")
        wait_until(lambda: dialog is not None and dialog.code, "the code is shown")
        answer = httpx.get(f"{demo.session.base_url}/phone", trust_env=False)
        check(answer.is_success, f"the page for phones answers {answer.status_code}")
        phone.close()


def detect_items(demo: DemoRun) -> None:
    """Detect one item, then all of them."""
    with demo.driver.step("detect"):
        page = demo.page(WorkbenchPage)
        go_to(page, 1)
        press_keys(page.canvas.comparing.canvas, demo.first_key("item.detect"))
        _wait_detected(page, 1)
        press_keys(page.canvas.comparing.canvas, demo.first_key("record.detect"))
        _wait_detected(page, _ITEM_COUNT)


def _wait_detected(page: WorkbenchPage, count: int) -> None:
    def is_detected() -> bool:
        assert page.open_record.document is not None
        newest = [results.newest_detection(item.result) for item in page.open_record.document.items[:count]]
        for entry in newest:
            if message := run_state(() if entry is None else [entry]).message:
                raise StepFailedError(message)
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    wait_until(is_detected, "the detection is finished", seconds=40)


def decide_items(demo: DemoRun) -> None:
    """Give verdicts by key, with a reason where person and model differ. Save a picture of the window."""
    with demo.driver.step("decide"):
        page = demo.page(WorkbenchPage)
        for number, region in list(enumerate(REGIONS, 1))[:-1]:
            go_to(page, number)
            press_keys(
                page.canvas.comparing.canvas,
                demo.first_key("item.pass" if region.damage is None else "item.fail"),
            )
            if number == 2:
                type_text(page.inspector.verdict.reason, demo.texts.fail)
                page.canvas.comparing.canvas.setFocus()
            _check_verdict(page, Verdict.PASSED if region.damage is None else Verdict.FAILED)
        wait_until_saved(page)
        _save_picture(demo, page)
        go_to(page, _ITEM_COUNT)
        press_keys(page.canvas.comparing.canvas, demo.first_key("item.pass"))
        check(page.inspector.verdict.shown_request, "the verdict asks for no reason")
        type_text(page.inspector.verdict.reason, demo.texts.overrule)
        page.canvas.comparing.canvas.setFocus()
        _check_verdict(page, Verdict.PASSED)
        wait_until_saved(page)


def _check_verdict(page: WorkbenchPage, verdict: Verdict) -> None:
    item = page.open_record.item
    check(item is not None and item.verdict is verdict, f"the verdict is not {verdict}")


def _save_picture(demo: DemoRun, page: WorkbenchPage) -> None:
    """Save a picture of the window, with the crack on the photo and in the properties panel."""
    go_to(page, 2)
    wait_until(lambda: page.canvas.photo.source is not None, "the photo is on the canvas")
    wait_until(lambda: not demo.desktop.window.toast.isVisible(), "the notice disappears")
    wait_until(lambda: page.photos.pairing.pair is not None, "the photo is beside the reference image")
    shown = grab_when_still(demo.desktop.window)
    check(shown.save(str(demo.out / "workbench.png")), "workbench.png cannot be written")


def finish_record(demo: DemoRun) -> None:
    """Finish the record."""
    with demo.driver.step("finish the record"):
        page = demo.page(WorkbenchPage)
        click_in_dialog(
            Confirm,
            lambda: press_keys(page.canvas.comparing.canvas, demo.first_key("record.finish")),
            lambda confirm: confirm.confirm_button,
        )
        wait_until(lambda: is_record_finished(page), "the record is finished")


def is_record_finished(page: WorkbenchPage) -> bool:
    return page.open_record.document is not None and page.open_record.document.record.end_time is not None


def export_report(demo: DemoRun) -> None:
    """Export the report, and save the record as the service returns it."""
    with demo.driver.step("export the report"):
        page = demo.page(WorkbenchPage)
        path = (demo.out / "report.pdf").absolute()
        choose_files(
            lambda: press_keys(page.canvas.comparing.canvas, demo.first_key("record.report")), [path]
        )
        wait_until(path.exists, "the report is saved", seconds=40)
    with demo.driver.step("read the record from the service"):
        try:
            record = demo.session.records.get(demo.record_id).value
            items = demo.session.items.all(demo.record_id)
            seal = demo.session.records.seal(demo.record_id)
        except ClientError as error:
            raise StepFailedError(f"the record cannot be read: {error}") from error
        document = {
            "record": record.model_dump(mode="json"),
            "items": [item.model_dump(mode="json", exclude_unset=True) for item in items],
            "seal": seal.model_dump(mode="json"),
        }
        text = json.dumps(document, ensure_ascii=False, indent=2)
        (demo.out / "record.json").write_text(text + "\n", encoding="utf-8")


_MAX_MISSED = 1
_MIN_COLOURS = 1000


def check_files(demo: DemoRun) -> None:
    """Check that the picture is not empty, the report is readable and the known damage was found."""
    with demo.driver.step("check the files"):
        _check_picture(demo)
        _check_report(demo)
        _check_record(demo)


def _check_picture(demo: DemoRun) -> None:
    image = QImage(str(demo.out / "workbench.png"))
    check((image.width(), image.height()) == WINDOW, "workbench.png has another size than the window")
    pixels = np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
    check(np.unique(pixels).size > _MIN_COLOURS, "workbench.png shows nothing")


def _check_report(demo: DemoRun) -> None:
    reader = PdfReader(demo.out / "report.pdf")
    text = "".join(page.extract_text() for page in reader.pages)
    for expected in (demo.texts.record, demo.texts.inspector, *(name for name, _ in demo.texts.items)):
        check(_compared_text(expected) in _compared_text(text), f"report.pdf does not contain {expected}")


def _compared_text(text: str) -> str:
    """Return the text without spaces, with one kind of dash.

    Fonts have one glyph for the figure dash and the en dash, and a PDF keeps only one character of it.
    """
    return "".join(text.split()).replace("\N{FIGURE DASH}", "\N{EN DASH}")


def _check_record(demo: DemoRun) -> None:
    document = json.loads((demo.out / "record.json").read_text("utf-8"))
    check(document["seal"]["record_state"] == Status.FAILED, "a record with damage is not failed")
    check(document["record"]["progress"] == 100, "the record is not complete")
    items: Sequence[Mapping[str, Any]] = document["items"]
    missed = []
    for item, region, defect in zip(items, REGIONS, demo.pictures.defects, strict=True):
        if defect is None:
            check(results.model_opinion(item["result"]) is True, f"{item['item_name']}: damage where is none")
        elif not any(_contains_centre(box, demo.pictures.in_photo(defect.box)) for box in _boxes(item)):
            missed.append(f"{item['item_name']} ({region.damage})")
    check(len(missed) <= _MAX_MISSED, f"damage was not found: {', '.join(missed)}")


def _boxes(item: Mapping[str, Any]) -> list[Rect]:
    entry = results.newest_detection(item["result"])
    boxes = ((entry or {}).get("resultImage") or {}).get("boxes") or []
    points = [box["points"] for box in boxes]
    return [Rect(p["x1"], p["y1"], p["x2"] - p["x1"], p["y2"] - p["y1"]) for p in points]


def _contains_centre(box: Rect, damage: Rect) -> bool:
    """Return True if the centre of `damage` is in `box`."""
    return box.contains(*damage.centre)
