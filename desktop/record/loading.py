"""Loads a record, its items and pictures. Blocking: call it off the GUI thread."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import platformdirs
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QImage

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.http.address import is_local
from desktop.client.http.errors import Forbidden, NotFound
from desktop.imaging import open_image
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.sources.cut import is_large
from desktop.imaging.sources.remote import choose_source
from desktop.imaging.sources.source import ImageSource
from desktop.localization.detection_terms import model_word
from desktop.record.document import ItemView, view_of
from desktop.record.item_rows import ItemRows, RunPhase, run_state
from desktop.record.region_link import ReferenceFile
from desktop.user_folders import APP
from shared.record.content import file_id_from_url, sha256, sha256_from_cid
from shared.record.entries import item_entries
from shared.record.geometry import Rect
from shared.system import atomic
from shared.system.cache_limit import trim_cache
from shared.system.paths import ensure_private_folder
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import DetectionModel, ModelKind, Severity
from shared.wire.inspection import Item, Photo, Record
from shared.wire.seal import RecordSeal

Key = TypeVar("Key")

_CACHE_BYTES = 4_000_000_000
"""Maximum number of bytes of the cache. The least recently used pictures are deleted first."""

_ADDRESS_PREFIX = "file-"
"""Prefix of the names of cached pictures whose content hash is not known."""

_CHUNK_SIZE = 16
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class LoadedRecord:
    """A record with its items, models and settings. `reference` is None if there is no reference image.

    `rows` holds the rows of the items, computed off the GUI thread. `photos` has the file ids of the photos
    of items with a failed detection, oldest first.
    """

    record: Record
    items: Sequence[ItemView]
    rows: ItemRows
    reference: ReferenceImage | None
    models: Sequence[DetectionModel]
    severities: Mapping[str, Severity] = field(default_factory=dict)
    seal: RecordSeal | None = None
    min_reason: int = 1
    photos: Mapping[str, Sequence[str]] = field(default_factory=dict)


def load(session: Session, record_id: str, local_id: Callable[[str], str]) -> LoadedRecord:
    """Load a record with the rows of its items. `local_id` returns the journal's id of an item.

    Raises ClientError, such as NotFound when the record no longer exists.
    """
    record = session.records.get(record_id).value
    stored_items = session.items.all(record_id)
    items = [view_of(item, local_id(item.item_id)) for item in stored_items]
    reference = None
    if record.reference_image_id is not None:
        with contextlib.suppress(NotFound, Forbidden):
            reference = session.catalogue.reference_images.get(record.reference_image_id)
    models: Sequence[DetectionModel] = ()
    with contextlib.suppress(NotFound, Forbidden):
        models = [model for model in session.detection.models() if model.kind is not ModelKind.BACKBONE]
    severities: Mapping[str, Severity] = {}
    with contextlib.suppress(NotFound, Forbidden):
        severities = session.detection.labels()
    seal = session.records.seal(record_id)
    photos = {
        local_id(item_id): file_ids for item_id, file_ids in photos_of_failed(session, stored_items).items()
    }
    rows = ItemRows()
    rows.rows_of(items, model_names(models), photos)
    min_reason = session.records.policy().reason_characters
    return LoadedRecord(record, items, rows, reference, models, severities, seal, min_reason, photos)


def photos_of_failed(session: Session, items: Sequence[Item]) -> dict[str, list[str]]:
    """The file IDs of the photos of those items of a record whose newest detection gave no result.

    They are sorted from old to new: a newer photo ends the failure. None of an item that no longer exists.
    """
    failed = [
        item for item in items if run_state(item_entries(item)).run in (RunPhase.FAILED, RunPhase.CANCELED)
    ]
    if not failed:
        return {}
    photos: Sequence[Photo] = ()
    with contextlib.suppress(NotFound, Forbidden):
        if len(failed) == 1:
            photos = session.items.photos(failed[0].item_id)
        else:
            photos = session.items.record_photos(failed[0].inspection_id)
    file_ids: dict[str, list[str]] = {}
    for photo in sorted(photos, key=lambda photo: photo.created_at):
        file_ids.setdefault(photo.item_id, []).append(photo.file_id)
    return file_ids


def model_names(models: Sequence[DetectionModel]) -> dict[str, str]:
    """The name of each model by its ID."""
    return {model.model_id: model_word(model.model_id, model.model_name) for model in models}


def picture_folder() -> Path:
    """The folder of downloaded pictures, which are named by their content."""
    return Path(platformdirs.user_cache_dir(APP, appauthor=False)) / "pictures"


def fetch_reference(report: ProgressReport, session: Session, reference: ReferenceImage) -> ImageSource:
    """Open the reference image from the cache, by its tiles, or after a download. Reports the progress 0..1.

    Raises ClientError, ImageError, OSError.
    """
    name = reference.filename or reference.reference_image_name
    path = picture_path(reference.ipfs_cid, reference.file_id)
    if _is_cached(path):
        return open_image(path, name)
    return choose_source(
        session, reference, name, lambda: _download(report, session, reference.file_id, path)
    )


def fetch_file(report: ProgressReport, session: Session, file: ReferenceFile) -> ImageSource:
    """Open the picture that regions are drawn on, like `fetch_reference`.

    Raises ClientError, ImageError, OSError.
    """
    if file.image is not None:
        return fetch_reference(report, session, file.image)
    return fetch_photo(report, session, file.info.get("ipfs_cid"), "", str(file.info["download_url"]))


def fetch_photo(
    report: ProgressReport, session: Session, content_id: str | None, file_id: str, url: str | None = None
) -> ImageSource:
    """Open a photo by its id or by the address in a result entry, like `fetch_reference`.

    The caller must `cancel` it when it is no longer needed. Raises ClientError, ImageError, OSError.
    """
    path = picture_path(content_id, file_id or url or "")
    if _is_cached(path):
        return open_image(path)
    if not file_id:
        found_id = file_id_from_url(url)
        if found_id is None:
            _store(session.files.fetch(url or "", partial(_report_share, report)), path)
            return open_image(path)
        file_id = found_id
    if is_local(session.base_url):
        return open_image(_download(report, session, file_id, path))
    stored = session.files.get(file_id)
    report.check()
    return choose_source(session, stored, stored.filename, lambda: _download(report, session, file_id, path))


def _is_cached(path: Path) -> bool:
    """Whether the picture is in the cache. Marks it as used now."""
    if not path.exists():
        return False
    with contextlib.suppress(OSError):
        os.utime(path)
    return True


def _download(report: ProgressReport, session: Session, file_id: str, path: Path) -> Path:
    _store(session.files.download(file_id, partial(_report_share, report)), path)
    report.check()
    return path


def _report_share(report: ProgressReport, done: int, total: int) -> None:
    report(done / total if total else 0.0)


def picture_path(content_id: str | None, file_id: str) -> Path:
    """The path of a picture in the cache."""
    try:
        name = sha256_from_cid(content_id or "")
    except ValueError:
        name = _ADDRESS_PREFIX + re.sub(r"[^A-Za-z0-9-]", "_", file_id)
    return picture_folder() / name


def thumbnails(
    report: ProgressReport, source: ImageSource, regions: Sequence[tuple[Key, Rect]], side: int
) -> None:
    """Crop regions to small pictures with a shorter side of `side` px. Reports (key, QImage) for each.

    If the picture is not in memory, they are cropped from its preview, and those that are too coarse again
    from the original.
    """
    width, height = source.size
    is_in_memory = bool(source.levels) and not is_large(source)
    preview = QImage() if is_in_memory else source.preview()
    too_coarse: list[tuple[Key, Rect]] = []
    for number, (key, rect) in enumerate(regions):
        if number % _CHUNK_SIZE == 0:
            # Many pictures at once would block the GUI thread.
            report.wait(_PAUSE_SECONDS)
        if rect.is_empty:
            continue
        square = square_around(rect, width, height)
        if is_in_memory:
            image = source.crop(square)
        else:
            scale = preview.width() / width
            image = preview.copy(
                int(square.x * scale),
                int(square.y * scale),
                max(round(square.w * scale), 1),
                max(round(square.h * scale), 1),
            )
            if scale < 1 and min(image.width(), image.height()) < side:
                too_coarse.append((key, square))
        report((key, _scale_to(image, side)))
    for key, square in too_coarse:
        report.check()
        report((key, _scale_to(source.crop(square), side)))


def _scale_to(image: QImage, side: int) -> QImage:
    size, mode = QSize(side, side), Qt.AspectRatioMode.KeepAspectRatioByExpanding
    return image.scaled(size, mode, Qt.TransformationMode.SmoothTransformation)


def square_around(rect: Rect, width: int, height: int) -> Rect:
    """The smallest square around `rect` that fits into the picture, centred as far as its edges allow."""
    side = min(max(rect.w, rect.h), float(min(width, height)))
    x = min(max(rect.x + rect.w / 2 - side / 2, 0.0), width - side)
    y = min(max(rect.y + rect.h / 2 - side / 2, 0.0), height - side)
    return Rect(x, y, side, side)


def _store(data: bytes, path: Path) -> None:
    """Store data of the service at `path`. Raises ImageError when its hash differs from the name of the path.

    An item may name one file by its address and another one by its content. Without the check, the cache
    would show the wrong one of them.
    """
    if not path.name.startswith(_ADDRESS_PREFIX) and sha256(data) != path.name:
        raise ImageError(
            QCoreApplication.translate(
                "imaging", "The service returned a different image than expected. Select the image again."
            )
        )
    ensure_private_folder(path.parent)
    atomic.write_file(path, data, durable=False, private=True)
    with contextlib.suppress(OSError):
        trim_cache(path.parent.iterdir(), _CACHE_BYTES, path)
