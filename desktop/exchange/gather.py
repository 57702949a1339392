"""Collects an inspection from the service. Must not run on the GUI thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.exchange.data.content import ExportedPicture, Inspection
from shared.record import results
from shared.record.content import file_id_from_url, names_other_file
from shared.record.entries import item_entries
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import Severity
from shared.wire.inspection import Item, Photo, Record

Progress = Callable[[int, int], None]
"""Called with the number of items done and the total. An exception that it raises stops the work."""


def collect_inspection(session: Session, inspection_id: str, progress: Progress) -> Inspection:
    """Collect a record with its items and the sizes of its pictures. Raises ClientError.

    A reference image that no longer exists, or that the user may not see, is left out.
    """
    record = session.records.get(inspection_id).value
    items = session.items.all(inspection_id)
    image = _reference_image(session, record)
    record_file_info = None if image is None else image.model_dump(mode="json")
    photos_by_file_id: dict[str, Photo] = {}
    with contextlib.suppress(NotFound, Forbidden):
        photos_by_file_id = {photo.file_id: photo for photo in session.items.record_photos(inspection_id)}
    photos, item_references = {}, {}
    for index, item in enumerate(items):
        progress(index, len(items))
        photo = _photo_picture(session, item)
        if photo is not None:
            record_photo = photos_by_file_id.get(_photo_file_id(item))
            photos[item.item_id] = photo if record_photo is None else _add_camera(photo, record_photo)
        info = item.item_point.fileInfo if item.item_point is not None else None
        file_info = None if info is None else info.model_dump(mode="json")
        if file_info is not None and names_other_file(file_info, record_file_info):
            item_references[item.item_id] = _stored_picture(session, file_info)
    progress(len(items), len(items))
    severities: Mapping[str, Severity] = {}
    with contextlib.suppress(NotFound, Forbidden):
        severities = session.detection.labels()
    seal = session.records.seal(inspection_id)
    return Inspection(
        record, tuple(items), _reference_picture(image), photos, item_references, severities, seal
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
    detection = results.shown_result(item_entries(item))
    image = (detection or {}).get("inputImage")
    if not isinstance(image, Mapping):
        return None
    return _picture(image) or _stored_picture(session, image)


def _photo_file_id(item: Item) -> str:
    image = (results.shown_result(item_entries(item)) or {}).get("inputImage")
    return _file_id(image) if isinstance(image, Mapping) else ""


def _add_camera(picture: ExportedPicture, photo: Photo) -> ExportedPicture:
    return replace(picture, camera=photo.camera, taken_mark=photo.taken_mark)


def _stored_picture(session: Session, file_info: Mapping[str, object]) -> ExportedPicture | None:
    """Read from the service the picture that the fileInfo of an item or a result entry names."""
    file_id = _file_id(file_info)
    if not file_id:
        return None
    try:
        return _picture(session.files.get(file_id).model_dump(mode="json"))
    except (NotFound, Forbidden):
        return None


def _file_id(file_info: Mapping[str, object]) -> str:
    """The ID of the file that a result entry names; empty for a file of another system."""
    if isinstance(file_info.get("file_id"), str):
        return str(file_info["file_id"])
    return file_id_from_url(file_info.get("download_url")) or ""


def _picture(file_info: Mapping[str, object]) -> ExportedPicture | None:
    """The picture of a fileInfo; None if that does not state its size."""
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
