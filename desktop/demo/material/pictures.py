"""Writes the pictures of the demo: the sample inspection and generated faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Defect, Image, Matrix, faces, inspection
from shared.samples.inspection import MM_PER_PIXEL
from shared.samples.inspection import REGIONS as REGIONS

__all__ = ["MM_PER_PIXEL", "REGIONS", "Pictures", "write_pictures"]


@dataclass(frozen=True, slots=True)
class Pictures:
    """The picture files of the demo and their known content.

    `defects` has one entry for each of `REGIONS` (reference px); `homography` maps reference px to photo px.
    """

    reference: Path
    photo: Path
    faces: list[Path]
    login: Path
    stranger: Path
    defects: tuple[Defect | None, ...]
    homography: Matrix

    def in_photo(self, rect: Rect) -> Rect:
        """Return the bounds in the photo of a rectangle of the reference image."""
        return inspection.bounds_in_photo(self.homography, rect)


def write_pictures(folder: Path) -> Pictures:
    """Draw the pictures and write them into `folder`."""
    sample = inspection.draw_inspection()
    write = _writer(folder)
    return Pictures(
        reference=write("left-wing-root.png", sample.reference),
        photo=write("today.jpg", sample.photo),
        faces=[
            write(f"face-{number}.jpg", face) for number, face in enumerate(faces.enrolment_pictures(), 1)
        ],
        login=write("login.jpg", faces.login_picture()),
        stranger=write("stranger.jpg", faces.stranger_picture()),
        defects=sample.defects,
        homography=sample.homography,
    )


def _writer(folder: Path) -> Callable[[str, Image], Path]:
    def write(name: str, image: Image) -> Path:
        path = folder / name
        _, data = cv2.imencode(path.suffix, image)
        path.write_bytes(bytes(data))
        return path

    return write
