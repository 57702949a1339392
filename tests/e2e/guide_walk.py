"""Ten tasks from the guide alone, in the real window: what is pressed has the name that the guide uses.

`test_guide_tasks.py` runs these tests, each in a process of its own.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.app.application import Desktop
from desktop.client import ClientError, Session
from desktop.demo import material
from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    WindowDriver,
    choose_entry,
    click,
    drag_rect,
    press_keys,
    process_events,
    type_text,
    wait_for_dialog,
    wait_until,
)
from desktop.demo.material import REGIONS, TEXTS
from desktop.demo.steps import inspection, people, records
from desktop.pages.catalogue.scale_dialog import ScaleDialog
from desktop.pages.common.forms.form import Form
from desktop.pages.people import PeoplePage
from desktop.pages.people.user_section import NewUserForm, SetPasswordForm
from desktop.pages.record import RecordPage
from desktop.pages.records import RecordsPage
from desktop.pages.records.new_record import ItemSource, NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from desktop.theme import Mode
from shared.record.codes import Permission
from shared.record.geometry import Rect
from shared.system.paths import program_command, program_folder
from tests.e2e.guide_reader import SECONDS, Reader, open_dialogs

NEW_PASSWORD = "Forgotten-Rivets-31"


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


def reference_image_scale_and_template(reader: Reader) -> None:
    reader.open("templates")
    reader.press("Catalogue")
    reader.press("Reference images")
    reader.choose_file("Add images…", reader.demo.pictures.reference)
    form = wait_for_dialog(Form)
    type_text(form.fields["reference_image_name"], reader.demo.texts.reference)
    reader.press("Measure on image…")
    dialog = wait_for_dialog(ScaleDialog)
    wait_until(lambda: dialog.view.source is not None, "the image is open", SECONDS)
    drag_rect(dialog.view, Rect(100, 100, 400, 0))
    reader.write("Line length", "100")
    reader.press("Use scale")
    reader.press("Save")
    wait_until(lambda: not open_dialogs(), "the scale is saved", SECONDS)


def template_for_others(reader: Reader) -> None:
    """A planner draws the regions once and saves them as the template of the reference image."""
    create_record(reader, reader.demo.texts.reference, ItemSource.EMPTY)
    page = workbench(reader)
    reader.open("regions")
    reader.press("Draw region")
    drag_rect(page.canvas.view, REGIONS[1].region)
    wait_until(lambda: len(page.open_record.rows) == 1, "the region becomes an item", SECONDS)
    records.wait_until_saved(page)
    reader.open("templates")
    reader.from_menu("Save regions as template…")


def add_an_inspector(reader: Reader) -> None:
    reader.open("users")
    reader.press("Administration")
    reader.press("Users")
    reader.press("New user…")
    form = wait_for_dialog(NewUserForm)
    reader.write("Username", people.INSPECTOR[0])
    type_text(form.password, people.INSPECTOR[1])
    type_text(form.confirmation, people.INSPECTOR[1])
    reader.press("Create user")
    wait_until(lambda: not QApplication.activeModalWidget(), "the user is created", SECONDS)


def log_in_without_a_camera(reader: Reader, user: tuple[str, str] = people.INSPECTOR) -> None:
    reader.open("log-in")
    press_keys(reader.demo.desktop.window, reader.demo.first_key("logout"))
    wait_until(lambda: reader.demo.is_in_front("login"), "the login page opens", SECONDS)
    reader.write("Username", user[0])
    reader.write("Password", user[1])
    reader.press("Log in")
    wait_until(lambda: not reader.demo.is_in_front("login"), "the user is logged in", SECONDS)
    reader.demo.resize()  # The login of another user makes a new window.


def create_record(reader: Reader, reference: str, source: ItemSource) -> None:
    reader.go("records")
    reader.open("records")
    reader.press("New record…")
    form = wait_for_dialog(NewRecordDialog)
    reader.write("Name", reader.demo.texts.record)
    reader.write("Task or external task ID", "PART-4711")
    reader.see("Reference image (optional)")
    starts = Qt.MatchFlag.MatchStartsWith
    choose_entry(form.reference, lambda: form.reference.findText(reference, starts))
    reader.see("Items")
    choose_entry(form.source, lambda: form.source.findData(source))
    reader.press("Create record")
    wait_until(lambda: reader.demo.is_in_front("workbench"), "the workbench opens", SECONDS)


def record_for_a_new_part(reader: Reader) -> None:
    create_record(reader, reader.demo.texts.reference, ItemSource.TEMPLATE)
    page = workbench(reader)
    wait_until(lambda: len(page.open_record.rows) == 1, "the template fills the record", SECONDS)


def photos_from_a_phone(reader: Reader) -> None:
    reader.open("phone")
    reader.press("Take photos with a phone…")
    reader.press("Allow phones in this network")
    reader.press("End code")
    reader.close_dialog()


def void_or_delete_a_record(reader: Reader) -> None:
    """An inspector voids the record, and only an administrator or planner deletes it, as the guide says."""
    reader.go("records")
    press_keys(reader.demo.page(RecordsPage).table, reader.demo.first_key("record.details"))
    wait_until(lambda: reader.demo.is_in_front("record"), "the page of the record opens", SECONDS)
    reader.open("record")
    click(reader.demo.page(RecordPage).more_button)
    context = reader.demo.desktop.context
    may_delete = context.may(Permission.INSPECTION_DELETE)
    assert (reader.find_control(reader.name("Delete record")) is not None) is may_delete
    if may_delete:
        reader.press_and_confirm("Delete record")
        wait_until(lambda: reader.demo.is_in_front("records"), "the record is deleted", SECONDS)
    else:
        reader.press_and_confirm("Void record")
        wait_until(lambda: context.commands.is_possible("details.restore"), "the record is void", SECONDS)


def a_lost_laptop(reader: Reader) -> None:
    laptop = Session(reader.demo.session.base_url)
    laptop.account.login(*people.INSPECTOR)
    log_in_without_a_camera(reader, people.ADMIN)
    reader.open("sessions")
    reader.press("Administration")
    reader.press("Users")
    select_inspector(reader)
    reader.press("Edit…")
    reader.press_and_confirm("End all sessions")
    wait_until(lambda: is_ended(laptop), "the laptop is logged out", SECONDS)
    laptop.close()
    reader.close_dialog()


def is_ended(session: Session) -> bool:
    try:
        session.account.me()
    except ClientError:
        return True
    return False


def a_forgotten_password(reader: Reader) -> None:
    reader.open("users")
    reader.press("Administration")
    reader.press("Users")
    select_inspector(reader)
    reader.press("Set password…")
    form = wait_for_dialog(SetPasswordForm)
    type_text(form.password, NEW_PASSWORD)
    type_text(form.confirmation, NEW_PASSWORD)
    click(form.save)
    wait_until(lambda: not open_dialogs(), "the password is set", SECONDS)
    log_in_without_a_camera(reader, (people.INSPECTOR[0], NEW_PASSWORD))


def select_inspector(reader: Reader) -> None:
    section = reader.demo.page(PeoplePage).users
    wait_until(lambda: section.table.model().rowCount() == 2, "both users are listed", SECONDS)
    for row in range(2):
        section.table.select_row(row)
        user = section.selected_entry()
        if user is not None and user.username == people.INSPECTOR[0]:
            return
    pytest.fail("the inspector is not listed")


def back_up_and_restore(reader: Reader) -> None:
    log_in_without_a_camera(reader, people.ADMIN)
    folder = reader.demo.folder / "backups"
    folder.mkdir()
    reader.open("backups")
    reader.press("Administration")
    reader.press("Backups")
    reader.choose_file("Choose folder…", folder)
    section = reader.demo.page(PeoplePage).backups
    wait_until(lambda: {",", "，"} & set(section.state.text()), "its time and size are shown", SECONDS)
    reader.press("Back up now")
    restored = reader.demo.folder / "restored"
    command = program_command("restore", str(folder), "--data-dir", str(restored))
    run = subprocess.run(
        command, input="yes\n", cwd=program_folder(), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert next(restored.glob("*.db"), None) is not None


FIRST_RECORD = (first_start_and_first_record, correct_and_add_a_finding, decide_and_finish)
WORK_OF_ALL_ROLES = (
    reference_image_scale_and_template,
    template_for_others,
    add_an_inspector,
    log_in_without_a_camera,
    record_for_a_new_part,
    photos_from_a_phone,
    void_or_delete_a_record,
    a_lost_laptop,
    void_or_delete_a_record,
    a_forgotten_password,
    back_up_and_restore,
)


@pytest.fixture
def demo(request: pytest.FixtureRequest, tmp_path: Path, qapp: QApplication) -> Iterator[DemoRun]:
    language: str = request.param
    qapp.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    preferences = Preferences(tmp_path / "preferences.json")
    preferences.change(language=language, theme=Mode.LIGHT, set_up=True, tours_start=False)
    desktop = Desktop(server_url="", data_folder=tmp_path / "data", preferences=preferences)
    driver = WindowDriver(lambda _name, _seconds: None)
    run = DemoRun(desktop, driver, material.write_pictures(tmp_path), TEXTS[language], tmp_path, tmp_path)
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


@pytest.mark.slow(90)
@both_languages
def test_work_of_all_roles_from_the_guide(demo: DemoRun) -> None:
    people.create_first_admin(demo)
    reader = Reader(demo)
    for task in WORK_OF_ALL_ROLES:
        with demo.driver.step(task.__name__):
            task(reader)
