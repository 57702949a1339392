"""Reads from the database what an edition seals, as it is stored."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, DateTime, String, Table, select, type_coerce
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.files.lookup import file_info, find_file
from service.inspection.sealing import seal
from service.inspection.tables import COMMENT, FILM, ITEM, ITEM_ORDER, PHOTO, RECORD, RECORD_PHOTO
from shared.record.entries import Entry, rendered_file
from shared.wire.files import StoredFile

Json = Any


def table_content(session: Session, inspection_id: str, form: str = seal.FORM) -> dict[str, Json] | None:
    """`seal.record_content` of a record as it is in this transaction; None when there is no such record."""
    records = stored_rows(session, RECORD, RECORD.c.inspection_id == inspection_id)
    if not records:
        return None
    of_record = select(ITEM.c.item_id).where(ITEM.c.inspection_id == inspection_id)
    items = stored_rows(session, ITEM, ITEM.c.inspection_id == inspection_id, *ITEM_ORDER)
    photos = stored_rows(session, PHOTO, PHOTO.c.item_id.in_(of_record), PHOTO.c.created_at, PHOTO.c.photo_id)
    of_record_itself = RECORD_PHOTO.c.inspection_id == inspection_id
    order = RECORD_PHOTO.c.created_at, RECORD_PHOTO.c.photo_id
    record_photos = stored_rows(session, RECORD_PHOTO, of_record_itself, *order)
    of_items = (COMMENT.c.inspection_id == inspection_id) & COMMENT.c.item_id.in_(of_record)
    comments = stored_rows(session, COMMENT, of_items, COMMENT.c.created_at, COMMENT.c.comment_id)
    of_films = FILM.c.inspection_id == inspection_id
    films = stored_rows(session, FILM, of_films, FILM.c.created_at, FILM.c.film_id)
    return seal.record_content(records[0], items, photos, record_photos, form, comments, films)


def stored_rows(
    session: Session, table: Table, where: ColumnElement[bool], *order: ColumnElement[Any]
) -> list[dict[str, Json]]:
    """Rows of a table by column name. A time that the service would not write is given as a text."""
    # SQLite keeps any text in place of a time.
    as_text = session.get_bind().dialect.name == "sqlite"
    times = {column.name for column in table.c if as_text and isinstance(column.type, DateTime)}
    columns = [
        type_coerce(column, String).label(column.name) if column.name in times else column
        for column in table.c
    ]
    rows = session.execute(select(*columns).where(where).order_by(*order))
    return [
        {
            name: _time(value) if name in times and value is not None else value
            for name, value in row._mapping.items()
        }
        for row in rows
    ]


def _time(text: str) -> dt.datetime | str:
    """The time that SQLite keeps as `text`; returned as text when the service would not write it that way."""
    try:
        value = dt.datetime.fromisoformat(text)
    except ValueError:
        return f"not a time: {text}"
    written = value.isoformat(sep=" ", timespec="microseconds")
    return value if written == text else f"not a time: {text}"


def files_of(session: Session, content: Mapping[str, Json]) -> list[StoredFile]:
    """The stored files that a record names, by their ids: photos, pictures of results, reference files."""
    files: dict[str, StoredFile] = {}

    def add(file: StoredFile | None) -> None:
        if file is not None:
            files[file.file_id] = file

    image = reference_image(session, content)
    if image is not None:
        add(file_info(session, image["file_id"]))
    for item in content["items"]:
        for photo in item["photos"]:
            add(file_info(session, photo["file_id"]))
        for info in _file_infos(item):
            add(find_file(session, info))
    for row in (*content["photos"], *content.get(seal.FILMS, [])):
        add(file_info(session, row["file_id"]))
    return [files[file_id] for file_id in sorted(files)]


def _file_infos(item: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The pictures that the documents of an item refer to, each as its document describes it."""
    entries: Sequence[Entry] = item["result"]
    point = item["item_point"]
    places: list[Json] = [point.get("fileInfo") if isinstance(point, Mapping) else None]
    for entry in entries:
        places += [entry.get("inputImage"), rendered_file(entry)]
    return (place for place in places if isinstance(place, Mapping))


def reference_image(session: Session, content: Mapping[str, Json]) -> dict[str, Json] | None:
    """The reference image of a record as an edition keeps it; None when the catalogue has none."""
    image_id = content["record"]["reference_image_id"]
    image = None if image_id is None else find_reference_image(session, image_id)
    if image is None:
        return None
    file = file_info(session, image.file_id)
    scale = image.mm_per_pixel
    return {
        "reference_image_id": image.reference_image_id,
        "reference_image_name": image.reference_image_name,
        "mm_per_pixel": None if scale is None else seal.Number(json.dumps(scale)),
        "file_id": image.file_id,
        "sha256": None if file is None else file.sha256,
    }
