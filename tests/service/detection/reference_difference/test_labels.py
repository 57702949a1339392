"""Tests the label of a difference, on panels with one piece of damage each."""

from __future__ import annotations

import pytest

from service.detection.reference_difference import Parameters, detect
from shared import samples
from shared.record.geometry import Rect

VIEW = samples.View(rotation=2, scale=0.95, light=0.05, noise=2, jpeg=92)


@pytest.mark.parametrize("kind", ["crack", "scratch", "dent", "stain", "missing"])
def test_damage_has_its_label(kind: str) -> None:
    scene = samples.draw_scene(700, 560, 41, [kind], VIEW)
    result = detect(scene.reference, Rect(0, 0, 700, 560), scene.photo, Parameters())
    assert [box.label for box in result.boxes] == [kind]
