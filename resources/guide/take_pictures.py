"""Takes the pictures of the guide from the running program, in both languages.

    python -m resources.guide.take_pictures

Plays the demo in the real windows over a real service (offscreen, in a folder that is gone afterwards) and
writes `resources/guide/pictures/LANGUAGE/*.png`. Needs a font with Chinese characters.
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

from desktop.app.application import Desktop, make_application
from desktop.demo import own_folders
from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import (
    WindowDriver,
    click,
    click_in_dialog,
    dialog,
    find,
    press,
    process_events,
    settled_picture,
    wait_until,
)
from desktop.demo.material import pictures
from desktop.demo.material.texts import TEXTS
from desktop.demo.steps import catalogue, inspecting, people, records
from desktop.doctor import computer
from desktop.doctor.dialog import DoctorDialog
from desktop.localization.fonts import shows_chinese
from desktop.pages.catalogue import CataloguePage
from desktop.pages.login import LoginPage
from desktop.pages.login.server_dialog import ServerDialog
from desktop.pages.people import PeoplePage
from desktop.pages.records.new_record import NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from desktop.theme import Mode
from desktop.widgets.dialogs import Confirm
from shared.paths import resource_path

WINDOW = (1280, 800)
COLOURS = 192
"""Colours of a picture: text stays sharp, and a picture takes some ten kilobytes."""
_WIDEST = 1040


class Camera:
    """Takes pictures of windows into one folder."""

    def __init__(self, folder: Path, desktop: Desktop) -> None:
        self._folder = folder
        self._desktop = desktop

    def window(self, name: str) -> None:
        """The main window, at its size for the guide."""
        window = self._desktop.window
        window.resize(*WINDOW)
        wait_until(lambda: not window.toast.isVisible(), "the notice goes")
        self._save(name, settled_picture(window))

    def widget(self, name: str, widget: QWidget) -> None:
        """A dialog, or a part of the window."""
        self._save(name, settled_picture(widget))

    def _save(self, name: str, image: QImage) -> None:
        if image.width() > _WIDEST:
            image = image.scaledToWidth(_WIDEST, Qt.TransformationMode.SmoothTransformation)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.convertToFormat(QImage.Format.Format_RGB888).save(buffer, "PNG")  # type: ignore[call-overload]
        picture = Image.open(io.BytesIO(bytes(buffer.data().data())))
        reduced = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        reduced.save(self._folder / f"{name}.png", optimize=True)


def _section(play: DemoRun, page: CataloguePage | PeoplePage, name: str) -> None:
    click(find(QAbstractButton, page.chips, where=lambda chip: getattr(chip, "key", "") == name))


def _go(play: DemoRun, page_id: str) -> None:
    press(play.desktop.window, play.key(f"go.{page_id}"))
    wait_until(lambda: play.is_in_front(page_id), f"the page {page_id} comes")


def _of_administrator(play: DemoRun, camera: Camera) -> None:
    people.open_window(play)
    camera.window("first-run")
    people.create_first_admin(play)
    people.create_inspector(play)
    camera.window("users")
    catalogue.fill_catalogue(play)
    page = play.page(CataloguePage)
    for section, name in (("aircraft", "catalogue"), ("references", "references"), ("models", "models")):
        _section(play, page, section)
        camera.window(name)
    people.log_out(play)


def _of_login(play: DemoRun, camera: Camera) -> None:
    page = play.page(LoginPage)
    camera.window("login")
    page._change_server()
    form = dialog(ServerDialog)
    camera.widget("server", form)
    form.reject()
    people.log_in_by_password(play)


def _of_inspector(play: DemoRun, camera: Camera) -> None:
    press(play.desktop.window, play.key("record.new"))
    form = dialog(NewRecordDialog)
    form.name.set_text(play.texts.record)
    camera.widget("new-record", form)
    form.reject()
    process_events()
    records.create_record(play)
    records.draw_regions(play)
    records.describe_items(play)
    camera.window("regions")
    play.resize()
    inspecting.add_photos(play)
    inspecting.detect(play)
    inspecting.decide(play)
    records.go_to(play.page(WorkbenchPage), 2)
    camera.window("workbench")
    camera.widget("decide", play.page(WorkbenchPage).inspector)
    _finish(play, camera)
    _go(play, "records")
    camera.window("records")
    press(play.desktop.window, play.key("record.details"))
    wait_until(lambda: play.is_in_front("record"), "the page of the record comes")
    camera.window("record")
    _go(play, "me")
    camera.window("account")
    people.log_out(play)


def _finish(play: DemoRun, camera: Camera) -> None:
    def taken(confirm: Confirm) -> QAbstractButton:
        camera.widget("finish", confirm)
        return confirm.act

    page = play.page(WorkbenchPage)
    click_in_dialog(Confirm, lambda: press(page.view, play.key("record.finish")), taken)
    wait_until(lambda: inspecting._has_ended(page), "the record is closed")


def _of_oversight(play: DemoRun, camera: Camera) -> None:
    form = play.page(LoginPage).password_form
    form.user_name.set_text(people.ADMIN[0])
    form.password.set_text(people.ADMIN[1])
    click(form.button)
    wait_until(lambda: play.desktop.context.payload is not None, "the administrator gets in")
    _go(play, "statistics")
    camera.window("statistics")
    _go(play, "people")
    _section(play, play.page(PeoplePage), "audit")
    camera.window("audit-log")
    play.desktop.context.commands.run("doctor")
    check = dialog(DoctorDialog)
    wait_until(check.again.isEnabled, "the checks are made", seconds=90)
    camera.widget("system-check", check)
    check.reject()


PARTS: tuple[Callable[[DemoRun, Camera], None], ...] = (
    _of_administrator,
    _of_login,
    _of_inspector,
    _of_oversight,
)


def take(language: str, folder: Path) -> None:
    """Play the story in `language` and write its pictures into `folder`. Raises StepFailedError."""
    application = make_application()
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    # A cursor that blinks is never at rest.
    application.setCursorFlashTime(0)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="walkaround-guide-") as name, own_folders(Path(name)):
        place = Path(name)
        preferences = Preferences(place / "preferences.json")
        preferences.change(language=language, theme=Mode.LIGHT, set_up=True, tours_start=False)
        desktop = Desktop(server_url="", data_folder=place / "Walkaround", preferences=preferences)
        try:
            play = DemoRun(desktop, WindowDriver(_say), pictures.make(place), TEXTS[language], place, place)
            camera = Camera(folder, desktop)
            for part in PARTS:
                part(play, camera)
        finally:
            desktop.close()
            process_events()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _say(name: str, seconds: float) -> None:
    print(f"{seconds:6.1f} s  {name}", flush=True)


def main() -> int:
    """Take the pictures of both languages; 1 without a font for Chinese."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    make_application()
    if not shows_chinese():
        print("There is no font with Chinese characters here.", file=sys.stderr)
        return 1
    facts = computer.DisplayFacts("xcb", ((1920, 1080, 1.0),), True)
    # The pictures are taken without a display, which the check of the display would say.
    computer.DisplayFacts.now = classmethod(lambda _cls: facts)  # type: ignore[method-assign, assignment]
    for language in TEXTS:
        print(language, flush=True)
        take(language, resource_path("guide", "pictures", language))
    QApplication.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
