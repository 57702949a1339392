"""Maps a viewport by a homography to the same place in another picture, without Qt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from desktop.canvas.layers.finding_layer import Matrix
from desktop.canvas.model.viewport import MAX_SCALE, Viewport

ImagePoint = tuple[float, float]


def mapped_point(mapping: Matrix, x: float, y: float) -> ImagePoint | None:
    """Map a point by a 3 x 3 homography; None where its third row is not positive."""
    u, v, w = mapping @ np.array([x, y, 1.0])
    return (float(u / w), float(v / w)) if w > 1e-9 else None


def mapped_viewport(source: Viewport, onto: Viewport, mapping: Matrix, anchor: ImagePoint) -> Viewport | None:
    """`onto` moved so that what `source` shows at `anchor` (view px) is there as well, and as large.

    `mapping` (3 x 3) brings px of the picture of `source` to px of that of `onto`. A picture that would be
    smaller than its view is fitted. None when the place is not in the other picture.
    """
    x, y = source.to_image(*anchor)
    place = mapped_point(mapping, x, y)
    beside = mapped_point(mapping, x + 1, y), mapped_point(mapping, x, y + 1)
    if place is None or beside[0] is None or beside[1] is None:
        return None
    inside = 0 <= place[0] <= onto.image_width and 0 <= place[1] <= onto.image_height
    across, down = np.subtract(beside[0], place), np.subtract(beside[1], place)
    larger = float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0])))
    if not inside or larger < 1e-9:
        return None
    scale = min(source.scale / larger, MAX_SCALE)
    if scale <= onto.fit_scale:
        return onto.fit()
    left, top = anchor[0] - place[0] * scale, anchor[1] - place[1] * scale
    return replace(onto, scale=scale, left=left, top=top).bounded()
