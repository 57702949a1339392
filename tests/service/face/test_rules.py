from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.face import rules
from service.face.engines.dlib_engine import THRESHOLDS
from service.face.engines.engine import DetectedFace, PictureAnalysis, Quality, Thresholds
from service.face.engines.manifest import MOBILEFACENET_THRESHOLDS, W600K_MBF_THRESHOLDS
from service.face.engines.picture import PictureFault
from service.face.rules import Match, QualityFault

GOOD = Quality(
    inter_ocular=80, brightness=130, burnt=0, black=0, sharpness=0.1, yaw=0.1, roll=2, cover=3, colour=40
)


def face(height: float, apart: float | None = None) -> DetectedFace:
    """A face in a box `height` px high, with its eyes `apart`, by default 0.4 of that."""
    points = np.zeros((5, 2), np.float32)
    points[1, 0] = 0.4 * height if apart is None else apart
    return DetectedFace((0, 0, height, height), points, points[:2], points[2], 1.0)


def make_analysis(
    quality: Quality = GOOD, heights: tuple[float, ...] = (200,), liveness: float | None = None
) -> PictureAnalysis:
    return PictureAnalysis(
        640, 480, tuple(face(height) for height in heights), quality, np.zeros(128, np.float32), liveness
    )


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({"inter_ocular": 39}, QualityFault.FACE_TOO_SMALL),
        ({"inter_ocular": 40}, None),
        ({"brightness": 230}, QualityFault.TOO_BRIGHT),
        ({"burnt": 0.3}, QualityFault.TOO_BRIGHT),
        ({"brightness": 40}, QualityFault.TOO_DARK),
        ({"black": 0.5}, QualityFault.TOO_DARK),
        ({"sharpness": 0.01}, QualityFault.BLURRED),
        ({"yaw": -0.4}, QualityFault.TURNED_AWAY),
        ({"roll": 35}, QualityFault.TURNED_AWAY),
        ({"cover": 15}, QualityFault.COVERED),
    ],
)
def test_an_enrolment_takes_good_pictures_only(
    change: dict[str, float], trouble: QualityFault | None
) -> None:
    assert rules.find_enrolment_fault(make_analysis(replace(GOOD, **change)), None) is trouble


@pytest.mark.parametrize(
    ("trouble_of", "name", "bound", "beyond", "trouble"),
    [
        (rules.find_enrolment_fault, "inter_ocular", 40, 39.9, QualityFault.FACE_TOO_SMALL),
        (rules.find_enrolment_fault, "brightness", 225, 225.1, QualityFault.TOO_BRIGHT),
        (rules.find_enrolment_fault, "brightness", 45, 44.9, QualityFault.TOO_DARK),
        (rules.find_enrolment_fault, "burnt", 0.2, 0.201, QualityFault.TOO_BRIGHT),
        (rules.find_enrolment_fault, "black", 0.4, 0.401, QualityFault.TOO_DARK),
        (rules.find_enrolment_fault, "sharpness", 0.012, 0.0119, QualityFault.BLURRED),
        (rules.find_enrolment_fault, "yaw", -0.35, -0.351, QualityFault.TURNED_AWAY),
        (rules.find_enrolment_fault, "roll", 30, 30.1, QualityFault.TURNED_AWAY),
        (rules.find_enrolment_fault, "cover", 14, 14.1, QualityFault.COVERED),
        (rules.find_login_fault, "inter_ocular", 28, 27.9, QualityFault.FACE_TOO_SMALL),
        (rules.find_login_fault, "brightness", 240, 240.1, QualityFault.TOO_BRIGHT),
        (rules.find_login_fault, "brightness", 30, 29.9, QualityFault.TOO_DARK),
        (rules.find_login_fault, "burnt", 0.5, 0.501, QualityFault.TOO_BRIGHT),
        (rules.find_login_fault, "black", 0.6, 0.601, QualityFault.TOO_DARK),
        (rules.find_login_fault, "sharpness", 0.006, 0.0059, QualityFault.BLURRED),
        (rules.find_login_fault, "yaw", 0.45, 0.451, QualityFault.TURNED_AWAY),
        (rules.find_login_fault, "roll", -40, -40.1, QualityFault.TURNED_AWAY),
        (rules.find_login_fault, "cover", 22, 22.1, QualityFault.COVERED),
    ],
)
def test_a_picture_at_the_limit_is_good_and_one_beyond_is_not(
    trouble_of: Callable[[PictureAnalysis, float | None], QualityFault | None],
    name: str,
    bound: float,
    beyond: float,
    trouble: QualityFault,
) -> None:
    assert trouble_of(make_analysis(replace(GOOD, **{name: bound})), None) is None
    assert trouble_of(make_analysis(replace(GOOD, **{name: beyond})), None) is trouble


