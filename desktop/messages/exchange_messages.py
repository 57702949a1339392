"""Explains in the user's language why a file of regions cannot be imported."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.exchange.data.imported_regions import MAX_REGIONS, ExchangeError, Reason
from desktop.exchange.registry import READABLE_NAMES
from desktop.localization.language import join_sentences, join_words


def exchange_sentence(error: ExchangeError) -> str:
    """What is wrong with the file, and what to do."""
    translate = QCoreApplication.translate
    match error.reason:
        case Reason.UNREADABLE:
            return translate(
                "ExchangeMessages",
                "Cannot read regions from this file. Select an undamaged file in one of these formats: "
                "Walkaround, {formats}.",
            ).format(formats=join_words(READABLE_NAMES))
        case Reason.NO_REGIONS:
            return translate("ExchangeMessages", "No region in this file is inside the reference image.")
        case Reason.WHICH_PICTURE:
            return translate(
                "ExchangeMessages",
                "This file has several images, and not exactly one of them has the name of the reference "
                "image. Rename one in the file, or select a file with a single image.",
            )
        case Reason.OTHER_PROPORTIONS:
            return translate(
                "ExchangeMessages",
                "The regions were drawn on an image of other proportions, such as one that is turned or "
                "cropped. Select a file for this reference image.",
            )
        case Reason.TOO_LARGE:
            return translate(
                "ExchangeMessages", "The file is too large. The limit is {n} regions and 64 MB."
            ).format(n=MAX_REGIONS)


def left_out_sentence(outside: int, without_area: int) -> str:
    """What was left out at an import, as sentences; empty if nothing was."""
    translate = QCoreApplication.translate
    sentences = []
    if outside:
        sentences.append(translate("ExchangeMessages", "%n outside the image skipped.", "", outside))
    if without_area:
        sentences.append(
            translate("ExchangeMessages", "%n point(s) or empty shape(s) skipped.", "", without_area)
        )
    return join_sentences(sentences)
