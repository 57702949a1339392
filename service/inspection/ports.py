"""What inspection needs of other domains; `service.app` hands it in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import FromClause
from sqlalchemy.orm import Session

from shared.wire.catalogue import TemplateRegion
from shared.wire.inspection import FileInfo, Point


@dataclass(frozen=True, slots=True)
class JoinSources:
    """Where the joined fields come from: tables or subqueries with columns of these names.

    Each `id` is unique in its source; a source is only ever joined or looked up.
    """

    executors: FromClause
    """id, name"""
    tasks: FromClause
    """id, flight_id, aircraft_id"""
    flights: FromClause
    """id, aircraft_id"""
    aircraft: FromClause
    """id, name"""
    reference_images: FromClause
    """id, name, file_id, mm_per_pixel"""
    models: FromClause
    """id, name, description"""
    files: FromClause
    """id, ipfs_cid"""


@dataclass(frozen=True, slots=True)
class Ports:
    """Questions to other domains, asked inside the transaction of the session.

    `file_info`: the fileInfo of a stored file; None when there is no such file.
    `template`: the regions kept with a reference image; empty when it has none or is not known.
    """

    file_info: Callable[[Session, str], FileInfo | None]
    template: Callable[[Session, str], Sequence[TemplateRegion]]


@dataclass(frozen=True, slots=True)
class DetectionInput:
    """What a detection of one item works on.

    `point` is the region on the reference image as the item keeps it. `reference_file_id` is the file that
    the item's fileInfo names, else that of the record's reference image; `mm_per_pixel` is known when it is
    the reference image's own file. `photo_file_id` is the newest photo's file.
    """

    item_id: str
    inspection_id: str
    item_name: str
    model_id: str | None
    point: Point | None
    reference_file_id: str | None
    mm_per_pixel: float | None
    photo_file_id: str | None
