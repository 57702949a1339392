"""Pure decisions of detection: what a result entry says, and what stands in the way of a run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from service.detection.failure import MESSAGES
from shared import __version__
from shared.codes import Progress
from shared.wire.files import StoredFile


def obstacle(has_photo: bool, has_reference: bool, needs_reference: bool) -> str | None:
    """The code of what is missing for a run; None when nothing is."""
    if not has_photo:
        return "no_photo"
    if needs_reference and not has_reference:
        return "no_region"
    return None


def image_facts(stored: StoredFile) -> dict[str, Any]:
    """A stored image as a result entry names it."""
    facts = stored.model_dump(
        include={"download_url", "filename", "ipfs_cid", "mime_type", "size", "width", "height"}
    )
    return {**facts, "file_id": stored.file_id}


def provenance(
    model: Mapping[str, Any], started: dt.datetime, ended: dt.datetime, answer: Mapping[str, Any]
) -> dict[str, Any]:
    """How a result came about: model, thresholds, program, times, alignment."""
    return {
        "model_id": model["model_id"],
        "model_name": model["name"],
        "model_version": model["version"],
        "model_sha256": model["sha256"],
        "thresholds": answer.get("thresholds", {}),
        "program_version": __version__,
        "started_at": _text(started),
        "finished_at": _text(ended),
        "alignment": answer.get("alignment"),
    }


def done_entry(
    photo: StoredFile, rendered: StoredFile | None, answer: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """The result entry of a run that ended well."""
    return {
        "inputImage": image_facts(photo),
        "resultImage": {
            "boxes": answer["boxes"],
            "resultImage": {"fileInfo": None if rendered is None else image_facts(rendered)},
        },
        "isPassed": answer["passed"],
        "progress": Progress.DONE.value,
        "provenance": dict(origin),
    }


def ended_entry(
    progress: Progress, photo: StoredFile | None, error: str | None, origin: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The result entry of a run that failed or was cancelled; it says neither passed nor failed."""
    entry: dict[str, Any] = {
        "inputImage": None if photo is None else image_facts(photo),
        "resultImage": {"boxes": [], "resultImage": None},
        "isPassed": None,
        "progress": progress.value,
    }
    if error is not None:
        entry["error"] = {"code": error, "message": MESSAGES[error]}
    if origin is not None:
        entry["provenance"] = dict(origin)
    return entry


def _text(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"
