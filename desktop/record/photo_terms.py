"""Names and describes photos of the record."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from desktop.localization.camera_terms import camera_lines, used_sentence
from desktop.localization.detection_terms import failure_sentence
from desktop.localization.language import join_words
from desktop.record.photo_list import covered_matches
from shared.wire.photos import PhotoState, RecordPhoto

_MAX_NAMES = 5


def photo_name(photo: RecordPhoto) -> str:
    """The name of its file."""
    return photo.file.filename or QCoreApplication.translate("RecordPhotos", "Photo")


def confidence(photo: RecordPhoto) -> float:
    """The lowest confidence of the matches, 0..1; 0 if there are none."""
    return min((match.score for match in covered_matches(photo)), default=0.0)


def photo_state(photo: RecordPhoto, offered: int, any_items: bool) -> str:
    """In a few words: the items that it is assigned or offered to (`offered`), or why it waits."""
    if photo.items:
        return QCoreApplication.translate("RecordPhotos", "Photo of %n item(s)", "", len(photo.items))
    if not any_items:
        return QCoreApplication.translate("RecordPhotos", "Waiting for regions")
    if offered:
        # Short: it must fit into the width of a thumbnail.
        share = f"{round(100 * confidence(photo))}%"
        shows = QCoreApplication.translate("RecordPhotos", "%n item(s) · {share}", "", offered)
        return shows.format(share=share)
    if photo.state is PhotoState.WAITING:
        return QCoreApplication.translate("RecordPhotos", "Matching…")
    if photo.used_in is not None:
        return QCoreApplication.translate("RecordPhotos", "Already used")
    if photo.state is PhotoState.FAILED:
        return QCoreApplication.translate("RecordPhotos", "Matching failed")
    if covered_matches(photo):
        return QCoreApplication.translate("RecordPhotos", "Already photographed")
    return QCoreApplication.translate("RecordPhotos", "No match")


def photo_reason(photo: RecordPhoto, offered: int, any_items: bool) -> str:
    """The outcome of the matching, and what to do, as a sentence."""
    if photo.items:
        names = names_of([item.item_name for item in photo.items])
        return QCoreApplication.translate("RecordPhotos", "Photo of {names}.").format(names=names)
    if not any_items:
        return QCoreApplication.translate(
            "RecordPhotos", "The record has no regions yet. The photo will be matched once regions are drawn."
        )
    if offered:
        return QCoreApplication.translate(
            "RecordPhotos",
            "The photo shows the regions of %n item(s), with a confidence of {share}%. Accept, or "
            "select other items.",
            "",
            offered,
        ).format(share=round(100 * confidence(photo)))
    if photo.state is PhotoState.WAITING:
        return QCoreApplication.translate("RecordPhotos", "Searching the photo for regions…")
    if photo.used_in is not None:
        return QCoreApplication.translate(
            "RecordPhotos", "{used}. It is not proposed; assign it manually or remove it."
        ).format(used=used_sentence(photo.used_in))
    if photo.state is PhotoState.FAILED:
        if photo.error == "timed_out":
            # The sentences of detections speak of models, which a matching has not.
            why = QCoreApplication.translate("RecordPhotos", "It took too long. Use a smaller photo.")
        elif photo.error == "worker_died":
            why = QCoreApplication.translate(
                "RecordPhotos", "It stopped unexpectedly. Use a smaller photo, or add this one again."
            )
        else:
            why = failure_sentence(photo.error or "", photo.message or "")
        return QCoreApplication.translate("RecordPhotos", "Cannot match the photo: {why}").format(why=why)
    if covered_matches(photo):
        return QCoreApplication.translate(
            "RecordPhotos",
            "Other photos show the same regions at least as well. To use this one, assign it manually.",
        )
    return QCoreApplication.translate(
        "RecordPhotos",
        "No regions found in this photo. It may show another part, or too little of this one. Assign "
        "it manually or remove it.",
    )


def photo_details(photo: RecordPhoto, reason: str) -> str:
    """`reason` and the camera data of the photo, in lines."""
    used = filter(None, [used_sentence(photo.used_in)])
    return "\n".join([reason, *used, *camera_lines(photo.camera, photo.taken_mark)])


def names_of(names: Sequence[str]) -> str:
    """The first names of a list, and the number of the others."""
    names_text = join_words(names[:_MAX_NAMES])
    more = len(names) - _MAX_NAMES
    if more <= 0:
        return names_text
    return QCoreApplication.translate("RecordPhotos", "{names} and %n more", "", more).format(
        names=names_text
    )


def other_items(photo: RecordPhoto, service_id: str) -> list[str]:
    """The names of the items that have a photo, without the item with this ID of the service."""
    return [item.item_name for item in photo.items if item.item_id != service_id]


def removal_note(photo: RecordPhoto, service_id: str, item_name: str) -> str:
    """A sentence with the items that keep a photo when it is removed from this one."""
    others = other_items(photo, service_id)
    if not others:
        return QCoreApplication.translate(
            "SharedPhotoController", "The photo is kept in the record, unassigned."
        )
    text = QCoreApplication.translate(
        "SharedPhotoController", "The photo is removed from {name} only. It is still used for {others}."
    )
    return text.format(name=item_name, others=names_of(others))
