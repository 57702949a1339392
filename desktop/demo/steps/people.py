"""Plays the steps about users: first admin, inspector, faces."""

from __future__ import annotations

import contextlib

from desktop.client import Session
from desktop.client.http.errors import ClientError, Refused
from desktop.connection.local_service import ServiceState
from desktop.demo.driver.forms import fill
from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import (
    StepFailedError,
    check,
    choose_files,
    click,
    dialog,
    press,
    wait_until,
    write,
)
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.login import LoginPage
from desktop.pages.me import MePage
from desktop.pages.people import PeoplePage
from desktop.pages.people.forms import NewUserForm

ADMIN = ("zhao", "Rivets-and-Seams-2026")
INSPECTOR = ("zhang", "Walk-around-at-dawn-7")


def open_window(play: DemoRun) -> None:
    """Open the window; the service starts beside it."""
    with play.stage.step("start the desktop and its service"):
        desktop = play.desktop
        desktop.start()
        play.resize()
        wait_until(
            lambda: desktop.context.service_state is ServiceState.READY, "the service is ready", seconds=60
        )
        wait_until(lambda: play.page(LoginPage).first_run, "the page for the first administrator")


def create_first_admin(play: DemoRun) -> None:
    """There is no user yet: the first-run page creates the administrator."""
    with play.stage.step("make the first administrator"):
        form = play.page(LoginPage).first_run_form
        write(form.user_name, ADMIN[0])
        write(form.name, play.texts.admin)
        write(form.password, ADMIN[1])
        write(form.confirmation, ADMIN[1])
        click(form.button)
        wait_until(lambda: play.is_in_front("records"), "the administrator gets in")


def create_inspector(play: DemoRun) -> None:
    """The administrator adds an inspector."""
    with play.stage.step("add an inspector"):
        press(play.desktop.window, play.key("go.people"))
        wait_until(lambda: play.is_in_front("people"), "the page of the people comes")
        click(play.page(PeoplePage).users.new)
        form = dialog(NewUserForm)
        texts = {"username": INSPECTOR[0], "name": play.texts.inspector}
        fill(form, texts | {"password": INSPECTOR[1], "confirmation": INSPECTOR[1]})


def log_out(play: DemoRun) -> None:
    """Log out by the key."""
    with play.stage.step("log out"):
        press(play.desktop.window, "Ctrl+Shift+L")
        wait_until(lambda: play.is_in_front("login"), "the login page comes")


def log_in_by_password(play: DemoRun) -> None:
    """The inspector types name and password."""
    with play.stage.step("log in by password"):
        form = play.page(LoginPage).password_form
        write(form.user_name, INSPECTOR[0])
        write(form.password, INSPECTOR[1])
        click(form.button)
        wait_until(lambda: play.is_in_front("records"), "the inspector gets in")
        play.resize()


def enrol(play: DemoRun) -> None:
    """The inspector consents and enrols with three photo files."""
    with play.stage.step("enrol a face with consent"):
        press(play.desktop.window, play.key("go.me"))
        wait_until(lambda: play.is_in_front("me"), "the profile page comes")
        card = play.page(MePage).face
        check(not card.by_files.isEnabled(), "a face can be enrolled without consent")
        click(card.consent)
        choose_files(lambda: click(card.by_files), play.pictures.faces)
        payload = play.desktop.context

        def enrolled() -> bool:
            if card.error():
                raise StepFailedError(card.error())
            return payload.payload is not None and payload.payload.user.has_face

        wait_until(enrolled, "the face is enrolled", seconds=45)


def refuse_stranger(play: DemoRun) -> None:
    """The photo of another person is refused, for exactly that reason."""
    with play.stage.step("refuse the face of a stranger"):
        page = play.page(LoginPage)
        choose_files(lambda: click(page.photo_login.button), [play.pictures.stranger])
        wait_until(
            lambda: page.photo_login.error() or play.desktop.context.payload,
            "the service answers",
            seconds=45,
        )
        check(play.desktop.context.payload is None, "a stranger got in by face")
        expected = sentence(Refused("无法校验人脸"))
        check(page.photo_login.error() == expected, f"refused for another reason: {page.photo_login.error()}")
    with play.stage.step("check that the stranger's photo is a good one"):
        _usable_face(play)


def _usable_face(play: DemoRun) -> None:
    """The same photo can be enrolled by another account: it shows one good face, and not the inspector's."""
    session = Session(play.session.base_url)
    try:
        session.account.login(*ADMIN)
        session.account.enrol_face([play.pictures.stranger.read_bytes()])
        session.account.delete_face()
    except ClientError as error:
        raise StepFailedError(f"the stranger's photo would be refused for itself: {error}") from error
    finally:
        with contextlib.suppress(ClientError):
            session.account.logout()
        session.close()


def log_in_by_face(play: DemoRun) -> None:
    """The inspector gets in with another photo of the enrolled face."""
    with play.stage.step("log in by face"):
        page = play.page(LoginPage)
        choose_files(lambda: click(page.photo_login.button), [play.pictures.login])

        def entered() -> bool:
            if page.photo_login.error() and not play.desktop.context.payload:
                raise StepFailedError(page.photo_login.error())
            return play.desktop.context.payload is not None

        wait_until(entered, "the inspector gets in by face", seconds=45)
        payload = play.desktop.context.payload
        check(payload is not None and payload.user.username == INSPECTOR[0], "another user got in")
        play.resize()
        # The window returns to where this person was; the work begins in the list.
        press(play.desktop.window, play.key("go.records"))
        wait_until(lambda: play.is_in_front("records"), "the list of records comes")
