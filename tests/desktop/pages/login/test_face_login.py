"""From an empty service to a login by face, through the real pages and against the real service."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.camera import ImageSequence
from desktop.client import Session
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.login import LoginPage
from desktop.pages.me import MePage, camera_dialogs
from desktop.pages.me.camera_dialogs import EnrolDialog
from desktop.preferences import Preferences
from shared.wire.face import FacePolicy
from tests.desktop.camera.pictures import face_frame, write
from tests.desktop.children import child
from tests.narrowing import not_none, reread
from tests.service_process import ADMIN, service_process

pytestmark = pytest.mark.slow


def test_first_run_enrolment_and_face_login(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera_dialogs, "_TURN_MS", 10)
    enrolling = [
        write(tmp_path / f"enrol{number}.png", face_frame(width)) for number, width in enumerate((0.36, 0.4))
    ]
    arriving = [
        write(tmp_path / f"arrive{number}.png", face_frame(0.38, x=0.52, light=light))
        for number, light in enumerate((0.85, 0.9))
    ]
    with service_process(tmp_path / "data") as url:
        session = Session(url)
        preferences = Preferences()
        preferences.change(set_up=True)
        context = Context(session, preferences, embedded=True)
        context.service_state = ServiceState.READY

        login = LoginPage(context, lambda: [ImageSequence(arriving, "Door")])
        qtbot.addWidget(login)
        login.show()
        login.enter({})
        qtbot.waitUntil(lambda: login.first_run)
        form = login.first_run_form
        form.user_name.set_text(ADMIN[0])
        form.password.set_text(ADMIN[1])
        form.confirmation.set_text(ADMIN[1])
        with qtbot.waitSignal(context.login_changed):
            form.submit()
        policy = session.faces.policy()
        assert (policy.challenge_admins, policy.challenge_others) == ("off", "off")
        # The built-in model has no liveness check: an administrator has to accept that a photo logs in.
        assert not session.account.face_requirements().offered
        session.faces.change_policy(FacePolicy(login_enabled=True, photo_risk_accepted=True))
        login.hide()

        me = MePage(context, lambda: [ImageSequence(enrolling, "Desk")])
        qtbot.addWidget(me)
        me.show()
        me.enter({})
        qtbot.waitUntil(lambda: me.face.chip.text == "Not enrolled")
        me.face.consent.setChecked(True)
        me.face.by_camera.click()
        dialog = child(me.face, EnrolDialog)
        qtbot.waitUntil(dialog.skip.isVisible)
        dialog.skip.click()
        qtbot.waitUntil(lambda: me.face.chip.text == "Enrolled")
        qtbot.waitUntil(lambda: not_none(context.payload).user.has_face)
        me.hide()

        context.leave()
        assert reread(context.payload) is None
        login.show()
        login.enter({})
        with qtbot.waitSignal(context.login_changed):
            pass
        assert not_none(context.payload).user.username == ADMIN[0]
        session.close()
