"""Names edits and formats the status bar."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from desktop.canvas.model.regions import Region, RegionStep
from desktop.canvas.tools.tool_names import step_name
from desktop.imaging.decoding.pixels import Tone
from shared.record.geometry import Rect


class EditName(StrEnum):
    """The label of an edit that is not a step of the canvas."""

    RENAME = "rename"
    DESCRIBE = "describe"
    MODEL = "model"
    VERDICT = "verdict"
    REMOVE = "remove"
    IMPORT = "import"
    CORRECT = "correct"
    DETECTION = "detection"
    IGNORE = "ignore"
    MARK = "mark"
    ALIGN = "align by hand"
    MOVE = "reorder"
    """Of items in the list. Journals written earlier have "move" here, as for a region."""


def edit_name(label: str) -> str:
    """The name of an edit with this label in undo messages."""
    translate = QCoreApplication.translate
    match label:
        case EditName.RENAME:
            return translate("Workbench", "Rename item")
        case EditName.DESCRIBE:
            return translate("Workbench", "Change description")
        case EditName.MODEL:
            return translate("Workbench", "Change model")
        case EditName.VERDICT:
            return translate("Workbench", "Set verdict")
        case EditName.REMOVE:
            return translate("Workbench", "Delete item")
        case EditName.IMPORT:
            return translate("Workbench", "Import regions")
        case EditName.CORRECT:
            return translate("Workbench", "Correct findings")
        case EditName.DETECTION:
            return translate("Workbench", "Change detection settings")
        case EditName.IGNORE:
            return translate("Workbench", "Change ignored areas")
        case EditName.ALIGN:
            return translate("Workbench", "Align with three points")
        case EditName.MOVE:
            return translate("Workbench", "Reorder items")
        case EditName.MARK:
            return translate("Workbench", "Move to reference image")
    try:
        return step_name(RegionStep(label))
    except ValueError:
        return label


def field_name(name: str) -> str:
    """The name of a field of an item in the interface."""
    translate = QCoreApplication.translate
    match name:
        case "item_name":
            return translate("Workbench", "Name")
        case "description":
            return translate("Workbench", "Description")
        case "model_id":
            return translate("Workbench", "Detection model")
        case "item_point":
            return translate("Workbench", "Region")
        case "verdict":
            return translate("Workbench", "Verdict")
        case "boxes":
            return translate("Workbench", "Findings")
    return name


def group_digits(number: float) -> str:
    """Format a whole number with thin spaces between the thousands."""
    return f"{round(number):,}".replace(",", "\u2009")


def region_text(rect: Rect, mm_per_pixel: float | None) -> str:
    """Width and height of a region in px, and in mm where the scale is known."""
    size = f"{group_digits(rect.w)} × {group_digits(rect.h)} px"
    if mm_per_pixel is None:
        return size
    return f"{size} ({rect.w * mm_per_pixel:.0f} × {rect.h * mm_per_pixel:.0f} mm)"


def picture_status(
    name: str,
    size: tuple[int, int] | None,
    number: int,
    count: int,
    tone: Tone,
    snapping: bool,
) -> str:
    """The left status text: file, size in px, item number, and changed brightness, contrast and snapping."""
    parts = [name]
    if size is not None:
        parts.append(f"{size[0]} × {size[1]}")
    if count:
        text = QCoreApplication.translate("Workbench", "Item {n} / {all}")
        parts.append(text.format(n=number, all=count))
    if tone.brightness:
        text = QCoreApplication.translate("Workbench", "Brightness {n}")
        parts.append(text.format(n=f"{tone.brightness:+d}"))
    if tone.contrast:
        text = QCoreApplication.translate("Workbench", "Contrast {n}")
        parts.append(text.format(n=f"{tone.contrast:+d}"))
    if snapping:
        parts.append(QCoreApplication.translate("Workbench", "Snap on"))
    return " · ".join(part for part in parts if part)


def region_flags(region: Region | None) -> list[str]:
    """The words "Locked" and "Hidden" if they apply to the region."""
    flags = []
    if region is not None and region.locked:
        flags.append(QCoreApplication.translate("Workbench", "Locked"))
    if region is not None and region.hidden:
        flags.append(QCoreApplication.translate("Workbench", "Hidden"))
    return flags


def selection_status(
    cursor: tuple[int, int] | None,
    region: Region | None,
    mm_per_pixel: float | None,
    chosen: int,
    *,
    findings: bool = False,
) -> str:
    """The right status text: the pointer's position in px and the chosen region, or how many are chosen.

    With `findings` the regions are findings on a photo.
    """
    parts = []
    if cursor is not None:
        parts.append(f"x {group_digits(cursor[0])}  y {group_digits(cursor[1])}")
    if findings and chosen > 1:
        parts.append(QCoreApplication.translate("Workbench", "%n finding(s) selected", "", chosen))
    elif findings and region is not None:
        text = QCoreApplication.translate("Workbench", "Finding {size}")
        parts.append(text.format(size=region_text(region.rect, mm_per_pixel)))
    elif chosen > 1:
        parts.append(QCoreApplication.translate("Workbench", "%n region(s) selected", "", chosen))
    elif region is not None:
        text = QCoreApplication.translate("Workbench", "Region {size}")
        parts.append(text.format(size=region_text(region.rect, mm_per_pixel)))
        parts += region_flags(region)
    return "  ·  ".join(parts)
