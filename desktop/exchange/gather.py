"""Collects an inspection from the service. Not for the GUI thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.exchange.data.content import ExportedPicture, Inspection
from shared import results
from shared.content import file_id_of, names_other_file
from shared.entries import entries_of
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import Severity
from shared.wire.inspection import Item, Photo, Record

Progress = Callable[[int, int], None]
"""Called with items done and items in all; what it raises ends the gathering."""


def gather(session: Session, inspection_id: str, progress: Progress) -> Inspection:
    """A record with its items and the sizes of its pictures. Raises ClientError.

    A reference image that is gone, or that the person may not see, is left out.
    """
    record = session.records.get(inspection_id).value
    items = session.items.all(inspection_id)
    image = _reference_image(session, record)
    home = None if image is None else image.model_dump(mode="json")
    taken: dict[str, Photo] = {}
    with contextlib.suppress(NotFound, Forbidden):
        taken = {photo.file_id: photo for photo in session.items.record_photos(inspection_id)}
    photos, own_references = {}, {}
    for done, item in enumerate(items):
        progress(done, len(items))
        photo = _photo_picture(session, item)
        if photo is not None:
            record_photo = taken.get(_photo_file_id(item))
            photos[item.item_id] = photo if record_photo is None else _with_camera(photo, record_photo)
        info = item.item_point.fileInfo if item.item_point is not None else None
        named = None if info is None else info.model_dump(mode="json")
        if named is not None and names_other_file(named, home):
            own_references[item.item_id] = _stored_picture(session, named)
    progress(len(items), len(items))
    severities: Mapping[str, Severity] = {}
    with contextlib.suppress(NotFound, Forbidden):
        severities = session.detection.labels()
    seal = session.records.seal(inspection_id)
    return Inspection(
        record, tuple(items), _reference_picture(image), photos, own_references, severities, seal
    )


def _reference_image(session: Session, record: Record) -> ReferenceImage | None:
    if record.reference_image_id is None:
        return None
    try:
        return session.catalogue.reference_images.get(record.reference_image_id)
    except (NotFound, Forbidden):
        return None


def _reference_picture(image: ReferenceImage | None) -> ExportedPicture | None:
    if image is None or not image.width or not image.height:
        return None
    name = image.filename or image.reference_image_name
    return ExportedPicture(
        name, image.width, image.height, image.ipfs_cid, image.download_url or "", image.mm_per_pixel
    )


def _photo_picture(session: Session, item: Item) -> ExportedPicture | None:
    detection = results.finished_detection(entries_of(item))
    image = (detection or {}).get("inputImage")
    if not isinstance(image, Mapping):
        return None
    return _picture(image) or _stored_picture(session, image)


def _photo_file_id(item: Item) -> str:
    image = (results.finished_detection(entries_of(item)) or {}).get("inputImage")
    return _file_id(image) if isinstance(image, Mapping) else ""


def _with_camera(picture: ExportedPicture, photo: Photo) -> ExportedPicture:
    return replace(picture, camera=photo.camera, taken_mark=photo.taken_mark)


def _stored_picture(session: Session, file_info: Mapping[str, object]) -> ExportedPicture | None:
    """The picture that the service keeps for what an item or an entry names."""
    file_id = _file_id(file_info)
    if not file_id:
        return None
    try:
        return _picture(session.files.get(file_id).model_dump(mode="json"))
    except (NotFound, Forbidden):
        return None


def _file_id(file_info: Mapping[str, object]) -> str:
    """The id of the file that a result entry names; empty for one of another system."""
    if isinstance(file_info.get("file_id"), str):
        return str(file_info["file_id"])
    return file_id_of(file_info.get("download_url")) or ""


def _picture(file_info: Mapping[str, object]) -> ExportedPicture | None:
    """A picture as a result entry or the file store names it; None without its size."""
    width, height = file_info.get("width"), file_info.get("height")
    if not isinstance(width, int) or not isinstance(height, int) or width <= 0 or height <= 0:
        return None
    content_id = file_info.get("ipfs_cid")
    name = file_info.get("filename")
    url = file_info.get("download_url")
    return ExportedPicture(
        str(name or "photo"),
        width,
        height,
        content_id if isinstance(content_id, str) else None,
        url if isinstance(url, str) else "",
    )
