"""From an empty machine to the first detection result, by clicks on the real windows, which are counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.application import Desktop
from desktop.connection.local_service import ServiceState
from desktop.pages.first_steps.coordinator import FirstStepsPanel
from desktop.pages.first_steps.start_dialog import StartDialog
from desktop.pages.login import LoginPage
from desktop.pages.login.service_choice import Step
from desktop.pages.records import RecordsPage
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from shared.images.cv import cv2
from shared.record import results
from shared.samples import inspection
from tests.desktop.pages.first_steps.driver import click, dialog, write
from tests.narrowing import not_none

pytestmark = pytest.mark.slow

MAX_CLICKS = 12


class FirstHour:
    """An empty machine whose clicks are counted: one for each press, and one for "Open" in a file dialog."""

    def __init__(self, desktop: Desktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desktop = desktop
        self.qtbot = qtbot
        self.clicks = 0
        self._patch = monkeypatch

    def wait(self, holds: Callable[[], object]) -> None:
        """Look ten times a second: a hundred times takes processor time for as long as a detection waits."""
        deadline = time.monotonic() + 180
        while not holds():
            assert time.monotonic() < deadline, "waited too long"
            self.qtbot.wait(100)

    def click(self, widget: QWidget) -> None:
        click(self.qtbot, widget)
        self.clicks += 1

    def choose_file(self, button: QWidget, path: Path) -> None:
        single, several = (str(path), ""), ([str(path)], "")
        self._patch.setattr(QFileDialog, "getOpenFileName", lambda *_args, **_more: single)
        self._patch.setattr(QFileDialog, "getOpenFileNames", lambda *_args, **_more: several)
        self.click(button)
        self.clicks += 1

    def page(self, page_id: str) -> None:
        self.wait(lambda: not_none(self.desktop.window.page).page_id == page_id)

    @property
    def login(self) -> LoginPage:
        page = self.desktop.window.page
        assert isinstance(page, LoginPage)
        return page

    @property
    def records(self) -> RecordsPage:
        page = self.desktop.window.page
        assert isinstance(page, RecordsPage)
        return page

    @property
    def workbench(self) -> WorkbenchPage:
        page = self.desktop.window.page
        assert isinstance(page, WorkbenchPage)
        return page

    def set_up(self) -> None:
        """Language, service and administrator."""
        login = self.login
        self.click(login.setup.languages["en"])
        assert login.setup.step is Step.SERVICE
        self.click(login.setup.proceed)
        self.wait(lambda: login.first_run)
        form = login.first_run_form
        for field, text in (
            (form.user_name, "zhao"),
            (form.password, "Rivets-and-Seams-2026"),
            (form.confirmation, "Rivets-and-Seams-2026"),
        ):
            write(self.qtbot, field, text)
        self.click(form.button)
        self.page("records")
        # The screen of the tests is smaller than any that inspections are done on.
        self.desktop.window.resize(1440, 900)

    def visible_panels(self) -> Sequence[FirstStepsPanel]:
        """The panel on the empty list, if there is one; each reload of the empty list makes another."""
        return [panel for panel in self.records.findChildren(FirstStepsPanel) if panel.isVisible()]

    def panel(self) -> FirstStepsPanel:
        self.wait(self.visible_panels)
        return self.visible_panels()[0]

    def workbench_opens(self, items: int) -> None:
        self.page("workbench")
        page = self.workbench
        self.wait(lambda: page.open_record.source is not None)
        self.wait(lambda: len(page.open_record.rows) == items)

    def count_findings(self, items: int) -> list[int]:
        """How many findings each item has once all are detected."""
        page = self.workbench

        def entries() -> list[object]:
            every = not_none(page.open_record.document).items
            newest = [results.newest_detection(item.result) for item in every]
            return [entry for entry in newest if entry is not None and results.is_finished(entry)]

        self.wait(lambda: len(entries()) == items)
        return [len(entry["resultImage"]["boxes"]) for entry in entries()]  # type: ignore[index]


@pytest.fixture
def hour(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FirstHour]:
    monkeypatch.setenv("WALKAROUND_BCRYPT_COST", "4")
    preferences = Preferences(tmp_path / "preferences.json")
    desktop = Desktop(server_url="", data_folder=tmp_path / "data", preferences=preferences)
    desktop.start()
    yield FirstHour(desktop, qtbot, monkeypatch)
    desktop.close()


@pytest.fixture
def pictures(tmp_path: Path) -> tuple[Path, Path]:
    """A reference image and today's photo of it."""
    drawn = inspection.draw_inspection()
    reference, photo = tmp_path / "Engine cowling.png", tmp_path / "today.jpg"
    reference.write_bytes(cv2.imencode(".png", drawn.reference)[1].tobytes())
    photo.write_bytes(cv2.imencode(".jpg", drawn.photo)[1].tobytes())
    return reference, photo


