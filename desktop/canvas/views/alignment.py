"""Maps a photo onto the part of the reference image that it shows, and computes what differs between them.

Blocking: call it off the GUI thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from desktop.canvas.layers.finding_layer import Matrix
from desktop.imaging.decoding.pixels import from_qimage, to_qimage
from desktop.imaging.sources.cut import ImageCrop
from shared.images.cv import cv2

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]

_GAIN: Final = 3.0
_SHOWN: Final = 0.2
"""Brightness of the photo below its difference: without one the place is still visible."""
_CELLS: Final = 48
"""Cells of the grid along the longer side."""
_FEWEST: Final = 60
_ROUNDS: Final = 6
_AGREEING: Final = 2.5
"""Cells whose residual is more than this many times the median one are left out of the next round."""
_RIDGE: Final = 1e-3
_DARK, _BRIGHT = 6, 249
"""Grey levels beyond which the surface is hidden, and light cannot be measured."""


def compute_difference(reference: Bytes, photo: Bytes, inside: Bytes) -> Bytes:
    """The difference of two images (height, width, 4), bright and coloured on the dim photo.

    `inside` (height, width) is 255 where the photo shows the reference, else 0. Slight blurring suppresses
    noise and half-pixel shifts.
    """
    before, after = (cv2.GaussianBlur(picture[:, :, :3], (0, 0), 1.5) for picture in (reference, photo))
    lit = even_light(np.asarray(before, np.uint8), np.asarray(after, np.uint8), inside)
    blue, green, red = cv2.split(cv2.absdiff(lit, after))
    # NumPy's maximum over the channels takes ten times as long.
    distance = cv2.bitwise_and(cv2.max(cv2.max(blue, green), red), inside)
    heat = cv2.applyColorMap(cv2.convertScaleAbs(distance, alpha=_GAIN), cv2.COLORMAP_INFERNO)
    dim = cv2.convertScaleAbs(cv2.cvtColor(after, cv2.COLOR_BGR2GRAY), alpha=_SHOWN)
    shown = cv2.max(heat, cv2.cvtColor(dim, cv2.COLOR_GRAY2BGR))
    return np.asarray(cv2.cvtColor(shown, cv2.COLOR_BGR2BGRA), np.uint8)


def even_light(reference: Bytes, photo: Bytes, inside: Bytes) -> Bytes:
    """The reference in the light of the photo, both (height, width, 3).

    The photo's light is modelled as detection does (`service.detection.reference_difference.light`): for each
    channel a gain that is linear in the place, a square term, and an offset that is quadratic in the place.
    Most cells of a coarse grid decide, so that a changed object keeps its difference. The result is the
    reference itself where too little of the photo is visible to tell.
    """
    height, width = inside.shape
    share = _CELLS / max(height, width)
    size = (max(round(width * share), 4), max(round(height * share), 4))
    was, now, seen = (
        cv2.resize(image, size, interpolation=cv2.INTER_AREA) for image in (reference, photo, inside)
    )
    columns, rows = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
    is_visible = (seen == 255) & (now.min(axis=2) >= _DARK) & (now.max(axis=2) <= _BRIGHT)
    if np.count_nonzero(is_visible) < _FEWEST:
        return reference
    x, y = columns[is_visible], rows[is_visible]
    channels = []
    for channel in range(3):
        before, after = (image[is_visible][:, channel] / 255.0 for image in (was, now))
        numbers = _fit(before, after, x, y)
        channels.append(_lit(reference[:, :, channel], numbers, columns, rows))
    return np.asarray(cv2.merge(channels), np.uint8)


def _fit(before: Numbers, after: Numbers, x: Numbers, y: Numbers) -> Numbers:
    """The numbers of a channel: gain (1, x, y), square term, offset (1, x, y, xx, xy, yy)."""
    terms = np.stack(
        [before, before * x, before * y, before**2, np.ones_like(x), x, y, x * x, x * y, y * y], axis=1
    )
    # Nothing is added where the cells do not tell: then the reference stays as it is.
    start = np.zeros(10)
    start[0] = 1.0
    numbers, agreeing = start, np.ones(len(x), bool)
    for _ in range(_ROUNDS):
        part = terms[agreeing]
        square = part.T @ part + _RIDGE * len(part) * np.eye(10)
        numbers = start + np.linalg.solve(square, part.T @ (after[agreeing] - part @ start))
        residual = np.abs(terms @ numbers - after)
        agreeing = residual <= max(_AGREEING * float(np.median(residual)), 1 / 255)
    return numbers


def _lit(channel: Bytes, numbers: Numbers, x: Numbers, y: Numbers) -> Bytes:
    """One channel (height, width) in the light of these numbers, whose grid has the places `x` and `y`."""
    size = channel.shape[::-1]
    gain, offset = (
        cv2.resize(np.asarray(grid, np.float32), size, interpolation=cv2.INTER_LINEAR)
        for grid in (
            numbers[0] + numbers[1] * x + numbers[2] * y,
            255
            * (
                numbers[4]
                + numbers[5] * x
                + numbers[6] * y
                + numbers[7] * x * x
                + numbers[8] * x * y
                + numbers[9] * y * y
            ),
        )
    )
    value = channel.astype(np.float32)
    lit = cv2.add(cv2.multiply(value, cv2.add(gain, value * np.float32(numbers[3] / 255))), offset)
    return np.asarray(np.clip(np.rint(lit), 0, 255), np.uint8)


Bytes = npt.NDArray[np.uint8]

MAX_SIDE = 4096
"""Longer side in px up to which the pair is computed at the photo's resolution."""

