"""Names findings, severities and the built-in model in the language of the program."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from shared.record.entries import EntryAppearance, EntryCoverage
from shared.wire.detection import REFERENCE_DIFFERENCE, DetectionModel, ModelKind, Severity
from shared.wire.inspection import Place
from shared.wire.memory import MemoryReason

BUILT_IN_LABELS = ("missing", "added", "crack", "scratch", "dent", "stain", "highlight", "difference")
"""The labels of the built-in model, offered for every finding."""

_DEFAULT_DESCRIPTION = "将照片与参考图上的区域对齐后比对，无需训练"
"""The description that the service gives the built-in model until a user changes it."""


def finding_word(label: str) -> str:
    """Translate the label of a finding; a label that only another model has is returned unchanged."""
    translate = QCoreApplication.translate
    match label:
        case "missing":
            return translate("Finding", "missing")
        case "added":
            return translate("Finding", "added")
        case "crack":
            return translate("Finding", "crack")
        case "scratch":
            return translate("Finding", "scratch")
        case "dent":
            return translate("Finding", "dent")
        case "stain":
            return translate("Finding", "stain")
        case "highlight":
            return translate("Finding", "highlight")
        case "difference":
            return translate("Finding", "difference")
    return label


def severity_word(severity: str | None) -> str:
    """Translate the severity of a finding; an empty string without one."""
    translate = QCoreApplication.translate
    match severity:
        case Severity.MINOR:
            return translate("Finding", "minor")
        case Severity.MAJOR:
            return translate("Finding", "major")
        case Severity.CRITICAL:
            return translate("Finding", "critical")
    return ""


def size_text(size_mm: tuple[float, float] | None) -> str:
    """Format width and height of a finding in mm; an empty string when its scale is not known."""
    if size_mm is None:
        return ""
    across, down = (f"{side:.1f}" if side < 10 else f"{side:.0f}" for side in size_mm)
    return f"{across} × {down} mm"


def coverage_text(coverage: EntryCoverage | None) -> str:
    """Describe how much of its region a detection inspected; an empty string if that is not known."""
    if coverage is None:
        return ""
    translate = QCoreApplication.translate
    text = translate("Detection", "{share}% of the region inspected").format(
        share=percent(coverage["inspected"])
    )
    if coverage["ignored"] > 0:
        share = percent(coverage["ignored"])
        text = translate("Detection", "{text}, {share}% ignored").format(text=text, share=share)
    if coverage["inspected"] < coverage["required"]:
        share = percent(coverage["required"])
        text = translate("Detection", "{text}; not inspected completely, {share}% required").format(
            text=text, share=share
        )
    return text


def other_light_text() -> str:
    """Describe light from another side, with a request for another photo."""
    return QCoreApplication.translate(
        "Detection",
        "The light comes from another side than in the reference image, or the camera moved: findings may be "
        "relief. Retake the photo as the reference image was taken, if you can.",
    )


def appearance_text(appearance: EntryAppearance | None) -> str:
    """Describe a comparison by appearance; an empty string if there was none."""
    if appearance is None:
        return ""
    translate = QCoreApplication.translate
    text = translate("Detection", "Compared by appearance with %n passed photo(s)", "", appearance["photos"])
    share = appearance["share"]
    if share is None:
        return translate("Detection", "{text}: only gross changes are found").format(text=text)
    return translate("Detection", "{text}; {share}% of them are as unusual").format(
        text=text, share=f"{share * 100:.1f}"
    )


def percent(share: float) -> str:
    """Format a share in percent, rounded down: 99.9 % is not all of a region."""
    return f"{math.floor(share * 100 + 1e-9)}"


def memory_word(reason: MemoryReason | None) -> str:
    """Describe why a finding is reported in spite of a memory; an empty string without a reason."""
    translate = QCoreApplication.translate
    match reason:
        case MemoryReason.NEW_LINE:
            return translate("Finding", "Known variations: new thin line")
        case MemoryReason.LASTING:
            return translate("Finding", "Known variations: lasting change")
        case MemoryReason.FAILED:
            return translate("Finding", "Known variations: failed before")
        case MemoryReason.UNUSUAL:
            return translate("Finding", "Known variations: unusual look")
        case MemoryReason.REST:
            return translate("Finding", "Known variations: partly explained")
    return ""


def memory_details(reason: MemoryReason | None) -> str:
    """Explain why a finding is reported in spite of the memory of its region, and what to do about it.

    It is an empty string without a reason.
    """
    translate = QCoreApplication.translate
    match reason:
        case MemoryReason.NEW_LINE:
            return translate(
                "Finding",
                "Known variations explain what is around it, but not this thin dark line, as of a crack: "
                "too few passed photos show a similar one.",
            )
        case MemoryReason.LASTING:
            return translate(
                "Finding",
                "This difference was passed before, but it is permanent or growing. If it is not a "
                "defect, delete the finding.",
            )
        case MemoryReason.FAILED:
            return translate(
                "Finding",
                "Reported because an item failed for a similar finding here, whatever passed before.",
            )
        case MemoryReason.UNUSUAL:
            return translate(
                "Finding",
                "Passed photos show similar differences, but this place looks unlike all of them.",
            )
        case MemoryReason.REST:
            return translate("Finding", "Known variations explain what is around it, but not this part.")
    return ""


def model_word(model_id: str | None, name: str | None) -> str:
    """Return the name of a model to show; only the name of the built-in one is translated."""
    if model_id == REFERENCE_DIFFERENCE:
        return QCoreApplication.translate("Finding", "Reference difference")
    return name or model_id or ""


def model_description(model: DetectionModel) -> str:
    """Return the description of a model to show; only the default one of the built-in model is translated."""
    if model.model_id == REFERENCE_DIFFERENCE and model.model_description == _DEFAULT_DESCRIPTION:
        return QCoreApplication.translate(
            "Finding", "Compares the photo with the region of the reference image. No training required"
        )
    return model.model_description or ""


def failure_sentence(code: str, message: str) -> str:
    """Explain why a detection failed and what to do; `message` of the service for an unknown `code`."""
    translate = QCoreApplication.translate
    return {
        "no_photo": translate("Detection", "This item has no photo. Add one first."),
        "no_region": translate("Detection", "This item has no region or no reference image. Draw a region."),
        "no_model": translate("Detection", "This item has no detection model. Select one."),
        "model_unknown": translate(
            "Detection", "This model does not exist on the service. Select another model."
        ),
        "model_disabled": translate("Detection", "This model is disabled. Select another model."),
        "model_finds_nothing": translate(
            "Detection", "A feature model finds nothing by itself. Select another model."
        ),
        "file_lost": translate(
            "Detection", "The file of the photo or reference image is missing. Upload it again."
        ),
        "model_lost": translate(
            "Detection", "The model file is missing. Ask an administrator to add the model again."
        ),
        "image_unreadable": translate("Detection", "Cannot read the image. Retake or upload it again."),
        "image_too_large": translate("Detection", "The image is too large. Upload a smaller one."),
        "alignment_failed": translate(
            "Detection",
            "The photo could not be matched with the region. Check that it shows the right part. If it is "
            "blurred, hold the camera still or add light, and retake it.",
        ),
        "overexposed": translate(
            "Detection",
            "Glare or exposure hides a part of the region. Retake the photo darker or from another side.",
        ),
        "too_small": translate(
            "Detection",
            "The region or photo is too small to compare. Enlarge the region or retake the photo.",
        ),
        "photo_is_reference": translate(
            "Detection", "The photo is the reference image itself. Add the photo of this inspection."
        ),
        "incomplete_coverage": translate(
            "Detection", "The photo does not show the whole region, so it was not inspected completely."
        ),
        "not_visible": translate("Detection", "The photo does not show the whole region. Retake it."),
        "model_failed": translate(
            "Detection", "The model failed to run. Check its file or select another model."
        ),
        "out_of_memory": translate("Detection", "The service ran out of memory. Use a smaller image."),
        "disk_full": translate(
            "Detection", "Cannot save the result: the service's disk is full. Free disk space, then retry."
        ),
        "not_writable": translate(
            "Detection", "The service has no write access to its disk. Contact an administrator, then retry."
        ),
        "store_away": translate(
            "Detection",
            "The file storage is not responding. Run the detection again later. If it happens again, contact "
            "an administrator.",
        ),
        "worker_died": translate(
            "Detection",
            "Detection stopped unexpectedly several times. Check the photo and the model, then retry.",
        ),
        "timed_out": translate("Detection", "Detection timed out. Use a smaller image or a faster model."),
        "item_settings_wrong": translate(
            "Detection",
            "The detection settings of this item are invalid. Check sensitivity, minimum finding "
            "size and ignored areas.",
        ),
        "canceled": translate("Detection", "Detection cancelled."),
        "internal": translate(
            "Detection",
            "An internal service error occurred. Try again. If it happens again, contact an administrator.",
        ),
    }.get(code, message)


def kind_name(kind: ModelKind) -> str:
    """Return the usual name for how the outputs of a model are read."""
    translate = QCoreApplication.translate
    return {
        ModelKind.REFERENCE_DIFFERENCE: translate("Detection", "Built-in"),
        ModelKind.YOLO: translate("Detection", "YOLOv5 / v8 / v11"),
        ModelKind.YOLOX: translate("Detection", "YOLOX"),
        ModelKind.NMS_FREE: translate("Detection", "NMS-free (rows of six)"),
        ModelKind.DETR: translate("Detection", "DETR"),
        ModelKind.NMS_INSIDE: translate("Detection", "With built-in NMS"),
        ModelKind.BACKBONE: translate("Detection", "Feature model"),
    }[kind]


def place_text(place: Place) -> str:
    """The name of a choice of "Position in photos" in the detection settings."""
    translate = QCoreApplication.translate
    match place:
        case Place.ALIGN:
            return translate("DetectionTerms", "Align each photo")
        case Place.FIXED:
            return translate("DetectionTerms", "Fixed camera")
        case Place.ANYWHERE:
            return translate("DetectionTerms", "Anywhere")