@pytest.mark.slow(60)
def test_the_sample_leads_to_a_first_result(hour: FirstHour) -> None:
    hour.set_up()
    hour.click(hour.panel().sample.button)
    hour.workbench_opens(len(inspection.REGIONS))
    hour.click(hour.workbench.top.detect)
    counts = hour.count_findings(len(inspection.REGIONS))
    damaged = [count > 0 for count, spot in zip(counts, inspection.REGIONS, strict=True) if spot.damage]
    assert sum(damaged) >= len(damaged) - 1
    assert hour.clicks <= 5
    check_removal_by_one_click(hour)


def check_removal_by_one_click(hour: FirstHour) -> None:
    desktop = hour.desktop
    assert desktop.window.go("records")
    hour.records.reload()
    before = hour.clicks
    hour.click(hour.records.first_steps.bar.remove)
    # The list is empty as soon as the record is deleted, before the entries of the catalogue are.
    hour.wait(lambda: any(panel.sample.button.isEnabled() for panel in hour.visible_panels()))
    assert hour.clicks == before + 1
    session = desktop.context.session
    assert session.records.search().data == []
    for entries in (
        session.catalogue.aircraft,
        session.catalogue.flights,
        session.catalogue.tasks,
        session.catalogue.reference_images,
    ):
        assert entries.list().data == []


@pytest.mark.slow(60)
def test_a_picture_leads_to_a_first_result(hour: FirstHour, pictures: tuple[Path, Path]) -> None:
    reference, photo = pictures
    hour.set_up()
    hour.choose_file(hour.panel().picture.button, reference)
    form = dialog(hour.qtbot, StartDialog)
    assert form.name.text() == "Engine cowling"
    hour.click(form.create_button)
    hour.workbench_opens(1)
    page = hour.workbench
    hour.wait(lambda: page.open_record.item is not None)
    hour.choose_file(page.inspector.photo.add, photo)
    hour.wait(lambda: page.open_record.photos.get(page.open_record.current))
    hour.click(page.top.detect)
    assert sum(hour.count_findings(1)) > 0
    assert hour.clicks <= MAX_CLICKS
    record = not_none(page.open_record.document).record
    assert (record.inspection_name, record.aircraft_id) == ("Engine cowling", None)


def test_back_keeps_the_typed_texts(hour: FirstHour, qtbot: QtBot) -> None:
    login = hour.login
    assert login.setup.isVisible()
    assert not login.first_run_form.isVisible()
    qtbot.keyClick(login.setup.languages["en"], Qt.Key.Key_Return)
    setup = login.setup
    setup.choice.network_server.setChecked(True)
    write(hour.qtbot, setup.choice.address, "hangar.example")
    click(hour.qtbot, setup.back_button)
    assert setup.languages["en"].isVisible()
    click(hour.qtbot, setup.languages["en"])
    assert setup.choice.address.text() == "hangar.example"
    setup.choice.local_service.setChecked(True)
    qtbot.keyClick(setup.choice.local_service, Qt.Key.Key_Return)
    hour.wait(lambda: hour.desktop.context.service_state is ServiceState.READY)
    hour.wait(lambda: login.first_run and login.first_run_form.isVisible())
    form = login.first_run_form
    write(hour.qtbot, form.user_name, "zhao")
    write(hour.qtbot, form.password, "Rivets-and-Seams-2026")
    click(hour.qtbot, form.back_button)
    assert setup.proceed.isVisible()
    click(hour.qtbot, setup.proceed)
    assert (form.user_name.text(), form.password.text()) == ("zhao", "Rivets-and-Seams-2026")
    assert Preferences(hour.desktop.preferences.path).values.set_up


def test_language_change_keeps_the_current_step(hour: FirstHour, catalogues: None) -> None:
    def chinese() -> bool:
        page = hour.desktop.window.page
        return isinstance(page, LoginPage) and page.setup.proceed.text() == "继续"

    click(hour.qtbot, hour.login.setup.languages["zh_CN"])
    hour.wait(chinese)
    assert hour.login.setup.step is Step.SERVICE
    assert hour.desktop.preferences.values.language == "zh_CN"
    hour.desktop.set_language("en")
    hour.wait(lambda: not chinese())
