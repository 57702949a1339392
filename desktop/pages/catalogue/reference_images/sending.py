"""Sends a picture file and makes a reference image of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop.client.session import Session
from desktop.imaging.conversion import prepare_upload
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite


def send_reference(
    session: Session, path: Path, count: Callable[[int, int], None], name: str = ""
) -> ReferenceImage:
    """The reference image of the file at `path`, called `name`, or like its file.

    `count` is called with the bytes sent and the bytes in all. Raises ClientError, ImageError, OSError.
    """
    source, file_name = prepare_upload(path)
    stored = session.files.upload(source, file_name, progress=count)
    body = ReferenceImageWrite(
        reference_image_name=name or path.stem[:255] or path.name, file_id=stored.file_id
    )
    return session.catalogue.reference_images.create(body)
