"""Plays the steps about users: first administrator, inspector, login, faces."""

from __future__ import annotations

import contextlib

from desktop.client import Session
from desktop.client.http.errors import ClientError, Refused
from desktop.connection.local_service import ServiceState
from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    StepFailedError,
    check,
    choose_files,
    click,
    fill_form,
    press_keys,
    type_text,
    wait_for_dialog,
    wait_until,
)
from desktop.messages.error_messages import sentence
from desktop.pages.login import LoginPage
from desktop.pages.me import MePage
from desktop.pages.people import PeoplePage
from desktop.pages.people.user_section import NewUserForm
from shared.record.codes import ErrorCode

ADMIN = ("zhao", "Rivets-and-Seams-2026")
INSPECTOR = ("zhang", "Walk-around-at-dawn-7")


def open_window(demo: DemoRun) -> None:
    """Open the window and start the service."""
    with demo.driver.step("start the desktop and its service"):
        desktop = demo.desktop
        desktop.start()
        demo.resize()
        wait_until(
            lambda: desktop.context.service_state is ServiceState.READY, "the service is ready", seconds=60
        )
        wait_until(lambda: demo.page(LoginPage).first_run, "the page for the first administrator opens")


def create_first_admin(demo: DemoRun) -> None:
    """Create the administrator on the first-run page."""
    with demo.driver.step("create the first administrator"):
        form = demo.page(LoginPage).first_run_form
        type_text(form.user_name, ADMIN[0])
        type_text(form.name, demo.texts.admin)
        type_text(form.password, ADMIN[1])
        type_text(form.confirmation, ADMIN[1])
        click(form.button)
        wait_until(lambda: demo.is_in_front("records"), "the administrator is logged in")


def create_inspector(demo: DemoRun) -> None:
    """Add an inspector as the administrator."""
    with demo.driver.step("add an inspector"):
        press_keys(demo.desktop.window, demo.first_key("go.people"))
        wait_until(lambda: demo.is_in_front("people"), "the administration page opens")
        click(demo.page(PeoplePage).users.new)
        form = wait_for_dialog(NewUserForm)
        texts = {"username": INSPECTOR[0], "name": demo.texts.inspector}
        fill_form(form, texts | {"password": INSPECTOR[1], "confirmation": INSPECTOR[1]})


def accept_photo_risk(demo: DemoRun) -> None:
    """Offer face login as the administrator, although the built-in model takes a photo for a person."""
    with demo.driver.step("offer face login"):
        faces = demo.session.faces
        try:
            faces.change_policy(faces.policy().model_copy(update={"photo_risk_accepted": True}))
        except ClientError as error:
            raise StepFailedError(f"the policy of face login cannot be changed: {error}") from error


def log_out(demo: DemoRun) -> None:
    """Log out by the keyboard shortcut."""
    with demo.driver.step("log out"):
        press_keys(demo.desktop.window, "Ctrl+Shift+L")
        wait_until(lambda: demo.is_in_front("login"), "the login page opens")


def log_in_by_password(demo: DemoRun) -> None:
    """Log in as the inspector, with name and password."""
    with demo.driver.step("log in by password"):
        form = demo.page(LoginPage).password_form
        type_text(form.user_name, INSPECTOR[0])
        type_text(form.password, INSPECTOR[1])
        click(form.button)
        wait_until(lambda: demo.is_in_front("records"), "the inspector is logged in")
        demo.resize()


def enrol_face(demo: DemoRun) -> None:
    """Consent and enrol the inspector's face with three photo files."""
    with demo.driver.step("enrol a face with consent"):
        press_keys(demo.desktop.window, demo.first_key("go.me"))
        wait_until(lambda: demo.is_in_front("me"), "the account page opens")
        card = demo.page(MePage).face
        check(not card.by_files.isEnabled(), "a face can be enrolled without consent")
        click(card.consent)
        choose_files(lambda: click(card.by_files), demo.pictures.faces)
        context = demo.desktop.context

        def is_enrolled() -> bool:
            if card.error.text():
                raise StepFailedError(card.error.text())
            return context.payload is not None and context.payload.user.has_face

        wait_until(is_enrolled, "the face is enrolled", seconds=45)


def refuse_stranger(demo: DemoRun) -> None:
    """Check that a login with the photo of another person fails, and only because of the person."""
    with demo.driver.step("refuse the face of a stranger"):
        page = demo.page(LoginPage)
        choose_files(lambda: click(page.photo_login.button), [demo.pictures.stranger])
        wait_until(
            lambda: page.photo_login.error.text() or demo.desktop.context.payload,
            "the service answers",
            seconds=45,
        )
        check(demo.desktop.context.payload is None, "a stranger is logged in by face")
        expected = sentence(Refused(code=ErrorCode.FACE_UNKNOWN))
        check(
            page.photo_login.error.text() == expected,
            f"refused for another reason: {page.photo_login.error.text()}",
        )
    with demo.driver.step("check that the stranger's photo is a good one"):
        _check_usable_face(demo)


def _check_usable_face(demo: DemoRun) -> None:
    """Enrol the stranger's photo for another account, which proves that it shows one good face."""
    session = Session(demo.session.base_url)
    try:
        session.account.login(*ADMIN)
        session.account.enrol_face([demo.pictures.stranger.read_bytes()])
        session.account.delete_face()
    except ClientError as error:
        raise StepFailedError(f"the stranger's photo cannot be enrolled: {error}") from error
    finally:
        with contextlib.suppress(ClientError):
            session.account.logout()
        session.close()


def log_in_by_face(demo: DemoRun) -> None:
    """Log in as the inspector with another photo of the enrolled face."""
    with demo.driver.step("log in by face"):
        page = demo.page(LoginPage)
        choose_files(lambda: click(page.photo_login.button), [demo.pictures.login])

        def is_logged_in() -> bool:
            if page.photo_login.error.text() and not demo.desktop.context.payload:
                raise StepFailedError(page.photo_login.error.text())
            return demo.desktop.context.payload is not None

        wait_until(is_logged_in, "the inspector is logged in by face", seconds=45)
        payload = demo.desktop.context.payload
        check(payload is not None and payload.user.username == INSPECTOR[0], "another user is logged in")
        demo.resize()
        # The window opens the last page of this user. The next steps begin in the list.
        press_keys(demo.desktop.window, demo.first_key("go.records"))
        wait_until(lambda: demo.is_in_front("records"), "the list of records opens")
