"""Turns the service's answer into frames, the sources of their pictures, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from desktop.canvas.layers.finding_layer import Matrix
from desktop.imaging.sources.cut import map_rect
from desktop.localization.detection_terms import finding_word
from desktop.localization.language import join_sentences
from desktop.pages.workbench.photos.photo_files import PhotoRef, padded_region
from desktop.pages.workbench.trend.film_strip_model import Frame, Outline
from desktop.pages.workbench.trend.growth_painting import MAX_SERIES
from desktop.pages.workbench.trend.pictures import WHOLE, FramePictures, FrameSource
from desktop.pages.workbench.trend.series import (
    day_of,
    longer_side,
    numbers_of,
    series_of,
    size_text,
    state_text,
)
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import ReferenceFile
from shared.record.geometry import Rect, rect_from_corners
from shared.wire.history import Trend, TrendEntry, TrendFinding, TrendPhoto

REFERENCE = "reference"
"""The key of the reference image's frame."""


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a picture that every frame shows: a region with a little around it, px of the picture.

    `size` is the picture's.
    """

    file: ReferenceFile
    rect: Rect
    size: tuple[int, int]

    @classmethod
    def of(cls, file: ReferenceFile, size: tuple[int, int], region: Rect) -> Place:
        """The place of a region on a picture of this size."""
        return cls(file, padded_region(region, *size), size)

    @property
    def aspect(self) -> float:
        """Its width divided by its height."""
        return self.rect.w / self.rect.h

    @property
    def to_picture(self) -> Matrix:
        """Brings fractions of the place to px of the picture."""
        at = self.rect
        return np.array([[at.w, 0.0, at.x], [0.0, at.h, at.y], [0.0, 0.0, 1.0]], np.float64)


def summary(trend: Trend, findings: int, mm_per_pixel: float | None) -> str:
    """The summary of the window. `findings` is the number of findings that can be measured."""
    translate = QCoreApplication.translate
    count = len(trend.entries)
    if count == 1:
        first = translate("Trend", "This is the first inspection of this region.")
        parts = [first, translate("Trend", "A trend needs at least two inspections.")]
    else:
        text = translate("Trend", "%n inspection(s), {first} to {last}.", "", count)
        days = day_of(trend.entries[0].at), day_of(trend.entries[-1].at)
        parts = [text.format(first=days[0], last=days[1])]
    if not findings:
        parts.append(translate("Trend", "No finding could be located on the reference image."))
    elif mm_per_pixel is None:
        parts.append(translate("Trend", "Sizes are the longer side in pixels of the reference image."))
        parts.append(translate("Trend", "Set its scale in the catalogue to see millimetres."))
    else:
        parts.append(
            translate("Trend", "Sizes are the longer side of a finding, by the scale of the reference image.")
        )
    if findings > MAX_SERIES:
        text = translate("Trend", "Showing {n} of {all} findings. The CSV file has all of them.")
        parts.append(text.format(n=MAX_SERIES, all=findings))
    return join_sentences(parts)


def sources_of(trend: Trend, place: Place | None) -> dict[str, FrameSource]:
    """The sources of the frames' pictures by their keys."""
    sources: dict[str, FrameSource] = {}
    if place is not None:
        sources[REFERENCE] = reference_source(place)
    for entry in trend.entries:
        photo = entry.photo
        if photo is None:
            continue
        sources[entry.item_id] = photo_source(photo, place)
    return sources


def photo_source(photo: TrendPhoto, place: Place | None) -> FrameSource:
    """The source of a photo's picture, aligned to the place if the photo is aligned."""
    matrix = None
    if photo.homography is not None and place is not None:
        matrix = _rows(np.array(photo.homography, np.float64) @ place.to_picture)
    return FrameSource(PhotoRef(photo.file_id or "", photo.ipfs_cid, photo.download_url), matrix)


def reference_source(place: Place) -> FrameSource:
    """The picture that the place is on, as the frame `REFERENCE`."""
    return FrameSource(place.file, _rows(place.to_picture))


def reference_frame(place: Place, outlines: tuple[Outline, ...] = ()) -> Frame:
    """The frame of the picture that the place is on."""
    name = QCoreApplication.translate("Trend", "Reference image")
    return Frame(REFERENCE, name, place.file.name, outlines=outlines, opens=False)


def frames_of(
    trend: Trend, place: Place | None, mm_per_pixel: float | None, pictures: FramePictures
) -> list[Frame]:
    """The frames of a trend, that of the reference image first.

    Findings of a photo that is not aligned get their place when `pictures` knows its size.
    """
    frames = []
    if place is not None:
        frames.append(reference_frame(place))
    numbers = numbers_of(series_of(trend))
    for entry in trend.entries:
        frames.append(
            Frame(
                entry.item_id,
                day_of(entry.at),
                entry.inspection_name or "",
                str(entry.verdict),
                state_text(entry),
                tuple(_outlines(entry, place, numbers, mm_per_pixel, pictures)),
                opens=entry.photo is not None,
            )
        )
    return frames


def _outlines(
    entry: TrendEntry,
    place: Place | None,
    numbers: Mapping[int, int],
    mm_per_pixel: float | None,
    pictures: FramePictures,
) -> Iterator[Outline]:
    for finding in entry.findings:
        where = _where(entry, finding, place, pictures)
        if where is None:
            continue
        size = longer_side(entry, finding)
        parts = [finding_word(finding.label), "" if size is None else size_text(size, mm_per_pixel)]
        number = MAX_SERIES if finding.chain is None else numbers.get(finding.chain, MAX_SERIES)
        yield Outline(where, number if number < MAX_SERIES else None, " ".join(filter(None, parts)))


def _where(
    entry: TrendEntry, finding: TrendFinding, place: Place | None, pictures: FramePictures
) -> Rect | None:
    """The place of a finding in fractions of the frame; None while it is unknown."""
    if finding.reference is not None and place is not None:
        box, at = finding.reference, place.rect
        left, top = (box.x1 - at.x) / at.w, (box.y1 - at.y) / at.h
        return Rect(left, top, (box.x2 - box.x1) / at.w, (box.y2 - box.y1) / at.h)
    picture = pictures.best(entry.item_id, WHOLE)
    if picture is None:
        return None
    points = finding.points
    inverse = np.linalg.inv(picture.to_photo).astype(np.float64)
    return map_rect(rect_from_corners(points.x1, points.y1, points.x2, points.y2), inverse)


def _rows(matrix: Matrix) -> tuple[tuple[float, float, float], ...]:
    return tuple((float(a), float(b), float(c)) for a, b, c in matrix)


def place_of(open_record: OpenRecord) -> Place | None:
    """The place of the chosen item's region; None if there is none or its image is not loaded."""
    item, file, source = open_record.item, open_record.link.file, open_record.source
    if item is None or file is None or source is None or not open_record.link.shows(item):
        return None
    region = item.region(*source.size)
    return None if region is None or region.is_empty else Place.of(file, source.size, region)
