"""Describes in words the data that a camera wrote into a photo."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.localization.dates import format_camera_minute
from shared.wire.files import CameraData
from shared.wire.inspection import PhotoUse, TakenMark

_DECIMAL_FROM_SECONDS = 0.3
"""From this exposure time on it is shown as a decimal number, below as a fraction."""


def camera_lines(camera: CameraData | None, mark: TakenMark | None) -> list[str]:
    """Return a line each for time, mark, camera and lens, exposure and position, as far as they are known."""
    if camera is None:
        return []
    lines = [
        taken_text(camera),
        mark_sentence(mark),
        camera_and_lens(camera),
        _exposure(camera),
        _position(camera),
    ]
    return [line for line in lines if line]


def used_sentence(use: PhotoUse | None) -> str:
    """Return that a photo was a photo of another record before; an empty string if it was not."""
    if use is None:
        return ""
    record = use.inspection_name or use.inspection_id
    return QCoreApplication.translate("Camera", "Already used in {record}").format(record=record)


def taken_text(camera: CameraData) -> str:
    """Return when the photo was taken, by the camera's clock or in a film, or an empty string."""
    if camera.frame is not None:
        text = QCoreApplication.translate("Camera", "Frame of {film} at {time}")
        return text.format(film=camera.frame.film, time=camera.frame.at)
    if camera.taken_at is None:
        return ""
    text = QCoreApplication.translate("Camera", "Taken {time}, by the camera's clock")
    return text.format(time=format_camera_minute(datetime.fromisoformat(camera.taken_at)))


def mark_sentence(mark: TakenMark | None) -> str:
    """Explain why the time of the photo is doubtful; an empty string without a mark."""
    match mark:
        case TakenMark.BEFORE_START:
            return QCoreApplication.translate("Camera", "Taken before the record's start time.")
        case TakenMark.LONG_AFTER:
            return QCoreApplication.translate("Camera", "Taken long after the inspection.")
        case TakenMark.FUTURE:
            return QCoreApplication.translate(
                "Camera", "Taken after the upload: the camera's clock was wrong."
            )
        case None:
            return ""


def camera_and_lens(camera: CameraData) -> str:
    """Return make, model and lens in one line."""
    make, model = camera.make or "", camera.model or ""
    # Many makers repeat their name in the model.
    full_model = model if model.casefold().startswith(make.casefold()) else f"{make} {model}"
    return " · ".join(filter(None, (full_model.strip(), camera.lens)))


def _exposure(camera: CameraData) -> str:
    parts = []
    if camera.focal_length is not None:
        parts.append(f"{_format_number(camera.focal_length)} mm")
    if camera.exposure_time is not None:
        time = camera.exposure_time
        parts.append(
            f"{_format_number(time)} s" if time >= _DECIMAL_FROM_SECONDS else f"1/{round(1 / time)} s"
        )
    if camera.f_number is not None:
        parts.append(f"f/{_format_number(camera.f_number)}")
    if camera.iso is not None:
        parts.append(f"ISO {camera.iso}")
    return " · ".join(parts)


def _position(camera: CameraData) -> str:
    if camera.position is None:
        return ""
    text = QCoreApplication.translate("Camera", "Position {latitude}, {longitude}")
    degrees = (f"{value:.5f}°" for value in (camera.position.latitude, camera.position.longitude))
    return text.format(**dict(zip(("latitude", "longitude"), degrees, strict=True)))


def _format_number(value: float) -> str:
    text = QLocale().toString(value, "f", 1)
    return text.removesuffix(QLocale().decimalPoint() + "0")