_OUTSIDE = (96, 96, 96, 255)
_SHRINK_FROM = 1.5


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A reference crop and a photo on the same pixel grid, and their difference.

    `mapping` (3 x 3) maps px of the photo to px of the pair. `aligned` is False when no homography was known
    and the whole photo was only fitted into the crop. `difference` is a null image then. `to_reference`
    (3 x 3) maps px of the pair to px of the reference image; None when the pair shows no part of one.
    `photo_size` is the size of the whole photo in px.
    """

    reference: QImage
    photo: QImage
    difference: QImage
    mapping: Matrix
    aligned: bool
    to_reference: Matrix | None = None
    photo_size: tuple[int, int] = (0, 0)


def align(
    reference: QImage, photo: QImage, homography: Matrix | None, origin: tuple[float, float] = (0, 0)
) -> AlignedPair:
    """Align a photo to a crop of the reference image whose upper left px is `origin`.

    `homography` (3 x 3) maps px of the whole reference image to px of the photo. The pair has the resolution
    of the photo, limited to 1 to 4 px per px of the crop and to `MAX_SIDE`. Raises ValueError on an empty
    image or a homography that cannot be inverted.
    """
    if reference.isNull() or photo.isNull():
        raise ValueError("both pictures need pixels")
    width, height = reference.width(), reference.height()
    if homography is None:
        forward = _fit_inside(photo.width(), photo.height(), width, height)
    else:
        shift = np.array([[1.0, 0.0, origin[0]], [0.0, 1.0, origin[1]], [0.0, 0.0, 1.0]])
        forward = np.asarray(homography, np.float64) @ shift
    if abs(np.linalg.det(forward)) < 1e-12:
        raise ValueError("the homography cannot be inverted")
    scale = _pair_scale(forward, width, height)
    # OpenCV's origin is the centre of the first pixel, ours is its corner.
    from_pair = np.diag([1 / scale, 1 / scale, 1.0])
    to_pixel_centres = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    from_pixel_centres = np.linalg.inv(to_pixel_centres)
    size = (round(width * scale), round(height * scale))
    to_photo = forward @ from_pair
    bgrx = _bytes(photo)
    warped = cv2.warpPerspective(
        bgrx,
        from_pixel_centres @ to_photo @ to_pixel_centres,
        size,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=_OUTSIDE,
    )
    resized = cv2.resize(_bytes(reference), size, interpolation=cv2.INTER_LINEAR)
    difference = QImage()
    if homography is not None:
        inside = cv2.warpPerspective(
            np.full(bgrx.shape[:2], 255, np.uint8),
            from_pixel_centres @ to_photo @ to_pixel_centres,
            size,
            flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP,
        )
        difference = _image(
            compute_difference(
                np.asarray(resized, np.uint8), np.asarray(warped, np.uint8), np.asarray(inside, np.uint8)
            )
        )
    return AlignedPair(
        _image(resized),
        _image(warped),
        difference,
        np.asarray(np.linalg.inv(to_photo), np.float64),
        homography is not None,
        np.array([[1.0, 0.0, origin[0]], [0.0, 1.0, origin[1]], [0.0, 0.0, 1.0]]) @ from_pair,
        (photo.width(), photo.height()),
    )


def align_crop(reference: QImage, crop: ImageCrop, homography: Matrix | None) -> AlignedPair:
    """Align a crop or a reduced image of a photo. The coordinates of the pair are px of the whole photo.

    `homography` (3 x 3) maps px of `reference` to px of the whole photo. Raises ValueError as `align` does.
    """
    to_crop = None if homography is None else crop.from_picture @ np.asarray(homography, np.float64)
    pair = align(reference, crop.image, to_crop)
    return replace(pair, mapping=pair.mapping @ crop.from_picture, photo_size=crop.size)


def warp_crop(crop: ImageCrop, to_photo: Matrix, width: int, height: int) -> QImage:
    """Warp a crop or a reduced image of a photo into an image of `width` x `height` px.

    `to_photo` (3 x 3) maps px of the result to px of the whole photo. Pixels outside the photo are grey.
    Raises ValueError when `to_photo` cannot be inverted.
    """
    to_crop = crop.from_picture @ to_photo
    if abs(np.linalg.det(to_crop)) < 1e-12:
        raise ValueError("the homography cannot be inverted")
    pixels = _bytes(crop.image)
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float64) @ to_crop.T
    flat = corners[:, :2] / corners[:, 2:]
    reduction = float(np.sqrt(cv2.contourArea(flat.astype(np.float32)) / (width * height)))
    if reduction >= _SHRINK_FROM:
        # Bilinear sampling would skip pixels of a much finer image, so it is averaged first.
        size = (max(round(pixels.shape[1] / reduction), 1), max(round(pixels.shape[0] / reduction), 1))
        shrink = np.diag([size[0] / pixels.shape[1], size[1] / pixels.shape[0], 1.0])
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        to_crop = shrink @ to_crop
    to_pixel_centres = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    warped = cv2.warpPerspective(
        pixels,
        np.linalg.inv(to_pixel_centres) @ to_crop @ to_pixel_centres,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=_OUTSIDE,
    )
    return _image(np.asarray(warped, np.uint8))


def homography_from_points(
    reference: Sequence[tuple[float, float]], photo: Sequence[tuple[float, float]]
) -> Matrix:
    """Compute the affine mapping of three pairs of points, as a 3 x 3 matrix from reference px to photo px.

    Raises ValueError when there are not three pairs or when three points lie on a line.
    """
    if len(reference) != 3 or len(photo) != 3:
        raise ValueError("three points are needed in each picture")
    for points in (reference, photo):
        (x1, y1), (x2, y2), (x3, y3) = points
        if abs((x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)) < 1e-6:
            raise ValueError("the three points lie on a line")
    affine = cv2.getAffineTransform(np.float32(reference), np.float32(photo))  # type: ignore[arg-type]
    return np.vstack([np.asarray(affine, np.float64), [0.0, 0.0, 1.0]])


def _fit_inside(photo_width: int, photo_height: int, width: int, height: int) -> Matrix:
    """The mapping of a crop to a photo that lies in its middle, as large as fits, in its own proportions."""
    scale = max(photo_width / width, photo_height / height)
    left, top = (photo_width - scale * width) / 2, (photo_height - scale * height) / 2
    return np.array([[scale, 0.0, left], [0.0, scale, top], [0.0, 0.0, 1.0]])


def _pair_scale(forward: Matrix, width: int, height: int) -> float:
    """The scale of the pair: px of the photo per px of the crop, measured in the middle and limited."""
    x, y = width / 2, height / 2
    points = np.array([[x, y, 1.0], [x + 1, y, 1.0], [x, y + 1, 1.0]]) @ forward.T
    flat = points[:, :2] / points[:, 2:]
    x_step, y_step = flat[1] - flat[0], flat[2] - flat[0]
    scale = float(np.sqrt(abs(x_step[0] * y_step[1] - x_step[1] * y_step[0])))
    return max(min(scale, 4.0, MAX_SIDE / max(width, height)), min(1.0, MAX_SIDE / max(width, height)))


def _bytes(image: QImage) -> Bytes:
    """The pixels as (height, width, 4) bytes: blue, green, red, 255. A copy."""
    rgb32 = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = from_qimage(rgb32).copy()
    return pixels.view(np.uint8).reshape(rgb32.height(), rgb32.width(), 4)


def _image(bgrx: Bytes) -> QImage:
    height, width = bgrx.shape[:2]
    return to_qimage(np.ascontiguousarray(bgrx).view(np.uint32).reshape(height, width))