def test_a_login_is_more_forgiving_than_an_enrolment() -> None:
    passable = make_analysis(replace(GOOD, inter_ocular=35, sharpness=0.01, brightness=40, burnt=0.3))
    assert rules.find_enrolment_fault(passable, None) is not None
    assert rules.find_login_fault(passable, None) is None


def test_nobody_stands_beside_an_enrolment() -> None:
    assert rules.find_enrolment_fault(make_analysis(heights=(200, 81)), None) is QualityFault.SEVERAL_FACES
    assert rules.find_enrolment_fault(make_analysis(heights=(200, 80)), None) is None


def test_a_login_has_one_dominant_face() -> None:
    assert rules.find_login_fault(make_analysis(heights=(200, 134)), None) is QualityFault.SEVERAL_FACES
    assert rules.find_login_fault(make_analysis(heights=(200, 132)), None) is None


def test_second_person_counts_by_the_eyes_and_not_by_the_box() -> None:
    wide_box = replace(make_analysis(), faces=(face(200, 80), face(190, 40)))
    assert rules.find_login_fault(wide_box, None) is None
    near = replace(make_analysis(), faces=(face(200, 80), face(120, 30), face(100, 60)))
    assert rules.find_login_fault(near, None) is QualityFault.SEVERAL_FACES
    assert rules.find_enrolment_fault(near, None) is QualityFault.SEVERAL_FACES


def test_grey_picture_is_named_only_where_a_model_judges_liveness() -> None:
    grey = make_analysis(replace(GOOD, colour=0.5), liveness=0.1)
    assert rules.find_enrolment_fault(grey, None) is None
    for find_fault in (rules.find_enrolment_fault, rules.find_login_fault):
        assert find_fault(grey, 0.5) is QualityFault.GREY
        assert find_fault(make_analysis(liveness=0.1), 0.5) is QualityFault.NOT_LIVE


def test_no_face() -> None:
    assert rules.find_enrolment_fault(PictureAnalysis(640, 480), None) is QualityFault.NO_FACE
    assert rules.find_login_fault(PictureAnalysis(640, 480), None) is QualityFault.NO_FACE


@pytest.mark.parametrize(
    ("liveness", "trouble"),
    [(0.4, QualityFault.NOT_LIVE), (None, QualityFault.NOT_LIVE), (0.5, None), (0.6, None)],
)
def test_liveness_counts_where_there_is_a_model(liveness: float | None, trouble: QualityFault | None) -> None:
    assert rules.find_login_fault(make_analysis(liveness=liveness), 0.5) is trouble
    assert rules.find_enrolment_fault(make_analysis(liveness=liveness), 0.5) is trouble
    assert rules.find_login_fault(make_analysis(liveness=liveness), None) is None


def test_every_quality_fault_has_its_own_sentence() -> None:
    assert rules.SENTENCES.keys() == {*PictureFault, *QualityFault}
    # But for the face of another user, which looks like a photo on a screen.
    others = {fault: text for fault, text in rules.SENTENCES.items() if fault is not QualityFault.OTHER_USER}
    assert len(set(others.values())) == len(others)
    assert rules.SENTENCES[QualityFault.OTHER_USER] == others[QualityFault.NOT_LIVE]


