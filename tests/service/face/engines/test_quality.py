from __future__ import annotations

import numpy as np
import pytest

from service.face.engines.analysis import align, measure
from service.face.engines.engine import Quality
from service.face.rules import ENROLMENT
from shared.images.cv import cv2
from shared.samples import faces
from shared.samples.faces import Pixels

BOX = (179, 83, 267, 171)
EYES = np.array((faces.LEFT_EYE, faces.RIGHT_EYE), np.float32)
NOSE = np.array(faces.NOSE, np.float32)


def measure_portrait(image: Pixels) -> Quality:
    return measure(image, BOX, EYES, NOSE)


def masked_portrait(colour: tuple[int, int, int], fold: float) -> Pixels:
    """The portrait with a mask of that colour, its folds darker by a part."""
    face = faces.load_portrait().copy()
    outline = np.array([(182, 120), (224, 118), (266, 120), (262, 160), (224, 185), (188, 160)])
    cv2.fillPoly(face, [outline], colour)
    for y in range(130, 175, 10):
        cv2.line(face, (190, y), (258, y), tuple(int(value * (1 - fold)) for value in colour), 1)
    return face


def bearded_portrait(colour: tuple[int, int, int], density: float) -> Pixels:
    """The portrait with a full beard around the mouth."""
    cheeks = [(186, 128), (196, 150), (205, 140), (224, 136), (243, 140), (254, 150), (264, 128)]
    chin = [(262, 162), (240, 184), (224, 187), (205, 184), (190, 162)]
    area = np.zeros((512, 512), np.float32)
    cv2.fillPoly(area, [np.array(cheeks + chin)], 1)
    cv2.ellipse(area, faces.MOUTH, (15, 7), 0, 0, 360, 0, -1)
    hair = np.random.default_rng(1).normal(density, 0.25, area.shape).clip(0, 1).astype(np.float32)
    weight = (cv2.GaussianBlur(area, (0, 0), 2) * cv2.GaussianBlur(hair, (0, 0), 0.6))[..., None]
    mixed = faces.load_portrait() * (1 - weight) + np.array(colour) * weight
    return np.asarray(np.clip(mixed, 0, 255), np.uint8)


@pytest.mark.parametrize(
    ("colour", "fold"),
    [
        ((235, 225, 205), 0.2),
        ((30, 30, 30), 0.0),
        ((35, 30, 30), 0.5),
        ((200, 150, 90), 0.15),
        ((150, 190, 120), 0.1),
        ((40, 30, 200), 0.1),
    ],
    ids=["white", "black", "folded", "blue", "green", "red"],
)
def test_a_mask_covers(colour: tuple[int, int, int], fold: float) -> None:
    assert measure_portrait(masked_portrait(colour, fold)).cover > ENROLMENT.cover


@pytest.mark.parametrize(
    ("colour", "density"),
    [((25, 25, 30), 0.6), ((25, 25, 30), 1.0), ((150, 150, 150), 0.9), ((40, 70, 110), 1.0)],
)
def test_a_beard_does_not(colour: tuple[int, int, int], density: float) -> None:
    assert measure_portrait(bearded_portrait(colour, density)).cover < ENROLMENT.cover - 2


@pytest.mark.parametrize(("redder", "yellower"), [(20, 0), (0, 18), (16, 16)])
def test_lips_a_blush_and_a_lamp_do_not(redder: int, yellower: int) -> None:
    image = faces.load_portrait()
    lab = cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    lab[120:190, 180:268] += (-5, redder, yellower)
    warmer = cv2.cvtColor(lab, cv2.COLOR_LAB2BGR).clip(0, 1)
    assert measure_portrait((warmer * 255).astype(np.uint8)).cover < ENROLMENT.cover / 2


def test_light_falls_on_cover_hardly() -> None:
    for image in (
        faces.change_light(faces.load_portrait(), gain=0.4),
        faces.change_light(faces.load_portrait(), slope=0.4),
        faces.change_light(faces.load_portrait(), gamma=1.6),
    ):
        assert measure_portrait(image).cover < ENROLMENT.cover / 2


def test_the_eyes_come_to_their_places() -> None:
    turned = cv2.getRotationMatrix2D(faces.FACE, 25, 1.7)
    image = cv2.warpAffine(faces.load_portrait(), turned, (512, 512))
    eyes = (EYES @ turned[:, :2].T + turned[:, 2]).astype(np.float32)
    first, second = align(faces.load_portrait(), EYES), align(image, eyes)
    assert first.shape == second.shape == (160, 128, 3)
    assert np.abs(first[30:130].astype(int) - second[30:130]).mean() < 4


def test_yaw_and_roll_are_those_of_the_landmarks() -> None:
    straight = measure(faces.load_portrait(), BOX, EYES, EYES.mean(axis=0) + np.array((0, 25)))
    assert straight.yaw == pytest.approx(0, abs=0.1)
    aside = measure(faces.load_portrait(), BOX, EYES, EYES.mean(axis=0) + np.array((20, 25)))
    assert aside.yaw - straight.yaw == pytest.approx(20 / straight.inter_ocular, abs=0.02)
    steep = measure(faces.load_portrait(), BOX, np.array(((200, 100), (230, 130)), np.float32), NOSE)
    assert steep.roll == pytest.approx(45)


def test_sharpness_falls_with_every_blur() -> None:
    values = [
        measure_portrait(cv2.GaussianBlur(faces.load_portrait(), (0, 0), sigma)).sharpness
        for sigma in (0.5, 1, 2, 3)
    ]
    assert values == sorted(values, reverse=True)
    # And does not depend on the contrast.
    flat = measure_portrait(faces.change_light(faces.load_portrait(), gain=0.4)).sharpness
    assert flat == pytest.approx(measure_portrait(faces.load_portrait()).sharpness, rel=0.2)


@pytest.mark.parametrize("box", [(-500, -500, -400, -400), (600, 600, 900, 900), (100, 100, 101, 101)])
def test_a_box_beside_the_picture_is_not_sharp(box: tuple[float, float, float, float]) -> None:
    quality = measure(faces.load_portrait(), box, EYES + 2000, NOSE)
    assert quality.sharpness < 0.5
    assert np.isfinite(quality.cover)
