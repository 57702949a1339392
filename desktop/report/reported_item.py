"""Makes the entry of an item in a report: what was decided, found and measured, and its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.localization.detection_terms import failure_sentence, model_word
from desktop.report.content import Evidence, ReportedItem, parse_time, read_corrections
from desktop.report.pictures import CROP_PX, MarkedPicture, Pictures, crop_part, evidence_row, outline_finding
from shared.names import signature
from shared.record import findings, results, suppression
from shared.record.codes import Verdict
from shared.record.entries import Entry, EntryThresholds, Provenance, item_entries
from shared.record.findings import Finding
from shared.record.geometry import Rect, point_to_pixels, rect_from_corners
from shared.wire.detection import Severity
from shared.wire.inspection import Item

_OUTLINE = 1 / 120
"""Of a crop 42 mm wide, 0.35 mm."""


def report_item(
    number: int,
    item: Item,
    reference: MarkedPicture | None,
    pictures: Pictures,
    evidence: list[Evidence],
    severities: Mapping[str, Severity],
    usernames: Mapping[str, str],
) -> ReportedItem:
    entries = item_entries(item)
    detection = results.finished_detection(entries)
    current = results.current_entry(entries)
    entry = results.shown_result(entries)
    info = (entry or {}).get("inputImage")
    item_findings = findings.read_findings(
        entry, severities, None if reference is None else reference.mm_per_pixel
    )
    photo = pictures.get(info)
    if info:
        use = QCoreApplication.translate("Report", "Photo of item {number}").format(number=number)
        evidence.append(evidence_row(use, info, pictures))
    provenance = (detection or {}).get("provenance") or {}
    model = (results.newest_model_entry(entries) or {}).get("provenance") or {}
    digest = str(model.get("model_sha256") or "")
    if not digest and model.get("program_version"):
        # The built-in model is not a file. The version of the program identifies it.
        use_text = QCoreApplication.translate("Report", "Included with Walkaround {version}")
        digest = use_text.format(version=model["program_version"])
    if digest:
        use = QCoreApplication.translate("Report", "Model of item {number}").format(number=number)
        evidence.append(Evidence(use, model_word(item.model_id, item.model_name) or "–", digest))
    region, region_mm, crop = None, None, QImage()
    if item.item_point is not None and item.item_point.point is not None and reference is not None:
        point = item.item_point.point
        region = point_to_pixels(point.x, point.y, point.w, point.h, *reference.picture.size)
        crop = shrink_image(crop_part(reference.picture, region), CROP_PX)
        if reference.mm_per_pixel is not None:
            region_mm = (region.w * reference.mm_per_pixel, region.h * reference.mm_per_pixel)
    verdict = current["verdict"] if current is not None and results.is_verdict(current) else {}
    error = (results.newest_detection(entries) or {}).get("error") or {}
    # The service stores its sentence in Chinese: the report has one language.
    failure = failure_sentence(str(error.get("code") or ""), str(error.get("message") or ""))
    is_incomplete = detection is not None and results.is_incomplete(detection)
    return ReportedItem(
        number=number,
        name=item.item_name,
        description=item.description or "",
        model=model_word(item.model_id, item.model_name),
        region=region,
        region_mm=region_mm,
        on_overview=reference is not None and not reference.of_item,
        reference_crop=crop,
        photo_crop=photo_crop(pictures, photo, item_findings, region, provenance),
        findings=tuple(item_findings),
        corrections=read_corrections(entries, entry, usernames),
        passed=_passed_from_verdict(results.current_verdict(entries)),
        opinion=results.model_opinion(entries),
        verdict=results.current_verdict(entries),
        reason=str(verdict.get("reason") or ""),
        decided_by=signature(
            str(verdict.get("by_name") or verdict.get("by") or ""), usernames.get(str(verdict.get("by")))
        ),
        decided_at=parse_time(verdict.get("at")),
        version=results.entry_version(current) if current is not None else None,
        note="" if is_incomplete else failure or _client_note(entries),
        accepted=results.accepted_version(current) is not None,
        explained=len(suppression.read_suppressed_findings(entry, entries)),
        is_detected=detection is not None and results.is_service_entry(detection),
        coverage=results.entry_coverage(detection),
        appearance=results.entry_appearance(detection),
        is_incomplete=is_incomplete,
        memory_photos=suppression.count_memory_photos(entry, entries),
        settings=_settings(model),
        ignored_areas=len(_item_settings(model).get("ignored") or ()),
    )


def _item_settings(provenance: Provenance) -> Mapping[str, Any]:
    settings = provenance.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def _settings(provenance: Provenance) -> EntryThresholds:
    """The settings of a detection: those of the item before those of the model."""
    of_item = _item_settings(provenance)
    settings = EntryThresholds(**(provenance.get("thresholds") or {}))
    for name in ("sensitivity", "smallest"):
        if isinstance(of_item.get(name), int | float):
            settings[name] = of_item[name]
    return settings


def _client_note(entries: Sequence[Entry]) -> str:
    if results.finished_detection(entries) is not None or not results.has_client_result(entries):
        return ""
    return QCoreApplication.translate("Report", "Entered by a client, not detected here.")


def _passed_from_verdict(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.PASSED


def photo_crop(
    pictures: Pictures,
    photo: ImageSource | None,
    item_findings: Sequence[Finding],
    region: Rect | None,
    provenance: Provenance,
) -> QImage:
    """Crop the part of the photo with the region and every finding, and draw the findings' boxes on it."""
    if photo is None:
        return QImage()
    part = _shown_part(photo, region, [finding.box for finding in item_findings], provenance)
    crop, scale = pictures.scaled_crop(photo, part)
    for finding in item_findings:
        box = finding.box
        placed = QRectF((box.x - part.x) * scale, (box.y - part.y) * scale, box.w * scale, box.h * scale)
        outline_finding(crop, placed, _OUTLINE)
    return crop


def _shown_part(
    photo: ImageSource, region: Rect | None, boxes: Sequence[Rect], provenance: Provenance
) -> Rect:
    """The part of the photo (its px) around the region and `boxes`; the whole photo without an alignment."""
    whole = Rect(0, 0, *photo.size)
    alignment = provenance.get("alignment")
    matrix = None if alignment is None else alignment.get("homography")
    visible = map_rect(region, np.asarray(matrix, np.float64)) if region is not None and matrix else None
    if visible is None:
        return whole
    # A person may have drawn a finding outside of the region.
    parts = [visible, *boxes]
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    right, bottom = max(part.right for part in parts), max(part.bottom for part in parts)
    margin = 0.08 * max(right - left, bottom - top)
    padded = rect_from_corners(left - margin, top - margin, right + margin, bottom + margin)
    padded = padded.clamp(*photo.size)
    return whole if padded.is_empty else padded
