"""The bar of a sealed record: who may release it, and why a user may not."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.messages.error_messages import same_person_sentence
from desktop.pages.sealing.seal_actions import SealBar
from service.inspection.problems import same_person
from service.web.language import in_english
from shared.record.codes import SealState
from tests.desktop.messages.test_seal_terms import make_seal


@pytest.mark.parametrize("took_part", [False, True])
def test_button_says_why_a_user_cannot_release(qtbot: QtBot, took_part: bool) -> None:
    bar = SealBar()
    qtbot.addWidget(bar)
    bar.show_seal(
        make_seal(SealState.AWAITING_RELEASE), may_release=True, may_reopen=False, took_part=took_part
    )
    assert not bar.release.isHidden()
    assert bar.release.isEnabled() is not took_part
    reason = same_person_sentence() if took_part else ""
    assert (bar.release.toolTip(), bar.release.accessibleDescription()) == (reason, reason)


def test_user_without_the_permission_sees_no_button(qtbot: QtBot) -> None:
    bar = SealBar()
    qtbot.addWidget(bar)
    bar.show_seal(make_seal(SealState.AWAITING_RELEASE), may_release=False, may_reopen=False)
    assert bar.release.isHidden()


def test_refusal_of_the_service_has_the_same_sentence() -> None:
    assert in_english(same_person().msg) == same_person_sentence()
