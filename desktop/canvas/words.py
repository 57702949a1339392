"""Names steps and tools in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.canvas.regions import Step
from desktop.canvas.tools import Measure


def step_name(step: Step) -> str:
    """What the undo menu calls a step, such as "Move region"."""
    translate = QCoreApplication.translate
    names = {
        Step.DRAW: translate("steps", "Draw region"),
        Step.MOVE: translate("steps", "Move region"),
        Step.RESIZE: translate("steps", "Resize region"),
        Step.NUDGE: translate("steps", "Nudge region"),
        Step.DUPLICATE: translate("steps", "Duplicate region"),
        Step.PASTE: translate("steps", "Paste region"),
        Step.DELETE: translate("steps", "Delete region"),
        Step.ALIGN: translate("steps", "Align regions"),
        Step.LOCK: translate("steps", "Lock region"),
        Step.UNLOCK: translate("steps", "Unlock region"),
        Step.HIDE: translate("steps", "Hide region"),
        Step.SHOW: translate("steps", "Show regions"),
        Step.FRONT: translate("steps", "Bring region to front"),
        Step.BACK: translate("steps", "Send region to back"),
    }
    return names[step]


def length_text(length: float, mm_per_pixel: float | None) -> str:
    """A length in px, and in mm when the scale is known."""
    if mm_per_pixel is None:
        return f"{length:.1f} px"
    return f"{length:.1f} px · {length * mm_per_pixel:.1f} mm"


def measure_text(measure: Measure, mm_per_pixel: float | None) -> str:
    """What the ruler says."""
    return length_text(measure.length, mm_per_pixel)
