"""The figures of face login on the people's page, with a played service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.pages.common.forms.passwords import PasswordPrompt
from desktop.pages.people import PeoplePage
from shared.images.cv import cv2
from shared.record.codes import Role
from tests.desktop.camera.pictures import face_frame, write
from tests.desktop.children import child
from tests.desktop.conftest import make_payload
from tests.desktop.pages.fake_service import (
    FakeService,
    failure_answer,
    open_administration,
    open_fake_context,
    success_answer,
)


def calibration(**changes: Any) -> dict[str, Any]:
    scores = {"pairs": 0, "largest": None, "percentile_99": None, "median": None, "smallest": None}
    return {
        "model": "dlib-0123",
        "metric": "euclidean",
        "templates": 6,
        "users": 3,
        "threshold": -0.5,
        "strangers": scores,
        "same_user": scores,
        "false_matches": 0,
        "false_match_bound": None,
        **changes,
    }


STRANGERS = {"pairs": 12, "largest": -0.61, "percentile_99": -0.62, "median": -0.8, "smallest": -0.9}

MODELS = [
    {
        "name": "dlib",
        "engine": "dlib",
        "state": "in_use",
        "licence": "public domain",
        "allows": "any use",
        "research_only": False,
        "checks_liveness": False,
        "how": "",
    },
    *(
        {
            "name": f"insightface-{name}",
            "engine": "insightface",
            "state": "offered",
            "licence": "InsightFace model licence",
            "allows": "research",
            "research_only": True,
            "checks_liveness": False,
            "how": f"walkaround face install {name}.zip",
        }
        for name in ("buffalo_l", "antelopev2")
    ),
]
"""Answers of the service about its face models."""

SAME = {"pairs": 3, "largest": -0.1, "percentile_99": -0.1, "median": -0.2, "smallest": -0.31}


@contextmanager
def faces_page(fake_service: FakeService, qtbot: QtBot) -> Iterator[PeoplePage]:
    """The section of faces, with its figures, for an administrator."""
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        context.enter(make_payload(Role.ADMIN))
        page = open_administration(context, qtbot, "faces")
        qtbot.waitUntil(lambda: page.faces.stack.currentWidget() is page.faces.stack.content)
        yield page


@pytest.mark.parametrize(
    ("figures", "advice"),
    [
        (success_answer(calibration()), "At least two enrolled people"),
        (
            success_answer(calibration(strangers=STRANGERS, same_user=SAME, false_match_bound=0.221)),
            "False match rate: below 1 in 4",
        ),
        (
            success_answer(calibration(strangers=STRANGERS, false_matches=2, false_match_bound=0.4)),
            "can be mistaken for each other",
        ),
        (failure_answer(503, "unavailable"), "说明"),
    ],
)
def test_the_figures_of_the_calibration_are_explained(
    figures: httpx.Response, advice: str, qtbot: QtBot
) -> None:
    fake_service = FakeService()
    fake_service.answers |= {
        "/api/face/policy": success_answer({"login_enabled": False}),
        "/api/face/devices": success_answer([]),
        "/api/face/models": success_answer(MODELS),
        "/api/face/calibration": figures,
    }
    with faces_page(fake_service, qtbot) as page:
        faces = page.faces
        assert advice in faces.advice.text()
        assert not faces.policy.switch.isChecked()


def test_models_are_shown_with_what_they_allow(qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers |= {
        "/api/face/policy": success_answer({"login_enabled": True}),
        "/api/face/devices": success_answer([]),
        "/api/face/models": success_answer([{**MODELS[0], "name": "gone", "state": "missing"}, *MODELS]),
        "/api/face/calibration": success_answer(calibration()),
    }
    with faces_page(fake_service, qtbot) as page:
        shown = "\n".join(each.text() for each in page.faces.models.findChildren(QLabel))
    for text in (
        "In use",
        "a photo on a phone can log in",
        "Chosen, but not installed: face login does not work.",
        # Packs that differ in nothing but their name share a row.
        "insightface-buffalo_l, insightface-antelopev2",
        "Non-commercial research only: a login at work is not allowed.",
        "Licence: InsightFace model licence",
        "To get it: walkaround face install buffalo_l.zip",
    ):
        assert text in shown


def test_scores_and_model_are_behind_details(admin: tuple[FakeService, PeoplePage]) -> None:
    faces = admin[1].faces
    model = next(each for each in faces.findChildren(QLabel) if each.text() == "dlib-0123")
    assert not model.isVisibleTo(faces)
    faces.details.click()
    assert model.isVisibleTo(faces)
    faces.details.click()
    assert not model.isVisibleTo(faces)


@pytest.mark.parametrize(
    ("metric", "explanation"), [("euclidean", "negative distance"), ("cosine", "similarity of two faces")]
)
def test_meaning_of_a_score_depends_on_the_model(metric: str, explanation: str, qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers |= {
        "/api/face/policy": success_answer({"login_enabled": True}),
        "/api/face/devices": success_answer([]),
        "/api/face/models": success_answer(MODELS),
        "/api/face/calibration": success_answer(calibration(metric=metric)),
    }
    with faces_page(fake_service, qtbot) as page:
        faces = page.faces
        assert explanation in " ".join(each.text() for each in faces.findChildren(QLabel))


def scores(**changes: object) -> dict[str, Any]:
    """What the service says of one batch of strangers."""
    return {
        "pictures": 1,
        "faces": 1,
        "comparisons": 10,
        "false_matches": 0,
        "largest": -0.7,
        "threshold": -0.5,
        **changes,
    }


@pytest.fixture
def admin(qtbot: QtBot) -> Iterator[tuple[FakeService, PeoplePage]]:
    """The section of faces against a played service with two people enrolled."""
    fake_service = FakeService()
    figures = calibration(strangers=STRANGERS, same_user=SAME, false_match_bound=0.221, templates=4)
    fake_service.answers |= {
        "/api/face/policy": success_answer({"login_enabled": True}),
        "/api/face/devices": success_answer([]),
        "/api/face/models": success_answer(MODELS),
        "/api/face/calibration": success_answer(figures),
        "/api/face/calibration/strangers": success_answer(scores()),
    }
    with faces_page(fake_service, qtbot) as page:
        yield fake_service, page


def photos(folder: Path, count: int) -> Path:
    """A folder of so many photos, one of them too large and one no picture, in folders of their own."""
    for number in range(count):
        path = folder / f"team {number % 3}" / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        write(path, face_frame(0.3))
    write(folder / "large.png", cv2.resize(face_frame(), (2600, 1950)))
    (folder / "broken.jpg").write_bytes(b"no picture")
    (folder / "list.txt").write_text("names")
    return folder


def test_photos_of_strangers_are_compared_some_at_a_time(
    admin: tuple[FakeService, PeoplePage], qtbot: QtBot, tmp_path: Path
) -> None:
    fake_service, page = admin
    faces = page.faces
    answers = iter([scores(comparisons=24, largest=-0.61), scores(false_matches=1, largest=-0.4)])
    fake_service.answers["/api/face/calibration/strangers"] = lambda _request: success_answer(next(answers))
    faces.compare_strangers(photos(tmp_path, 11))
    assert faces.strangers.text() == "Cancel"
    qtbot.waitUntil(lambda: "strangers" in faces.strangers.text())
    bodies = fake_service.bodies("/api/face/calibration/strangers")
    # Eight files, the broken one left out, then the rest.
    assert [len(body["images"]) for body in bodies] == [7, 5]
    assert all(len(image) < 400_000 for body in bodies for image in body["images"])
    text = " ".join(child.text() for child in faces.findChildren(QLabel))
    assert "34 comparisons, 1 mistaken, maximum -0.400" in text
    # 34 and the 12 among the enrolled, with one false match: at most 1 in 10 (Clopper and Pearson).
    assert "46 comparisons. With 95% confidence, a stranger matches a given template in at most 9.90%" in text


def test_folder_without_faces_is_reported(
    admin: tuple[FakeService, PeoplePage], qtbot: QtBot, tmp_path: Path
) -> None:
    fake_service, page = admin
    fake_service.answers["/api/face/calibration/strangers"] = success_answer(
        scores(faces=0, comparisons=0, largest=None)
    )
    page.faces.compare_strangers(photos(tmp_path, 1))
    qtbot.waitUntil(lambda: "No face" in page.faces.progress.text())


def test_comparing_asks_for_the_password_and_can_be_cancelled(
    admin: tuple[FakeService, PeoplePage], qtbot: QtBot, tmp_path: Path
) -> None:
    fake_service, page = admin
    faces = page.faces
    fake_service.answers["/api/face/calibration/strangers"] = failure_answer(403, "password_login_needed")
    folder = photos(tmp_path, 1)
    faces.compare_strangers(folder)
    qtbot.waitUntil(lambda: faces.findChild(PasswordPrompt) is not None)
    dialog = child(faces, PasswordPrompt)
    fake_service.answers["/api/face/calibration/strangers"] = success_answer(scores())
    fake_service.open.clear()
    dialog.password.set_text("p")
    dialog.submit()
    fake_service.open.set()
    qtbot.waitUntil(lambda: bool(fake_service.bodies("/api/face/calibration/strangers")[1:]))
    qtbot.waitUntil(lambda: "strangers" in faces.strangers.text())
    fake_service.open.clear()
    faces.compare_strangers(folder)
    faces.strangers.click()
    assert faces.progress.text() == "Cancelled."
    assert "strangers" in faces.strangers.text()
    fake_service.open.set()


def test_better_model_is_suggested_to_admin(admin: tuple[FakeService, PeoplePage], qtbot: QtBot) -> None:
    fake_service, page = admin
    assert "face download sface" in page.faces.better_model.text()
    assert not page.faces.better_model.isHidden()
    fake_service.answers["/api/face/calibration"] = success_answer(calibration(model="sface-0123"))
    page.faces.enter()
    qtbot.waitUntil(page.faces.better_model.isHidden)


def test_photos_of_strangers_are_offered_once_a_face_is_enrolled(
    admin: tuple[FakeService, PeoplePage], qtbot: QtBot
) -> None:
    fake_service, page = admin
    assert not page.faces.strangers.isHidden()
    fake_service.answers["/api/face/calibration"] = success_answer(calibration(templates=0))
    page.faces.enter()
    qtbot.waitUntil(page.faces.strangers.isHidden)
