"""Defines the contents of result entries and the obstacles of a detection."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from service.detection.failure import MESSAGES
from service.detection.messages import Done
from shared import __version__
from shared.record.codes import ErrorCode, InspectionGap, Progress
from shared.record.entries import (
    Entry,
    EntryBox,
    EntryCoverage,
    EntryFile,
    EntryRegion,
    Provenance,
    entry_pictures,
)
from shared.record.geometry import Quad, Rect, inspected_shares, map_corners, point_to_pixels
from shared.wire.files import StoredFile
from shared.wire.inspection import DetectionSettings, IgnoredArea

if TYPE_CHECKING:
    # Compute processes import this module, without the database.
    from service.inspection.records.detection_input import PhotoAlignment


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The facts of a model that a detection needs, independent of a database session."""

    name: str
    kind: str
    version: int
    sha256: str | None
    labels: Sequence[str]
    settings: Mapping[str, Any]
    enabled: bool


class BackboneFacts(NamedTuple):
    """A backbone that a user added: the SHA-256 of its file, and its settings (`DetectorSettings`)."""

    sha256: str
    settings: Mapping[str, Any]


def obstacle(has_photo: bool, has_reference: bool, needs_reference: bool) -> str | None:
    """The code of the obstacle to a detection; None if there is none."""
    if not has_photo:
        return "no_photo"
    if needs_reference and not has_reference:
        return "no_region"
    return None


def same_picture(photo: StoredFile | None, reference: StoredFile | None) -> str | None:
    """The code of the obstacle if the photo is the reference file itself, by its content; else None."""
    is_same = photo is not None and reference is not None and photo.sha256 == reference.sha256
    return str(ErrorCode.PHOTO_IS_REFERENCE) if is_same else None


def for_photo(settings: DetectionSettings, photo_file_id: str) -> DetectionSettings:
    """The item's settings for one photo: an alignment that a user set is valid for its photo only."""
    other = settings.alignment is not None and settings.alignment.photo_file_id != photo_file_id
    return settings.model_copy(update={"alignment": None}) if other else settings


def region_in_photo(
    point: tuple[float, float, float, float] | None,
    reference: StoredFile | None,
    place: PhotoAlignment | None,
    settings: DetectionSettings,
) -> Quad | None:
    """The corners of an item's region in px of a photo of the record.

    settings: for this photo. None if the region or its place in the photo is not known: then all findings
    count.
    """
    if point is None or place is None or reference is None or not (reference.width and reference.height):
        return None
    homography = place.homography if settings.alignment is None else settings.alignment.homography
    return map_corners(point_to_pixels(*point, reference.width, reference.height), homography)


def item_settings(stored: object) -> DetectionSettings | None:
    """The settings of an item for its detection; None if they are invalid."""
    try:
        return DetectionSettings() if stored is None else DetectionSettings.model_validate(stored)
    except ValueError:
        return None


def region_coverage(
    point: tuple[float, float, float, float] | None,
    reference: StoredFile | None,
    answer: Done,
    ignored: Sequence[IgnoredArea],
    required: float,
) -> EntryCoverage | None:
    """How much of an item's region a detection inspected; None if its place in the photo is not known.

    required: the least share with which a pass counts, 0..1.
    """
    alignment = answer["alignment"]
    if point is None or alignment is None or reference is None:
        return None
    if not (reference.width and reference.height):
        return None
    width, height = reference.width, reference.height
    areas = [Rect(area.x * width, area.y * height, area.w * width, area.h * height) for area in ignored]
    region = point_to_pixels(*point, width, height)
    if region.is_empty:
        return None
    size = (answer["width"], answer["height"])
    inspected, left_out = inspected_shares(region, alignment["homography"], size, areas)
    return {"inspected": round(inspected, 3), "ignored": round(left_out, 3), "required": required}


def image_facts(stored: StoredFile) -> EntryFile:
    """A stored image in the form of a result entry."""
    return {
        "ipfs_cid": stored.ipfs_cid,
        "filename": stored.filename,
        "mime_type": stored.mime_type,
        "size": stored.size,
        "width": stored.width,
        "height": stored.height,
        "download_url": stored.download_url,
        "file_id": stored.file_id,
    }


