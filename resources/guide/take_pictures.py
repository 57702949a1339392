"""Takes the pictures of the guide from the running program, in both languages.

    python -m resources.guide.take_pictures

Plays the demo in the real windows against a real service (offscreen, in a folder that is deleted at the end)
and writes `resources/guide/pictures/LANGUAGE/*.png`. Needs a font with Chinese characters.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from desktop.app.application import Desktop
from desktop.app.running import make_application
from desktop.demo import isolate_user_folders, material
from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    WindowDriver,
    click,
    click_in_dialog,
    find_widget,
    grab_when_still,
    press_keys,
    process_events,
    wait_for_dialog,
    wait_until,
)
from desktop.demo.material import TEXTS
from desktop.demo.steps import inspection, people, records
from desktop.doctor import computer
from desktop.doctor.dialog import DoctorDialog
from desktop.localization.fonts import shows_chinese
from desktop.pages.catalogue import CataloguePage
from desktop.pages.login import LoginPage
from desktop.pages.login.service_choice import ServerDialog
from desktop.pages.me import MePage
from desktop.pages.people import PeoplePage
from desktop.pages.records.new_record import NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from desktop.theme import Mode
from desktop.widgets.dialogs import Confirm
from shared.system.paths import resource_path

WINDOW = (1280, 800)
COLOURS = 192
"""Colours of a picture: text stays sharp, and a picture has about ten kilobytes."""
_MAX_WIDTH = 1040


class Camera:
    """Takes pictures of windows and saves them in one folder."""

    def __init__(self, folder: Path, desktop: Desktop) -> None:
        self._folder = folder
        self._desktop = desktop

    def take_window(self, name: str) -> None:
        """Take a picture of the main window in its size for the guide."""
        window = self._desktop.window
        window.resize(*WINDOW)
        wait_until(lambda: not window.toast.isVisible(), "the notice disappears")
        self._save(name, grab_when_still(window))

    def take_widget(self, name: str, widget: QWidget) -> None:
        """Take a picture of a dialog or a part of the window."""
        self._save(name, grab_when_still(widget))

    def _save(self, name: str, image: QImage) -> None:
        if image.width() > _MAX_WIDTH:
            image = image.scaledToWidth(_MAX_WIDTH, Qt.TransformationMode.SmoothTransformation)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.convertToFormat(QImage.Format.Format_RGB888).save(buffer, "PNG")  # type: ignore[call-overload]
        picture = Image.open(io.BytesIO(bytes(buffer.data().data())))
        reduced = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        reduced.save(self._folder / f"{name}.png", optimize=True)


def _open_section(demo: DemoRun, page: CataloguePage | PeoplePage, name: str) -> None:
    click(find_widget(QAbstractButton, page.chips, matches=lambda chip: getattr(chip, "key", "") == name))


def _open_page(demo: DemoRun, page_id: str) -> None:
    press_keys(demo.desktop.window, demo.first_key(f"go.{page_id}"))
    wait_until(lambda: demo.is_in_front(page_id), f"the page {page_id} opens")


def _take_administrator_pictures(demo: DemoRun, camera: Camera) -> None:
    people.open_window(demo)
    camera.take_window("first-run")
    people.create_first_admin(demo)
    people.create_inspector(demo)
    camera.take_window("users")
    records.fill_catalogue(demo)
    page = demo.page(CataloguePage)
    for section, name in (("aircraft", "catalogue"), ("references", "references"), ("models", "models")):
        _open_section(demo, page, section)
        camera.take_window(name)
    people.log_out(demo)


def _take_login_pictures(demo: DemoRun, camera: Camera) -> None:
    page = demo.page(LoginPage)
    camera.take_window("login")
    page._change_server()
    form = wait_for_dialog(ServerDialog)
    camera.take_widget("server", form)
    form.reject()
    people.log_in_by_password(demo)


def _take_inspector_pictures(demo: DemoRun, camera: Camera) -> None:
    press_keys(demo.desktop.window, demo.first_key("record.new"))
    form = wait_for_dialog(NewRecordDialog)
    form.name.set_text(demo.texts.record)
    camera.take_widget("new-record", form)
    form.reject()
    process_events()
    records.create_record(demo)
    records.draw_regions(demo)
    records.describe_items(demo)
    camera.take_window("regions")
    demo.resize()
    inspection.add_photos(demo)
    inspection.detect_items(demo)
    inspection.decide_items(demo)
    records.go_to(demo.page(WorkbenchPage), 2)
    # The damage in today's photo, large and beside the reference image.
    # By the command, because the keys belong to the field for the reason.
    commands, page = demo.desktop.context.commands, demo.page(WorkbenchPage)
    wait_until(lambda: page.photos.pairing.pair is not None, "the photo is read")
    commands.run("compare")
    wait_until(lambda: page.canvas.comparing.is_on, "the photo is beside the reference image")
    camera.take_window("workbench")
    commands.run("compare")
    camera.take_widget("decide", demo.page(WorkbenchPage).inspector)
    _finish_record(demo, camera)
    _open_page(demo, "records")
    camera.take_window("records")
    press_keys(demo.desktop.window, demo.first_key("record.details"))
    wait_until(lambda: demo.is_in_front("record"), "the page of the record opens")
    camera.take_window("record")
    _open_page(demo, "me")
    wait_until(demo.page(MePage).face.chip.isVisible, "the status of the face login is shown")
    camera.take_window("account")
    people.log_out(demo)


def _finish_record(demo: DemoRun, camera: Camera) -> None:
    def take_dialog(confirm: Confirm) -> QAbstractButton:
        camera.take_widget("finish", confirm)
        return confirm.confirm_button

    page = demo.page(WorkbenchPage)
    click_in_dialog(
        Confirm,
        lambda: press_keys(page.canvas.comparing.canvas, demo.first_key("record.finish")),
        take_dialog,
    )
    wait_until(lambda: inspection.is_record_finished(page), "the record is finished")


def _take_oversight_pictures(demo: DemoRun, camera: Camera) -> None:
    form = demo.page(LoginPage).password_form
    form.user_name.set_text(people.ADMIN[0])
    form.password.set_text(people.ADMIN[1])
    click(form.button)
    wait_until(lambda: demo.desktop.context.payload is not None, "the administrator is logged in")
    _open_page(demo, "statistics")
    camera.take_window("statistics")
    _open_page(demo, "people")
    _open_section(demo, demo.page(PeoplePage), "audit")
    camera.take_window("audit-log")
    demo.desktop.context.commands.run("doctor")
    check = wait_for_dialog(DoctorDialog)
    wait_until(check.again.isEnabled, "the checks are finished", seconds=90)
    camera.take_widget("system-check", check)
    check.reject()


PARTS: tuple[Callable[[DemoRun, Camera], None], ...] = (
    _take_administrator_pictures,
    _take_login_pictures,
    _take_inspector_pictures,
    _take_oversight_pictures,
)


def take_pictures(language: str, folder: Path) -> None:
    """Play the demo in `language` and write the pictures into `folder`. Raises StepFailedError."""
    application = make_application()
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    # With a blinking cursor the window would keep changing.
    application.setCursorFlashTime(0)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="walkaround-guide-") as name, isolate_user_folders(Path(name)):
        temporary = Path(name)
        preferences = Preferences(temporary / "preferences.json")
        preferences.change(language=language, theme=Mode.LIGHT, set_up=True, tours_start=False)
        desktop = Desktop(server_url="", data_folder=temporary / "Walkaround", preferences=preferences)
        try:
            demo = DemoRun(
                desktop,
                WindowDriver(_print_step),
                material.write_pictures(temporary),
                TEXTS[language],
                temporary,
                temporary,
            )
            camera = Camera(folder, desktop)
            for part in PARTS:
                part(demo, camera)
        finally:
            desktop.close()
            process_events()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _print_step(name: str, seconds: float) -> None:
    print(f"{seconds:6.1f} s  {name}", flush=True)


def main() -> int:
    """Take the pictures in both languages. Returns 0, or 1 without a font for Chinese."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    make_application()
    if not shows_chinese():
        print("No installed font has Chinese characters.", file=sys.stderr)
        return 1
    facts = computer.DisplayFacts("xcb", ((1920, 1080, 1.0),), True)
    # Without this, the check of the display would report that the pictures are taken without one.
    computer.DisplayFacts.now = classmethod(lambda _cls: facts)  # type: ignore[method-assign, assignment]
    for language in TEXTS:
        print(language, flush=True)
        take_pictures(language, resource_path("guide", "pictures", language))
    QApplication.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
