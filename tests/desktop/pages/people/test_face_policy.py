"""The policy and the devices of face login on the administration page, with a played service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import Unreachable
from desktop.pages.people.details import detail_lines
from desktop.pages.people.face_policy.terms import refusal_word
from service.face.liveness.movements import Reason
from tests.desktop.keyrings import MemoryKeyring
from tests.desktop.pages.fake_service import FakeService, failure_answer, success_answer
from tests.desktop.pages.people.test_face_section import MODELS, calibration, faces_page

POLICY = {
    "login_enabled": True,
    "challenge_admins": "off",
    "challenge_others": "in_doubt",
    "allowed_devices_only": False,
    "refuse_virtual_cameras": True,
}
DEVICE = {
    "device_id": "d1",
    "name": "Gate A",
    "allowed_at": "2026-03-01T08:20:30.000000Z",
    "last_used_at": None,
}


@pytest.fixture
def fake_service() -> FakeService:
    fake_service = FakeService()

    def policy(request: Any) -> Any:
        if request.method == "PUT":
            return success_answer({**POLICY, **fake_service.bodies("/api/face/policy", "PUT")[-1]})
        return success_answer(POLICY)

    fake_service.answers |= {
        "/api/face/policy": policy,
        "/api/face/devices": success_answer([DEVICE]),
        "/api/face/models": success_answer(MODELS),
        "/api/face/calibration": success_answer(calibration()),
    }
    return fake_service


def test_the_policy_is_shown_and_each_choice_is_saved(fake_service: FakeService, qtbot: QtBot) -> None:
    with faces_page(fake_service, qtbot) as page:
        card = page.faces.policy
        assert (card.admins.value(), card.other_users.value()) == ("off", "in_doubt")
        assert (card.devices_only.isChecked(), card.refuse_virtual.isChecked()) == (False, True)
        choices: list[Callable[[], object]] = [
            lambda: card.admins.picked.emit("always"),
            lambda: card.other_users.picked.emit("off"),
            card.photo_risk.click,
            card.devices_only.click,
            card.refuse_virtual.click,
        ]
        for change in choices:
            with qtbot.waitSignal(card.changed):
                change()
        sent = fake_service.bodies("/api/face/policy", "PUT")
    assert sent == [
        {"login_enabled": True, "challenge_admins": "always"},
        {"login_enabled": True, "challenge_others": "off"},
        {"login_enabled": True, "photo_risk_accepted": True},
        {"login_enabled": True, "allowed_devices_only": True},
        {"login_enabled": True, "refuse_virtual_cameras": False},
    ]


def test_a_choice_that_is_not_saved_is_withdrawn(fake_service: FakeService, qtbot: QtBot) -> None:
    with faces_page(fake_service, qtbot) as page:
        card = page.faces.policy
        fake_service.answers["/api/face/policy"] = Unreachable()
        with qtbot.waitSignal(card.toast):
            card.admins.set_value("always")
            card.admins.picked.emit("always")
        assert card.admins.value() == "off"
        assert card.isEnabled()


def test_a_computer_without_a_keyring_is_not_allowed(
    fake_service: FakeService, qtbot: QtBot, memory_keyring: MemoryKeyring
) -> None:
    keyring.set_keyring(NoKeyring())
    with faces_page(fake_service, qtbot) as page:
        fake_service.answers["/api/face/devices"] = success_answer(
            {**DEVICE, "device_id": "d2", "token": "t" * 43}
        )
        fake_service.answers["/api/face/devices/d2"] = success_answer(True)
        form = page.faces.devices.open_form(None)
        form.fields["name"].set_text("Gate B")
        form.submit()
        qtbot.waitUntil(form.banner.isVisible)
        assert "no keyring" in form.banner.text()
        # What was typed stays, and the device whose token is lost is removed again.
        assert form.fields["name"].text() == "Gate B"
        assert ("DELETE", "/api/face/devices/d2", None) in fake_service.sent
        form._has_changes = False
        form.reject()


def test_device_removed_by_another_user_is_reported_and_the_list_reloaded(
    fake_service: FakeService, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.pages.people.face_policy.cards.confirm", lambda *_: True)
    with faces_page(fake_service, qtbot) as page:
        card = page.faces.devices
        fake_service.answers["/api/face/devices/d1"] = failure_answer(404, "not_found")
        fake_service.answers["/api/face/devices"] = success_answer([])
        (device,) = page.faces.devices.devices
        with qtbot.waitSignal(card.toast):
            card.remove(device)
        qtbot.waitUntil(lambda: not card.none_label.isHidden())


def test_audit_log_describes_policies_and_refusals() -> None:
    assert detail_lines(
        {"login_enabled": True, "challenge_admins": "in_doubt", "allowed_devices_only": False}
    ) == [
        "Face login enabled: Yes",
        "Head movements: users who can change settings: When in doubt",
        "Only on allowed devices: No",
    ]
    assert detail_lines({"challenge": "flat"}) == ["Head movements: Flat picture"]


@pytest.mark.parametrize("reason", [each.value for each in Reason if each is not Reason.LIVE])
def test_every_reason_of_a_refusal_has_a_word(reason: str) -> None:
    assert refusal_word(reason) != reason
