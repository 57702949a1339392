"""Tests that a highlight is not a finding, and that an object that covers the surface is not a highlight."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference import AlignmentFailed, Parameters, detect
from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.focus import match_focus
from service.detection.reference_difference.light import highlights
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image
from tests.material import surfaces

WIDTH, HEIGHT = 640, 480
WHOLE = Rect(0, 0, WIDTH, HEIGHT)
PANEL = samples.draw_panel(WIDTH, HEIGHT, 8).image
MIDDLE = (400, 260)


def lit(image: Image, size: float = 22, strength: float = 4.0) -> Image:
    """The image with light on top, in linear values."""
    y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    away = ((x - MIDDLE[0]) ** 2 + (y - MIDDLE[1]) ** 2) / size**2
    linear = (image / 255) ** 2.2 + (strength * np.exp(-away / 2))[..., None]
    return noisy(np.clip(linear, 0, 1) ** (1 / 2.2) * 255)


def noisy(image: Image | np.ndarray) -> Image:
    grain = np.random.default_rng(3).normal(0, 2, image.shape)
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8)


def covers(box: Rect) -> bool:
    return box.contains(*MIDDLE)


def floats(image: Image) -> Floats:
    return np.asarray(image, np.float32)


def everywhere() -> Image:
    return np.full((HEIGHT, WIDTH), 255, np.uint8)


def test_highlight_gives_no_finding() -> None:
    assert detect(PANEL, WHOLE, lit(PANEL)).boxes == ()


def test_place_hidden_by_a_highlight_has_a_low_confidence() -> None:
    (found,) = detect(PANEL, WHOLE, lit(PANEL), Parameters(min_confidence=0.1)).boxes
    assert found.label == "highlight"
    assert found.confidence < 0.5
    assert covers(found.box)


def test_glare_that_hides_much_asks_for_another_photo() -> None:
    with pytest.raises(AlignmentFailed) as refused:
        detect(PANEL, WHOLE, lit(PANEL, size=56))
    assert refused.value.reason == "overexposed"


def test_print_that_fades_in_large_glare_gives_no_finding() -> None:
    label = surfaces.draw_label(WIDTH, HEIGHT, seed=512).image
    assert detect(label, WHOLE, lit(label, size=55, strength=1.6)).boxes == ()


@pytest.mark.parametrize(("seed", "size"), [(512, 75), (510, 95), (523, 130)])
def test_a_photo_of_which_a_highlight_hides_much_asks_for_another_photo(seed: int, size: int) -> None:
    label = surfaces.draw_label(WIDTH, HEIGHT, seed=seed).image
    with pytest.raises(AlignmentFailed) as refused:
        detect(label, WHOLE, lit(label, size=size, strength=1.6))
    assert refused.value.reason == "overexposed"


def test_glare_on_a_dark_surface_with_small_lights_gives_no_finding() -> None:
    random = np.random.default_rng(7)
    sky = np.full((HEIGHT, WIDTH, 3), 14, np.uint8)
    low, high = (0, 0, 1, 60, 60, 60), (WIDTH, HEIGHT, 5, 250, 250, 250)
    for x, y, size, *colour in random.uniform(low, high, (300, 6)):
        cv2.circle(sky, (int(x), int(y)), int(size), colour, -1, cv2.LINE_AA)
    assert detect(sky, WHOLE, lit(sky, size=52, strength=1.6)).boxes == ()


def test_structure_that_glare_hides_does_not_look_like_blur() -> None:
    label = surfaces.draw_label(WIDTH, HEIGHT, seed=523).image
    was, now = floats(label), floats(lit(label, size=130, strength=1.6))
    for before, after in zip((was, now), match_focus(was, now, everywhere()), strict=True):
        np.testing.assert_array_equal(after, before)


def test_an_overexposed_photo_asks_for_another_photo() -> None:
    linear = (PANEL / 255) ** 2.2 * 2**1.5
    with pytest.raises(AlignmentFailed) as refused:
        detect(PANEL, WHOLE, noisy(np.clip(linear, 0, 1) ** (1 / 2.2) * 255))
    assert refused.value.reason == "overexposed"


@pytest.mark.parametrize("value", [252, 255])
def test_white_object_with_an_edge_is_found(value: int) -> None:
    taped = PANEL.copy()
    cv2.circle(taped, MIDDLE, 40, (value,) * 3, -1, cv2.LINE_AA)
    found = detect(PANEL, WHOLE, noisy(cv2.GaussianBlur(taped, (0, 0), 1.2))).boxes
    assert any(one.label != "highlight" and covers(one.box) and one.confidence > 0.8 for one in found)


@pytest.mark.parametrize("colour", [(20, 22, 26), (40, 60, 200)])
def test_a_defect_in_the_light_around_is_found(colour: tuple[int, int, int]) -> None:
    hurt = PANEL.copy()
    place = (MIDDLE[0] + 62, MIDDLE[1] + 8)
    cv2.circle(hurt, place, 9, colour, -1, cv2.LINE_AA)
    found = detect(PANEL, WHOLE, lit(hurt)).boxes
    assert any(one.box.iou(Rect(place[0] - 9, place[1] - 9, 19, 19)) > 0.33 for one in found)


def test_light_is_measured_where_it_was_added() -> None:
    surface = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    found = highlights.find(floats(noisy(surface)), floats(lit(surface)), everywhere())
    assert found is not None
    assert found.added.shape == found.clipped.shape == (HEIGHT, WIDTH)
    assert found.clipped[MIDDLE[1], MIDDLE[0]] == 1
    assert found.clipped[MIDDLE[1], MIDDLE[0] + 60] == 0
    for off in (50, 60):
        expected = 4.0 * np.exp(-((off / 22) ** 2) / 2)
        assert found.added[MIDDLE[1], MIDDLE[0] + off] == pytest.approx(expected, rel=0.3)
    np.testing.assert_allclose(found.colour, 1, atol=0.1)


def test_highlight_is_found_whatever_is_printed_around_it() -> None:
    paper = np.full((HEIGHT, WIDTH, 3), 200, np.uint8)
    # Dark print fills less of its room to white than the paper further out, in more light.
    cv2.circle(paper, MIDDLE, 101, (40, 40, 40), 8)
    found = highlights.find(floats(noisy(paper)), floats(lit(paper, size=55, strength=1.6)), everywhere())
    assert found is not None
    assert found.clipped[MIDDLE[1], MIDDLE[0] + 60] == 1


def test_photo_that_does_not_clip_has_no_highlight() -> None:
    assert highlights.find(floats(PANEL), floats(np.minimum(PANEL, 240)), everywhere()) is None


def test_paper_that_was_white_before_is_not_a_highlight() -> None:
    paper = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    assert highlights.find(floats(paper), floats(noisy(np.full_like(paper, 255))), everywhere()) is None
