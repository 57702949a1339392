"""Says in words what a camera wrote into a photo, and what is odd about the time."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.localization.dates import clock_minute
from shared.wire.files import CameraData
from shared.wire.inspection import TakenMark

_SLOW = 0.3
"""From this exposure time (s) on a decimal number says more than a fraction."""


def camera_lines(camera: CameraData | None, mark: TakenMark | None) -> list[str]:
    """Time, camera and lens, exposure, place, and the mark in a sentence; only what is known."""
    if camera is None:
        return []
    lines = [taken(camera), mark_sentence(mark), camera_name(camera), _exposure(camera), _place(camera)]
    return [line for line in lines if line]


def taken(camera: CameraData) -> str:
    """When it was taken, by the camera's clock; empty when that is not known."""
    if camera.taken_at is None:
        return ""
    text = QCoreApplication.translate("Camera", "Taken {time}, by the camera's clock")
    return text.format(time=clock_minute(datetime.fromisoformat(camera.taken_at)))


def mark_sentence(mark: TakenMark | None) -> str:
    """What is odd about the time; empty for nothing."""
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


def camera_name(camera: CameraData) -> str:
    """Make, model and lens in a line."""
    make, model = camera.make or "", camera.model or ""
    # Many makers repeat their name in the model.
    whole = model if model.casefold().startswith(make.casefold()) else f"{make} {model}"
    return " · ".join(filter(None, (whole.strip(), camera.lens)))


def _exposure(camera: CameraData) -> str:
    parts = []
    if camera.focal_length is not None:
        parts.append(f"{_number(camera.focal_length)} mm")
    if camera.exposure_time is not None:
        time = camera.exposure_time
        parts.append(f"{_number(time)} s" if time >= _SLOW else f"1/{round(1 / time)} s")
    if camera.f_number is not None:
        parts.append(f"f/{_number(camera.f_number)}")
    if camera.iso is not None:
        parts.append(f"ISO {camera.iso}")
    return " · ".join(parts)


def _place(camera: CameraData) -> str:
    if camera.position is None:
        return ""
    text = QCoreApplication.translate("Camera", "Position {latitude}, {longitude}")
    degrees = (f"{value:.5f}°" for value in (camera.position.latitude, camera.position.longitude))
    return text.format(**dict(zip(("latitude", "longitude"), degrees, strict=True)))


def _number(value: float) -> str:
    text = QLocale().toString(value, "f", 1)
    return text.removesuffix(QLocale().decimalPoint() + "0")
