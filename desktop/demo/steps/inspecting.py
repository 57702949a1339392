"""Plays the inspection: photos, detection, verdicts, finish and report."""

from __future__ import annotations

import json

from desktop.client.http.errors import ClientError
from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import (
    StepFailedError,
    check,
    choose_files,
    click_in_dialog,
    press,
    settled_picture,
    wait_until,
    write,
)
from desktop.demo.material.pictures import SPOTS
from desktop.demo.steps.records import go_to, wait_saved
from desktop.pages.workbench import WorkbenchPage
from desktop.pages.workbench.model.run_state import run_state
from desktop.widgets.dialogs import Confirm
from shared import results
from shared.codes import Verdict

_LAST = len(SPOTS)


def add_photos(play: DemoRun) -> None:
    """Add today's photo to every item."""
    with play.stage.step("add today's photo to every item"):
        page = play.page(WorkbenchPage)
        for number in range(1, _LAST + 1):
            go_to(page, number)
            item_id = page.open_record.current
            choose_files(lambda: press(page.view, play.key("item.photo")), [play.pictures.photo])
            wait_until(lambda it=item_id: page.open_record.photos.get(it), "the photo arrives")  # type: ignore[misc]


def detect(play: DemoRun) -> None:
    """Detect one item, then all of them."""
    with play.stage.step("detect"):
        page = play.page(WorkbenchPage)
        go_to(page, 1)
        press(page.view, play.key("item.detect"))
        _wait_detected(page, 1)
        press(page.view, play.key("record.detect"))
        _wait_detected(page, _LAST)


def _wait_detected(page: WorkbenchPage, count: int) -> None:
    def is_detected() -> bool:
        assert page.open_record.document is not None
        newest = [results.newest_detection(item.result) for item in page.open_record.document.items[:count]]
        for entry in newest:
            if why := run_state(() if entry is None else [entry]).message:
                raise StepFailedError(why)
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    wait_until(is_detected, "the detection is finished", seconds=40)


def decide(play: DemoRun) -> None:
    """Give verdicts by key; where person and model differ, say why. Keep a picture of the window."""
    with play.stage.step("decide"):
        page = play.page(WorkbenchPage)
        for number, spot in list(enumerate(SPOTS, 1))[:-1]:
            go_to(page, number)
            press(page.view, play.key("item.pass" if spot.damage is None else "item.fail"))
            if number == 2:
                write(page.inspector.verdict.reason, play.texts.fail)
                page.view.setFocus()
            _check_verdict(page, Verdict.PASSED if spot.damage is None else Verdict.FAILED)
        wait_saved(page)
        _save_picture(play, page)
        go_to(page, _LAST)
        press(page.view, play.key("item.pass"))
        check(page.inspector.verdict.shown_request, "nobody asks why person and model differ")
        write(page.inspector.verdict.reason, play.texts.overrule)
        page.view.setFocus()
        _check_verdict(page, Verdict.PASSED)
        wait_saved(page)


def _check_verdict(page: WorkbenchPage, verdict: Verdict) -> None:
    item = page.open_record.item
    check(item is not None and item.verdict is verdict, f"the verdict is not {verdict}")


def _save_picture(play: DemoRun, page: WorkbenchPage) -> None:
    """The whole window, with the crack in the inspector."""
    go_to(page, 2)
    press(page.view, play.key("view.fit"))
    wait_until(lambda: not play.desktop.window.toast.isVisible(), "the notice goes")
    wait_until(lambda: page.photos.pair is not None, "the photo stands beside the reference")
    shown = settled_picture(play.desktop.window)
    check(shown.save(str(play.out / "workbench.png")), "workbench.png cannot be written")


def finish(play: DemoRun) -> None:
    """Close the record."""
    with play.stage.step("finish the record"):
        page = play.page(WorkbenchPage)
        click_in_dialog(
            Confirm, lambda: press(page.view, play.key("record.finish")), lambda confirm: confirm.act
        )
        wait_until(lambda: _has_ended(page), "the record is closed")


def _has_ended(page: WorkbenchPage) -> bool:
    return page.open_record.document is not None and page.open_record.document.record.end_time is not None


def report(play: DemoRun) -> None:
    """Write the report, and what the service knows of the record."""
    with play.stage.step("write the report"):
        page = play.page(WorkbenchPage)
        path = (play.out / "report.pdf").absolute()
        choose_files(lambda: press(page.view, play.key("record.report")), [path])
        wait_until(path.exists, "the report is written", seconds=40)
    with play.stage.step("read the record from the service"):
        try:
            record = play.session.records.get(play.record_id).value
            items = play.session.items.all(play.record_id)
            seal = play.session.records.seal(play.record_id)
        except ClientError as error:
            raise StepFailedError(f"the record cannot be read: {error}") from error
        document = {
            "record": record.model_dump(mode="json"),
            "items": [item.model_dump(mode="json", exclude_unset=True) for item in items],
            "seal": seal.model_dump(mode="json"),
        }
        text = json.dumps(document, ensure_ascii=False, indent=2)
        (play.out / "record.json").write_text(text + "\n", encoding="utf-8")