@pytest.mark.parametrize(
    ("points", "templates", "expected"),
    [
        (THRESHOLDS.points, 1, -0.543),
        (THRESHOLDS.points, 10, -0.479),
        (THRESHOLDS.points, 100, -0.421),
        (MOBILEFACENET_THRESHOLDS, 10, 0.414),
        (MOBILEFACENET_THRESHOLDS, 150, 0.497),
        (MOBILEFACENET_THRESHOLDS, 1000, 0.543),
        (W600K_MBF_THRESHOLDS, 150, 0.388),
    ],
)
def test_thresholds_are_the_measured_ones(
    points: list[tuple[float, float]], templates: int, expected: float
) -> None:
    assert rules.threshold(Thresholds(tuple(points)), templates) == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_templates_never_loosen_a_threshold(first: int, second: int) -> None:
    fewer, more = sorted((first, second))
    for points in (THRESHOLDS.points, tuple(MOBILEFACENET_THRESHOLDS)):
        thresholds = Thresholds(points)
        assert rules.threshold(thresholds, fewer) <= rules.threshold(thresholds, more) + 1e-12
        assert rules.threshold(thresholds, fewer) >= points[0][1]


def test_accepts_only_a_clear_match() -> None:
    assert rules.is_accepted(Match("a", 0.6, None), 0.5)
    assert rules.is_accepted(Match("a", 0.6, 0.54), 0.5)
    assert not rules.is_accepted(Match("a", 0.6, 0.56), 0.5)
    assert not rules.is_accepted(Match("a", 0.49, None), 0.5)
    assert not rules.is_accepted(None, 0.5)


def test_a_score_at_the_threshold_is_a_match_and_so_is_one_just_clear_of_the_next() -> None:
    margin = rules.MARGIN
    assert rules.is_accepted(Match("a", 0.5, None), 0.5)
    assert rules.is_accepted(Match("a", margin, 0.0), 0.0)
    assert not rules.is_accepted(Match("a", math.nextafter(margin, 0), 0.0), 0.0)


def test_the_pictures_of_an_enrolment_are_of_one_person_when_each_pair_is() -> None:
    needed = rules.threshold(THRESHOLDS, 1)
    assert rules.is_same_person([], THRESHOLDS) is True
    assert rules.is_same_person([needed, needed + 0.1], THRESHOLDS) is True
    assert rules.is_same_person([needed + 0.1, needed - 1e-6], THRESHOLDS) is False


def test_pauses_double_and_end_in_off() -> None:
    pauses = {failures: rules.pause_duration(failures) for failures in range(51)}
    assert [failures for failures, pause in pauses.items() if pause] == list(range(5, 51, 5))
    assert [pauses[failures] for failures in (5, 10, 15, 20)] == [
        timedelta(seconds=seconds) for seconds in (30, 60, 120, 240)
    ]
    assert not rules.is_off(49)
    assert rules.is_off(50)


FRONT = replace(GOOD, yaw=0.0)


@pytest.mark.parametrize(
    ("photos", "weaknesses"),
    [
        ([FRONT, replace(FRONT, yaw=0.2), replace(FRONT, yaw=-0.2)], []),
        ([FRONT], ["one_photo"]),
        ([FRONT, replace(FRONT, yaw=0.05)], ["front_only"]),
        ([FRONT, replace(FRONT, yaw=0.2), replace(FRONT, yaw=0.25)], ["front_only"]),
        ([FRONT, replace(FRONT, yaw=0.3), replace(FRONT, yaw=-0.05)], ["front_only"]),
        ([replace(FRONT, brightness=60)], ["one_photo", "dark"]),
        ([replace(FRONT, brightness=60), replace(FRONT, yaw=0.2)], ["front_only"]),
        ([replace(FRONT, brightness=210, yaw=0.2), replace(FRONT, brightness=215)], ["front_only", "bright"]),
        ([replace(FRONT, inter_ocular=45, sharpness=0.015)], ["one_photo", "small", "blurred"]),
    ],
)
def test_weak_enrolments_are_named(photos: list[Quality], weaknesses: list[str]) -> None:
    assert rules.weaknesses(photos) == weaknesses
