"""Tests the mapping from a photo back to its reference image, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from service.inspection.history.comparison import invert, map_rect
from shared.record.geometry import Rect

# Rotated, scaled, moved and tilted, as much as two photos of a place differ.
OBLIQUE_VIEW = [[0.9, -0.12, 40.0], [0.15, 1.1, -25.0], [2e-4, -1e-4, 1.0]]
NUMBER = st.floats(-10, 10)


@settings(max_examples=80, deadline=None)
@given(st.lists(NUMBER, min_size=9, max_size=9))
def test_matrix_times_its_inverse_is_a_multiple_of_the_identity(numbers: list[float]) -> None:
    matrix = np.array(numbers).reshape(3, 3)
    assume(abs(np.linalg.det(matrix)) > 1e-3)
    inverse = invert(matrix.tolist())
    assert inverse is not None
    product = matrix @ np.array(inverse)
    assert np.allclose(product, np.eye(3) * product[0, 0], atol=1e-6 * np.abs(product).max())
    assert product[0, 0] == pytest.approx(np.linalg.det(matrix), rel=1e-6)


def test_box_mapped_back_from_an_oblique_view_is_about_the_original() -> None:
    box = Rect(100, 200, 80, 60)
    back = invert(OBLIQUE_VIEW)
    assert back is not None
    mapped_box = map_rect(box, OBLIQUE_VIEW, None)
    assert mapped_box is not None
    again = map_rect(mapped_box, back, None)
    assert again is not None
    # Each mapping takes the upright rectangle around a rotated one. So the result contains the original.
    assert again.iou(box) > 0.5
    for x, y in ((100, 200), (179, 259), (140, 230)):
        assert again.contains(x, y)
