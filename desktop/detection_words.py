"""What the built-in model and its labels are called in the language of the program."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from shared.wire.detection import REFERENCE_DIFFERENCE


def finding_word(label: str) -> str:
    """The word for a finding's label; a label of another model is its own word."""
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
        case "difference":
            return translate("Finding", "difference")
    return label


def model_word(model_id: str | None, name: str | None) -> str:
    """The name to show for a model: the built-in one has a word in each language, another its own name."""
    if model_id == REFERENCE_DIFFERENCE:
        return QCoreApplication.translate("Finding", "Reference difference")
    return name or model_id or ""
