"""Uploads a picture file and creates a reference image from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop.client.session import Session
from desktop.imaging.conversion import prepare_upload
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite


def send_reference(
    session: Session, path: Path, on_progress: Callable[[int, int], None], name: str = ""
) -> ReferenceImage:
    """Upload the file at `path` and create a reference image with the name `name`, else that of the file.

    `on_progress` is called with the sent bytes and their total. Raises ClientError, ImageError, OSError.
    """
    source, file_name = prepare_upload(path)
    uploaded_file = session.files.upload(source, file_name, progress=on_progress)
    body = ReferenceImageWrite(
        reference_image_name=name or path.stem[:255] or path.name, file_id=uploaded_file.file_id
    )
    return session.catalogue.reference_images.create(body)
