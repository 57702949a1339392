"""The first record from the guide alone, in the real window: what is pressed has the guide's name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.app.application import Desktop
from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    WindowDriver,
    press_keys,
    process_events,
    wait_until,
)
from desktop.demo.material import pictures
from desktop.demo.material.texts import TEXTS
from desktop.demo.steps import inspection, people, records
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from desktop.theme import Mode
from tests.e2e.guide_reader import SECONDS, Reader


def workbench(reader: Reader) -> WorkbenchPage:
    """Wait for the workbench with an image."""
    wait_until(lambda: reader.demo.is_in_front("workbench"), "the workbench opens", SECONDS)
    page = reader.demo.page(WorkbenchPage)
    wait_until(lambda: page.canvas.view.source is not None, "the image is open", SECONDS)
    return page


def drag_on_photo(page: WorkbenchPage) -> None:
    """Draw a rectangle on the photo, in the right half of the comparison."""
    view = page.canvas.compare
    start = QPoint(view.width() * 3 // 4, view.height() // 2)
    end = start + QPoint(40, 40)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, (start + end) / 2)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    process_events()


# -- the tasks, in the order in which a new workstation meets them


def first_start_and_first_record(reader: Reader) -> None:
    texts = reader.demo.texts
    reader.open("first-steps")
    names = ("Username", "Full name (optional)", "Password", "Confirm password")
    for name, text in zip(names, (people.ADMIN[0], texts.admin, *people.ADMIN[1:] * 2), strict=True):
        reader.write(name, text)
    reader.press("Create account and log in")
    reader.see("Try the sample inspection")
    reader.press("Create sample inspection")
    page = workbench(reader)
    records.go_to(page, 2)
    reader.open("detect")
    reader.press("Run detection on item")
    findings = page.inspector.findings
    wait_until(lambda: findings.shown_findings, "the findings are shown", SECONDS)


def correct_and_add_a_finding(reader: Reader) -> None:
    page = workbench(reader)
    wait_until(lambda: page.photos.pairing.pair, "the photo is shown", SECONDS)
    reader.press("Compare reference image and photo")
    wait_until(lambda: page.canvas.comparing.is_on, "photo and reference image are side by side", SECONDS)
    reader.name("Next finding")
    press_keys(page.canvas.compare, reader.demo.first_key("finding.next"))
    reader.from_menu("Accept finding")
    reader.press("Draw finding")
    drag_on_photo(page)
    reader.press("Save as new version")
    wait_until(lambda: not page.inspector.correction.pending.isVisible(), "it is saved", SECONDS)
    reader.from_menu("Compare versions…")
    reader.close_dialog()


def decide_and_finish(reader: Reader) -> None:
    page = workbench(reader)
    reader.open("decide")
    for number, row in enumerate(page.open_record.rows, 1):
        records.go_to(page, number)
        passes = not (row.findings or number == 2)
        reader.press("Pass" if passes else "Fail")
        reader.write("Reason or note for the report", reader.demo.texts.fail)
        page.canvas.view.setFocus()
    records.wait_until_saved(page)
    reader.open("finish")
    reader.press_and_confirm("Finish record…")
    wait_until(lambda: inspection.is_record_finished(page), "the record is finished", SECONDS)
    reader.open("report")
    path = reader.demo.out / "report.pdf"
    reader.choose_file("Export report…", path)
    wait_until(path.exists, "the report is saved", SECONDS)


FIRST_RECORD = (first_start_and_first_record, correct_and_add_a_finding, decide_and_finish)


@pytest.fixture
def demo(request: pytest.FixtureRequest, tmp_path: Path, qapp: QApplication) -> Iterator[DemoRun]:
    language: str = request.param
    qapp.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    preferences = Preferences(tmp_path / "preferences.json")
    preferences.change(language=language, theme=Mode.LIGHT, set_up=True, tours_start=False)
    desktop = Desktop(server_url="", data_folder=tmp_path / "data", preferences=preferences)
    driver = WindowDriver(lambda _name, _seconds: None)
    run = DemoRun(desktop, driver, pictures.write_pictures(tmp_path), TEXTS[language], tmp_path, tmp_path)
    try:
        people.open_window(run)
        yield run
    finally:
        desktop.close()
        process_events()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


both_languages = pytest.mark.parametrize(
    "demo", ["en", pytest.param("zh_CN", marks=pytest.mark.cjk)], indirect=True
)


@pytest.mark.slow(60)
@both_languages
def test_first_record_from_the_guide(demo: DemoRun) -> None:
    reader = Reader(demo)
    for task in FIRST_RECORD:
        with demo.driver.step(task.__name__):
            task(reader)
