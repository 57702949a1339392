"""What the labels of the built-in model are called in the language of the program."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


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
