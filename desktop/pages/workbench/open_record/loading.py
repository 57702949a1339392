"""Loads what the workbench shows: the record, its items and pictures; not for the GUI thread."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

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
from desktop.pages.workbench.model.document import ItemView, view_of
from desktop.pages.workbench.model.item_rows import ItemRows
from desktop.pages.workbench.model.reference_file import ReferenceFile
from desktop.user_folders import APP
from shared import atomic
from shared.content import file_id_of, sha256, sha256_of
from shared.geometry import Rect
from shared.paths import private_folder
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import DetectionModel, ModelKind, Severity
from shared.wire.inspection import Record
from shared.wire.seal import RecordSeal

_CACHE_BYTES = 4_000_000_000
"""Least recently used pictures beyond this many bytes leave the cache."""

_BY_ADDRESS = "file-"
"""Prefix of the names of cached pictures whose content hash is not known."""

_AT_ONCE = 16
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class LoadedRecord:
    """A record with all that belongs to it; `reference` is None for a record without a reference image.

    `rows` holds the rows of the items, computed off the GUI thread.
    """

    record: Record
    items: Sequence[ItemView]
    rows: ItemRows
    reference: ReferenceImage | None
    models: Sequence[DetectionModel]
    severities: Mapping[str, Severity] = field(default_factory=dict)
    seal: RecordSeal | None = None


def load(session: Session, record_id: str, local_id: Callable[[str], str]) -> LoadedRecord:
    """The record, with the rows of its items. `local_id` gives the journal's id of an item.

    Raises NotFound when it no longer exists, Forbidden, Unreachable, ...
    """
    record = session.records.get(record_id).value
    items = [view_of(item, local_id(item.item_id)) for item in session.items.all(record_id)]
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
    rows = ItemRows()
    rows.of(items, model_names(models))
    return LoadedRecord(record, items, rows, reference, models, severities, seal)


def model_names(models: Sequence[DetectionModel]) -> dict[str, str]:
    """The name of each model by its ID."""
    return {model.model_id: model_word(model.model_id, model.model_name) for model in models}


def picture_folder() -> Path:
    """The folder of downloaded pictures, which are named by their content."""
    return Path(platformdirs.user_cache_dir(APP, appauthor=False)) / "pictures"


def fetch_reference(report: ProgressReport, session: Session, reference: ReferenceImage) -> ImageSource:
    """The reference image: from the cache, in tiles from far away, or downloaded; reports 0..1.

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
    """The picture that regions are marked on, got as `fetch_reference` does.

    Raises ClientError, ImageError, OSError.
    """
    if file.image is not None:
        return fetch_reference(report, session, file.image)
    return fetch_photo(report, session, file.info.get("ipfs_cid"), "", str(file.info["download_url"]))


def fetch_photo(
    report: ProgressReport, session: Session, content_id: str | None, file_id: str, url: str | None = None
) -> ImageSource:
    """A photo, by its id or by the address that a result entry names, got as `fetch_reference` does.

    `cancel` it when it is not needed any more. Raises ClientError, ImageError, OSError.
    """
    path = picture_path(content_id, file_id or url or "")
    if _is_cached(path):
        return open_image(path)
    if not file_id:
        named = file_id_of(url)
        if named is None:
            _keep(session.files.fetch(url or "", partial(_share, report)), path)
            return open_image(path)
        file_id = named
    if is_local(session.base_url):
        return open_image(_download(report, session, file_id, path))
    stored = session.files.get(file_id)
    report.check()
    return choose_source(session, stored, stored.filename, lambda: _download(report, session, file_id, path))


def _is_cached(path: Path) -> bool:
    """True when the picture is in the cache, where it then stays longer."""
    if not path.exists():
        return False
    with contextlib.suppress(OSError):
        os.utime(path)
    return True


def _download(report: ProgressReport, session: Session, file_id: str, path: Path) -> Path:
    _keep(session.files.download(file_id, partial(_share, report)), path)
    report.check()
    return path


def _share(report: ProgressReport, done: int, total: int) -> None:
    report(done / total if total else 0.0)


def picture_path(content_id: str | None, file_id: str) -> Path:
    """The place of a picture in the cache."""
    try:
        name = sha256_of(content_id or "")
    except ValueError:
        name = _BY_ADDRESS + re.sub(r"[^A-Za-z0-9-]", "_", file_id)
    return picture_folder() / name


def thumbnails(
    report: ProgressReport, source: ImageSource, regions: Sequence[tuple[str, Rect]], side: int
) -> None:
    """Small pictures of regions: reports (id, QImage) for each, `side` px the shorter side.

    For a picture that is not in memory, first from its preview, then from the original those for which that
    was too coarse.
    """
    width, height = source.size
    at_hand = bool(source.levels) and not is_large(source)
    whole = QImage() if at_hand else source.preview()
    coarse: list[tuple[str, Rect]] = []
    for number, (item_id, rect) in enumerate(regions):
        if number % _AT_ONCE == 0:
            # Many pictures at once would block the GUI thread.
            report.wait(_PAUSE_SECONDS)
        if rect.empty:
            continue
        square = squared(rect, width, height)
        if at_hand:
            image = source.crop(square)
        else:
            scale = whole.width() / width
            image = whole.copy(
                int(square.x * scale),
                int(square.y * scale),
                max(round(square.w * scale), 1),
                max(round(square.h * scale), 1),
            )
            if scale < 1 and min(image.width(), image.height()) < side:
                coarse.append((item_id, square))
        report((item_id, _sized(image, side)))
    for item_id, square in coarse:
        report.check()
        report((item_id, _sized(source.crop(square), side)))


def _sized(image: QImage, side: int) -> QImage:
    size, mode = QSize(side, side), Qt.AspectRatioMode.KeepAspectRatioByExpanding
    return image.scaled(size, mode, Qt.TransformationMode.SmoothTransformation)


def squared(rect: Rect, width: int, height: int) -> Rect:
    """A square about the middle of `rect` that shows it, inside the picture as far as that reaches."""
    side = min(max(rect.w, rect.h), float(min(width, height)))
    x = min(max(rect.x + rect.w / 2 - side / 2, 0.0), width - side)
    y = min(max(rect.y + rect.h / 2 - side / 2, 0.0), height - side)
    return Rect(x, y, side, side)


def _keep(data: bytes, path: Path) -> None:
    """Store the service's data at `path`. Raises ImageError when its hash is not the one in that name.

    An item may name one file by its address and another by its content: kept under that name, the one would
    be shown for the other from then on, wherever it is used.
    """
    if not path.name.startswith(_BY_ADDRESS) and sha256(data) != path.name:
        raise ImageError(
            QCoreApplication.translate(
                "imaging", "The service returned a different image than expected. Select the image again."
            )
        )
    private_folder(path.parent)
    atomic.write(path, data, durable=False, private=True)
    _tidy(path.parent, path)


def _tidy(folder: Path, newest: Path) -> None:
    """Drop the least recently used pictures above the limit."""
    with contextlib.suppress(OSError):
        files = sorted(
            ((entry.stat(), entry) for entry in folder.iterdir() if entry.is_file()),
            key=lambda pair: pair[0].st_mtime,
        )
        total = sum(stat.st_size for stat, _ in files)
        for stat, entry in files:
            if total <= _CACHE_BYTES:
                return
            if entry != newest:
                entry.unlink()
                total -= stat.st_size
