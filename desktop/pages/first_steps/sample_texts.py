"""Translates the texts of the sample inspection into the current language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.pages.first_steps.sample import SampleTexts


def sample_texts() -> SampleTexts:
    """The texts of the sample inspection; each name begins with the word for a sample."""
    translate = QCoreApplication.translate
    return SampleTexts(
        aircraft=translate("Sample", "Sample aircraft"),
        aircraft_type=translate("Sample", "Narrow-body"),
        flight=translate("Sample", "SAMPLE-1"),
        task=translate("Sample", "Sample task: after-flight check"),
        reference=translate("Sample", "Sample image: skin of the left wing root"),
        record=translate("Sample", "Sample: left wing root, after flight"),
        items=(
            (
                translate("Sample", "Dent in the skin"),
                translate("Sample", "Between frames 12 and 13; no deeper than 2 mm."),
            ),
            (
                translate("Sample", "Crack in the panel"),
                translate("Sample", "Skin near frame 14; no crack is accepted."),
            ),
            (
                translate("Sample", "Missing rivet"),
                translate("Sample", "Where the lap joints cross; every rivet in place."),
            ),
            (
                translate("Sample", "Window frames"),
                translate("Sample", "Seals and frames of the three windows."),
            ),
            (
                translate("Sample", "Registration"),
                translate("Sample", "Complete, readable, without scratches."),
            ),
        ),
        reopening_reason=translate("Sample", "Sample inspection deleted"),
    )
