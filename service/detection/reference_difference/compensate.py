"""Makes the reference look as if it had been taken with today's light, colour and focus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.parts import Bytes, Floats
from service.detection.reference_difference.threads import side_by_side
from shared.cv import cv2

_SIGMAS: Final = (0.0, 0.5, 0.7, 0.9, 1.2, 1.6, 2.1, 2.8)
_SAMPLES_SIDE = 52


def match_focus(reference: Floats, photo: Floats, valid: Bytes) -> tuple[Floats, Floats]:
    """Blur the sharper of two aligned frames so that both are equally sharp.

    reference, photo: float32 (height, width, channels). The Gaussian that leaves the least robust difference
    of the high-pass parts wins; a smaller one is kept when it is nearly as good, since blur hides cracks.
    """
    one, other, mask = _structured_tiles(reference, photo, valid)
    if one is None or other is None or mask is None:
        return reference, photo
    soften_reference = _best_sigma(one, other, mask)
    if soften_reference > 0:
        return _blur(reference, soften_reference), photo
    soften_photo = _best_sigma(other, one, mask)
    return (reference, _blur(photo, soften_photo)) if soften_photo > 0 else (reference, photo)


def _blur(image: Floats, sigma: float) -> Floats:
    if sigma <= 0:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32).reshape(image.shape)


def _structured_tiles(
    reference: Floats, photo: Floats, valid: Bytes, tile: int = 96, most: int = 6
) -> tuple[Floats | None, Floats | None, NDArray[np.bool_] | None]:
    """The tiles with most structure in the reference, side by side, as luminance; None without any."""
    height, width = valid.shape
    tile = min(tile, height, width)
    found: list[tuple[float, int, int]] = []
    luminance = _luminance(reference)
    for top in range(0, height - tile + 1, tile):
        for left in range(0, width - tile + 1, tile):
            if valid[top : top + tile, left : left + tile].min():
                part = luminance[top : top + tile : 2, left : left + tile : 2]
                found.append((float(np.abs(np.diff(part, axis=1)).mean()), top, left))
    found = sorted(found, reverse=True)[:most]
    if not found:
        return None, None, None
    cut = [np.s_[top : top + tile, left : left + tile] for _, top, left in found]
    one = np.concatenate([luminance[area] for area in cut], axis=1)
    other = np.concatenate([_luminance(photo[area]) for area in cut], axis=1)
    mask = np.zeros(one.shape, np.bool_)
    for index in range(len(cut)):
        mask[6:-6, index * tile + 6 : (index + 1) * tile - 6] = True
    return one.astype(np.float32), other.astype(np.float32), mask


def _luminance(image: Floats) -> Floats:
    if image.shape[2] == 1:
        return image[..., 0]
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)


def _best_sigma(sharp: Floats, soft: Floats, mask: NDArray[np.bool_]) -> float:
    target = (soft - cv2.GaussianBlur(soft, (0, 0), 4.0))[mask]
    high = np.asarray(sharp - cv2.GaussianBlur(sharp, (0, 0), 4.0), np.float32)
    least, chosen, worse = np.inf, 0.0, 0
    for sigma in _SIGMAS:
        detail = _blur(high, sigma)[mask]
        # The brightness may differ: compare up to the best gain, with damage clipped away.
        gain = float(np.clip(np.dot(detail, target) / max(np.dot(detail, detail), 1e-6), 0.4, 2.5))
        off = np.abs(detail * gain - target)
        clip = np.partition(off, off.size * 19 // 20)[off.size * 19 // 20]
        error = float(np.minimum(off, clip).mean())
        if error < least * 0.98 - 0.01:
            least, chosen, worse = error, sigma, 0
        else:
            worse += 1
        if worse == 2:
            break
    return chosen


@dataclass(frozen=True, slots=True)
class Light:
    """How the photo's light differs across a frame: per channel gain and offset, smooth.

    photo ~ (a0 + a1 x + a2 y) reference + c reference^2 + (quadratic in x, y). numbers: (channels, 10) as
    fitted, or None where the reference fits as it is. x, y: what the frame's edges lie at, -1 and 1 for the
    one that it was fitted on.
    """

    channels: int
    numbers: NDArray[np.float64] | None
    x: tuple[float, float] = (-1.0, 1.0)
    y: tuple[float, float] = (-1.0, 1.0)

    def within(self, left: float, top: float, right: float, bottom: float) -> Light:
        """That of a window of the frame; its edges in parts of the frame, 0..1."""
        (x1, x2), (y1, y2) = self.x, self.y
        across = (x1 + (x2 - x1) * left, x1 + (x2 - x1) * right)
        return Light(self.channels, self.numbers, across, (y1 + (y2 - y1) * top, y1 + (y2 - y1) * bottom))

    def on(self, image: Floats) -> Floats:
        """The image, float32 (height, width, channels), in that light."""
        if self.numbers is None:
            return image
        height, width = image.shape[:2]
        (x1, x2), (y1, y2) = self.x, self.y
        full_x = (np.arange(width, dtype=np.float32) + 0.5) * np.float32((x2 - x1) / width) + np.float32(x1)
        full_y = (np.arange(height, dtype=np.float32) + 0.5) * np.float32((y2 - y1) / height) + np.float32(y1)
        across = np.stack([np.ones_like(full_x), full_x, full_x**2])
        down = np.stack([np.ones_like(full_y), full_y, full_y**2], axis=1)

        def changed(numbers: NDArray[np.float64], value: Floats) -> Floats:
            a0, a1, a2, c, b0, b1, b2, b3, b4, b5 = numbers.astype(np.float32)
            # Not `@`: BLAS would start threads of its own for so little.
            tilt = np.array([[a0, a1, 0], [a2, 0, 0]], np.float32) @ across
            gain = np.einsum("ij,jk->ik", down[:, :2], tilt)
            bent = np.array([[b0, b1, b3], [b2, b4, 0], [b5, 0, 0]], np.float32) * 255
            total = np.einsum("ij,jk->ik", down, bent @ across)
            gain = cv2.scaleAdd(value, float(c) / 255, gain, gain)
            return np.asarray(cv2.accumulateProduct(gain, value, total), np.float32)

        planes = [np.asarray(plane, np.float32) for plane in cv2.split(image)]
        work = [partial(changed, *both) for both in zip(self.numbers, planes, strict=True)]
        lit = cv2.merge(side_by_side(work))
        # The photo clips at black and white, so what the fit puts beyond them must clip too.
        return np.asarray(np.clip(lit, 0, 255, out=lit), np.float32).reshape(image.shape)


def match_light(reference: Floats, photo: Floats, valid: Bytes) -> tuple[Floats, Light]:
    """The reference with the photo's light and colour, and that light.

    Fitted robustly to area means, so that damage and noise count little and a shadow of the size of a defect
    stays.
    """
    own = Light(reference.shape[2], None)
    height, width = valid.shape
    scale = min(_SAMPLES_SIDE / max(height, width), 1.0)
    size = (max(round(width * scale), 2), max(round(height * scale), 2))
    small_valid = cv2.resize(valid, size, interpolation=cv2.INTER_AREA) == 255
    if np.count_nonzero(small_valid) < 12:
        return reference, own
    channels = reference.shape[2]
    small_reference = cv2.resize(reference, size, interpolation=cv2.INTER_AREA).reshape(*size[::-1], channels)
    small_photo = cv2.resize(photo, size, interpolation=cv2.INTER_AREA).reshape(*size[::-1], channels)
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    x, y = (x + 0.5) / size[0] * 2 - 1, (y + 0.5) / size[1] * 2 - 1
    work = [
        partial(
            _fit_light,
            small_reference[..., channel][small_valid] / 255,
            small_photo[..., channel][small_valid] / 255,
            x[small_valid],
            y[small_valid],
        )
        for channel in range(channels)
    ]
    light = Light(channels, np.stack(side_by_side(work)))
    matched = light.on(reference)
    # Between scans in black and white nothing but the edges differs, and a fit to them tints the rest.
    better = _off(matched, photo, valid) < _off(reference, photo, valid)
    return (matched, light) if better else (reference, own)


def _off(reference: Floats, photo: Floats, valid: Bytes) -> float:
    """What usually differs between the two, in grey levels: the mean of the lower three quarters."""
    step = int(np.ceil(np.sqrt(valid.size / 20_000)))
    each = np.abs(reference[::step, ::step] - photo[::step, ::step]).max(axis=2)[valid[::step, ::step] > 0]
    lower = each.size * 3 // 4
    return float(np.partition(each, lower)[:lower].mean()) if lower else 0.0


def _fit_light(value: Floats, target: Floats, x: Floats, y: Floats) -> NDArray[np.float64]:
    # What either picture clips says nothing about the light.
    usable = (target > 0.01) & (target < 0.985) & (value < 0.98)
    if np.mean(usable) > 0.3:
        value, target, x, y = value[usable], target[usable], x[usable], y[usable]
    one = np.ones_like(value)
    rows = np.stack([value, value * x, value * y, value**2, one, x, y, x * x, x * y, y * y]).astype(
        np.float64
    )
    prior = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], np.float64)
    # How far each number may leave the prior, against a spread of 0.02 of a sample.
    spread = np.array([0.6, 0.3, 0.3, 0.3, 0.4, 0.3, 0.3, 0.15, 0.15, 0.15])
    ridge = np.diag((0.02 / spread) ** 2)
    change = target - rows.T @ prior
    weights, numbers = np.ones(len(value)), prior
    for _ in range(6):
        weighted = rows * weights
        numbers = prior + np.linalg.solve(weighted @ rows.T + ridge, weighted @ change)
        off = np.abs(target - numbers @ rows)
        middle = float(np.partition(off, off.size // 2)[off.size // 2])
        width = max(4.7 * 1.48 * middle, 0.012)
        weights = np.maximum(1 - (off / width) ** 2, 0) ** 2
    return np.asarray(numbers, np.float64)