def queued_entry(
    job_id: str, model_id: str, model: ModelFacts | None, photo: StoredFile | None, at: dt.datetime
) -> Entry:
    """The entry of a job that was queued `at` this time."""
    return {
        **entry_pictures(None if photo is None else image_facts(photo)),
        **_unfinished_fields(Progress.PENDING, job_id),
        "provenance": {**_model(model_id, model), "program_version": __version__, "queued_at": _text(at)},
    }


def taken_entry(
    job_id: str,
    model_id: str,
    model: ModelFacts | None,
    photo: StoredFile | None,
    settings: object,
    region: EntryRegion | None,
    attempt: int,
    queued_at: dt.datetime,
    at: dt.datetime,
) -> Entry:
    """The entry of a job that was taken `at` this time; `settings` and `region` are the item's."""
    return {
        **entry_pictures(None if photo is None else image_facts(photo)),
        **_unfinished_fields(Progress.DETECTING, job_id),
        "provenance": {
            **_model(model_id, model),
            "settings": settings,
            "region": region,
            "program_version": __version__,
            "queued_at": _text(queued_at),
            "started_at": _text(at),
            "attempt": attempt,
        },
    }


def finished_entry(
    entry: Entry,
    rendered: StoredFile | None,
    answer: Done,
    boxes: Sequence[EntryBox],
    files: Mapping[str, str],
    coverage: EntryCoverage | None,
    at: dt.datetime,
) -> Entry:
    """The entry of a detection that succeeded. With too little coverage it is no pass, but incomplete.

    entry: from `taken`. boxes: those of `answer`, then the suppressed ones, with severities. files: the ids
    of the files of photos by their keys.
    """
    reported = len(answer["boxes"])
    used: Entry = {}
    if "memory" in answer:
        used["memory"] = answer["memory"]
        used["suppressed"] = [
            {
                **suppressed,
                "box": box,
                "photos": _known(suppressed["photos"], files),
            }
            for suppressed, box in zip(answer.get("suppressed", []), boxes[reported:], strict=True)
        ]
    if "appearance" in answer:
        used["appearance"] = {
            **answer["appearance"],
            "nearest": _known(answer["appearance"].get("nearest", ()), files),
        }
    origin: Provenance = {
        "thresholds": answer["thresholds"],
        "alignment": answer["alignment"],
        "finished_at": _text(at),
    }
    if coverage is not None:
        origin["coverage"] = coverage
    is_incomplete = answer["passed"] and coverage is not None and coverage["inspected"] < coverage["required"]
    if is_incomplete:
        code = str(InspectionGap.INCOMPLETE_COVERAGE)
        used["error"] = {"code": code, "message": MESSAGES[code]}
    return {
        **entry,
        **entry_pictures(
            entry.get("inputImage"), boxes[:reported], None if rendered is None else image_facts(rendered)
        ),
        "isPassed": answer["passed"] and not is_incomplete,
        "progress": (Progress.INCOMPLETE if is_incomplete else Progress.DONE).value,
        "provenance": {**entry["provenance"], **origin},
        **used,
    }


def _known(keys: Iterable[str], files: Mapping[str, str]) -> list[str]:
    return [files[key] for key in keys if key in files]


def failed_entry(entry: Entry, error: str, at: dt.datetime) -> Entry:
    """The entry, from `taken`, of a detection without a result, which is neither passed nor failed."""
    return {
        **entry,
        **_unfinished_fields(Progress.ERROR, entry["job_id"]),
        "error": {"code": error, "message": MESSAGES[error]},
        "provenance": {**entry["provenance"], "finished_at": _text(at)},
    }


def canceled_fields(job_id: str, at: dt.datetime) -> Entry:
    """The fields of a job's entry that a cancel changes."""
    return {
        **_unfinished_fields(Progress.CANCELED, job_id),
        "error": {"code": "canceled", "message": MESSAGES["canceled"]},
        "provenance": {"finished_at": _text(at)},
    }


def _unfinished_fields(progress: Progress, job_id: str) -> Entry:
    return {
        "isPassed": False,
        "progress": progress.value,
        "job_id": job_id,
    }


def _model(model_id: str, model: ModelFacts | None) -> Provenance:
    return {
        "model_id": model_id,
        "model_name": None if model is None else model.name,
        "model_version": None if model is None else model.version,
        "model_sha256": None if model is None else model.sha256,
    }


def _text(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"
