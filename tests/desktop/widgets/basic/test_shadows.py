"""Tests that a soft shadow is the Gaussian blur of its box."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from desktop.widgets.basic.shadows import soft_shadow


def read_alpha(image: QImage) -> np.ndarray:
    """Return the alpha of `image`, height x width, uint8; check that the colour is black."""
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    assert not (words & 0xFFFFFF).any()
    return (words >> 24).astype(np.uint8)


# OpenCV samples the Gaussian at pixels, too coarsely for a small sigma: it blurs five times as many.
_FINER = 5


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 90), st.integers(1, 90), st.integers(2, 12), st.floats(0.05, 1))
def test_shadow_is_a_blurred_box(width: int, height: int, blur: int, strength: float) -> None:
    alpha = read_alpha(soft_shadow(width, height, blur, strength))
    margin = 3 * blur
    assert alpha.shape == (height + 2 * margin, width + 2 * margin)
    box = np.zeros(alpha.shape, np.float32)
    box[margin : margin + height, margin : margin + width] = 255 * strength
    box = box.repeat(_FINER, axis=0).repeat(_FINER, axis=1)
    side = 8 * blur * _FINER + 1
    blurred = cv2.GaussianBlur(box, (side, side), blur * _FINER, borderType=cv2.BORDER_CONSTANT)
    centres = slice(_FINER // 2, None, _FINER)
    assert np.abs(blurred[centres, centres] - alpha).max() <= 1.5


def test_shadow_fades_out_at_its_edge() -> None:
    alpha = read_alpha(soft_shadow(300, 200, 24, 0.5))
    assert alpha.max() == 127 or alpha.max() == 128
    assert max(alpha[0].max(), alpha[-1].max(), alpha[:, 0].max(), alpha[:, -1].max()) <= 1
