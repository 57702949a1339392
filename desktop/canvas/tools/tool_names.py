"""Names steps and tools in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.canvas.model.regions import RegionStep
from desktop.canvas.tools.tool_machine import Measure


def step_name(step: RegionStep) -> str:
    """The name of a step in the undo menu, such as "Move region"."""
    translate = QCoreApplication.translate
    names = {
        RegionStep.DRAW: translate("steps", "Draw region"),
        RegionStep.MOVE: translate("steps", "Move region"),
        RegionStep.RESIZE: translate("steps", "Resize region"),
        RegionStep.NUDGE: translate("steps", "Nudge region"),
        RegionStep.DUPLICATE: translate("steps", "Duplicate region"),
        RegionStep.PASTE: translate("steps", "Paste region"),
        RegionStep.ALIGN: translate("steps", "Align regions"),
        RegionStep.LOCK: translate("steps", "Lock region"),
        RegionStep.UNLOCK: translate("steps", "Unlock region"),
        RegionStep.HIDE: translate("steps", "Hide region"),
        RegionStep.SHOW: translate("steps", "Show regions"),
        RegionStep.FRONT: translate("steps", "Bring region to front"),
        RegionStep.BACK: translate("steps", "Send region to back"),
    }
    return names[step]


def length_text(length: float, mm_per_pixel: float | None) -> str:
    """A length in px as text, also in mm when the scale is known."""
    if mm_per_pixel is None:
        return f"{length:.1f} px"
    return f"{length:.1f} px · {length * mm_per_pixel:.1f} mm"


def measure_text(measure: Measure, mm_per_pixel: float | None) -> str:
    """The text of the ruler."""
    return length_text(measure.length, mm_per_pixel)
