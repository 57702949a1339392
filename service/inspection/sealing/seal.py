"""Builds the sealed content of a record, its canonical text and its seal, and compares two contents. Pure.

The canonical text is JSON in UTF-8 without spaces, the keys of each object sorted by code point, text escaped
only where JSON asks for it, and numbers as they are written in the database: nothing is rounded or written in
another way. The seal is the SHA-256 of its bytes. What is in the content is fixed for each form: a column
that comes to a table later needs a decision and, once records are sealed with this form, a new name for it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from shared.record.entries import Entry
from shared.record.findings import read_findings
from shared.record.results import Counters
from shared.wire.files import StoredFile
from shared.wire.seal import DifferenceKind

FORM = "walkaround-seal-2"
OLD_FORM = "walkaround-seal-1"
"""Before photos could belong to a record and severities were sealed; its editions are checked by it."""

RECORD_FIELDS = (
    "inspection_id",
    "inspection_name",
    "task_id",
    "executor_id",
    "reference_image_id",
    "progress",
    "start_time",
    "end_time",
    "inspection_status",
    "revision",
    "created_at",
    "updated_at",
    "updated_by",
)
ITEM_FIELDS = (
    "item_id",
    "inspection_id",
    "item_name",
    "description",
    "model_id",
    "item_point",
    "result",
    "outcome",
    "verdict",
    "detected",
    "client_key",
    "client_body",
    "revision",
    "created_at",
    "updated_at",
    "updated_by",
)
OLD_PHOTO_FIELDS = ("photo_id", "item_id", "file_id", "added_by", "created_at", "client_key")
PHOTO_FIELDS = (*OLD_PHOTO_FIELDS, "record_photo_id", "assigned", "homography", "reference_file_id")
BY_PHONE = "by_phone"
"""Of a photo, there only where a phone sent it: what was sealed before phones did has the same content."""
RECORD_PHOTO_FIELDS = (
    "photo_id",
    "inspection_id",
    "file_id",
    "added_by",
    "created_at",
    "state",
    "error",
    "matches",
)
COMMENT_FIELDS = (
    "comment_id",
    "inspection_id",
    "item_id",
    "file_id",
    "x",
    "y",
    "text",
    "written_by",
    "written_by_name",
    "created_at",
)
COMMENTS = "comments"
"""The comments of a record, there only if it has some."""
FILM_FIELDS = ("film_id", "inspection_id", "file_id", "added_by", "created_at")
FILMS = "films"
"""The films of a record, there only if it has some."""
DOCUMENTS = ("item_point", "result")
"""Fields of an item that are JSON in the database."""

Json = Any
Row = Mapping[str, Any]


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class UnreadableError(ValueError):
    """A stored document is not the JSON that the service writes."""


def parse_content(text: str) -> Json:
    """`text` as JSON with its numbers as `Number`. Raises UnreadableError."""
    try:
        return json.loads(
            text, parse_int=Number, parse_float=Number, parse_constant=_refuse, object_pairs_hook=_object
        )
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from None


def _refuse(word: str) -> Json:
    raise ValueError(f"{word} is not a number")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key is there twice")
    return content


_QUOTED = json.JSONEncoder(ensure_ascii=False).encode


def canonical(value: Json) -> str:
    """The canonical text of plain data; a time is written in ISO 8601. Raises TypeError for a float."""
    pieces: list[str] = []
    _write(value, pieces.append)
    return "".join(pieces)


def _write(value: Json, out: Callable[[str], None]) -> None:
    match value:
        case Number():
            out(str(value))
        case str():
            out(_QUOTED(value))
        case bool() | None:
            out(json.dumps(value))
        case int():
            out(str(value))
        case dt.datetime():
            out(_QUOTED(value.isoformat()))
        case Mapping():
            before = "{"
            for key in sorted(value):
                out(f"{before}{_QUOTED(key)}:")
                _write(value[key], out)
                before = ","
            out("}" if value else "{}")
        case Sequence():
            before = "["
            for element in value:
                out(before)
                _write(element, out)
                before = ","
            out("]" if value else "[]")
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical text")


def seal_of(text: str) -> str:
    """The seal of a canonical text: the SHA-256 of its UTF-8 bytes in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def record_content(
    record: Row,
    items: Iterable[Row],
    photos: Iterable[Row],
    record_photos: Iterable[Row],
    form: str = FORM,
    comments: Iterable[Row] = (),
    films: Iterable[Row] = (),
) -> dict[str, Json]:
    """What the tables of this domain hold of a record: `{"record": ..., "items": [...], "photos": [...]}`.

    The rows have the columns of `RECORD_FIELDS`, `ITEM_FIELDS`, `PHOTO_FIELDS`, `RECORD_PHOTO_FIELDS` and
    `BY_PHONE`. A document of an item is there twice: as JSON, and by the SHA-256 of its text, so that no byte
    of it changes unseen; those of photos are there as their text. `OLD_FORM` has none of what came later.
    """
    old = form == OLD_FORM
    of_item: dict[str, list[dict[str, Json]]] = {}
    for photo in photos:
        fields = OLD_PHOTO_FIELDS if old else PHOTO_FIELDS
        of_item.setdefault(photo["item_id"], []).append(_photo(photo, fields))
    content: dict[str, Json] = {
        "record": {name: record[name] for name in RECORD_FIELDS},
        "items": [_item(item, of_item.get(item["item_id"], [])) for item in items],
    }
    if not old:
        content["photos"] = [_photo(record_photo, RECORD_PHOTO_FIELDS) for record_photo in record_photos]
    later = {
        COMMENTS: [_comment(comment) for comment in comments],
        FILMS: [{name: film[name] for name in FILM_FIELDS} for film in films],
    }
    # A record without comments and films has the same content as before there were any.
    return {**content, **{name: rows for name, rows in later.items() if rows}}


def _comment(row: Row) -> dict[str, Json]:
    place = {name: None if row[name] is None else Number(json.dumps(row[name])) for name in ("x", "y")}
    return {**{name: row[name] for name in COMMENT_FIELDS}, **place}


def _photo(row: Row, fields: Iterable[str]) -> dict[str, Json]:
    content: dict[str, Json] = {name: row[name] for name in fields}
    return {**content, BY_PHONE: row[BY_PHONE]} if row[BY_PHONE] else content


def _item(row: Row, photos: list[dict[str, Json]]) -> dict[str, Json]:
    texts = {name: row[name] for name in DOCUMENTS}
    return {
        **{name: row[name] for name in ITEM_FIELDS},
        **{name: None if text is None else _document(text) for name, text in texts.items()},
        "sha256": {name: None if text is None else seal_of(text) for name, text in texts.items()},
        "photos": photos,
    }


def _document(text: str) -> Json:
    try:
        return parse_content(text)
    except UnreadableError:
        # It differs from every document that was ever sealed.
        return {"unreadable": text}


def models_of(results_of_items: Iterable[Sequence[Entry]]) -> list[dict[str, Json]]:
    """The models that the entries of these items were made with: id, name, version and SHA-256."""
    keys = ("model_id", "model_name", "model_version", "model_sha256")
    models: dict[str, dict[str, Json]] = {}
    for entries in results_of_items:
        for entry in entries:
            origin = entry.get("provenance")
            if isinstance(origin, Mapping) and origin.get("model_id") is not None:
                model = {key: origin.get(key) for key in keys}
                models[canonical(model)] = model
    return [models[key] for key in sorted(models)]


def labels_without_severity(results_of_items: Iterable[Sequence[Entry]]) -> set[str]:
    """The labels of findings that do not say how severe they are: the catalogue says it of them."""
    labels: set[str] = set()
    for entries in results_of_items:
        for entry in entries:
            labels.update(finding.label for finding in read_findings(entry) if finding.severity is None)
    return labels


def file_content(file: StoredFile) -> dict[str, Json]:
    """What the content says of a file; the SHA-256 stands for its bytes."""
    return {
        "file_id": file.file_id,
        "sha256": file.sha256,
        "size": file.size,
        "filename": file.filename,
        "mime_type": file.mime_type,
        "width": file.width,
        "height": file.height,
    }


def whole_content(
    edition: int,
    finished: Mapping[str, Json],
    counted: Counters,
    known: Mapping[str, Json],
    severities: Mapping[str, str],
    of_tables: Mapping[str, Json],
    models: Sequence[Json],
    files: Sequence[Json],
    reference_image: Json,
) -> dict[str, Json]:
    """The content of an edition.

    `finished` says who, when and whether a release is asked for. `known` are names that the catalogue gave at
    that time, `severities` how severe it said findings with a label are, for those that do not say so
    themselves; `of_tables` comes from `record_content`.
    """
    return {
        "format": FORM,
        "edition": edition,
        "finished": finished,
        "outcome": None if counted.outcome is None else counted.outcome.value,
        "counters": asdict(counted),
        "known": known,
        "severities": severities,
        "reference_image": reference_image,
        "models": models,
        "files": files,
        **of_tables,
    }


class Discrepancy(NamedTuple):
    """A place where a content is not as it was sealed; `item` is the sealed or added item it lies in."""

    kind: DifferenceKind
    path: str
    item: Mapping[str, Json] | None = None


def differences(sealed: Mapping[str, Json], now: Mapping[str, Json]) -> Iterator[Discrepancy]:
    """Where `now`, from `record_content`, differs from the content `sealed`; both from `parse_content`."""
    yield from _walk(sealed["record"], now["record"], "record", None)
    before, after = sealed["items"], now["items"]
    yield from _list_differences(before, after, "item_id", "items", None)
    after_by_id = {other_item["item_id"]: other_item for other_item in after}
    for at, item in enumerate(before):
        other = after_by_id.get(item["item_id"])
        if other is None:
            continue
        yield from _walk(_without_photos(item), _without_photos(other), f"items[{at}]", item)
        yield from _rows(item["photos"], other["photos"], "photo_id", f"items[{at}].photos", item)
    yield from _rows(sealed.get("photos", []), now.get("photos", []), "photo_id", "photos")
    for name, row_key in ((COMMENTS, "comment_id"), (FILMS, "film_id")):
        yield from _rows(sealed.get(name, []), now.get(name, []), row_key, name)


def _rows(
    before: Sequence[Mapping[str, Json]],
    after: Sequence[Mapping[str, Json]],
    key: str,
    path: str,
    item: Mapping[str, Json] | None = None,
) -> Iterator[Discrepancy]:
    yield from _list_differences(before, after, key, path, item)
    after_by_id = {row[key]: row for row in after}
    for number, row in enumerate(before):
        if row[key] in after_by_id:
            yield from _walk(row, after_by_id[row[key]], f"{path}[{number}]", item)


def _without_photos(item: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in item.items() if name != "photos"}


def _list_differences(
    before: Sequence[Mapping[str, Json]],
    after: Sequence[Mapping[str, Json]],
    key: str,
    path: str,
    item: Mapping[str, Json] | None,
) -> Iterator[Discrepancy]:
    """What is missing, was added or has another order."""
    old, new = [entry[key] for entry in before], [entry[key] for entry in after]
    for at, entry in enumerate(before):
        if entry[key] not in new:
            yield Discrepancy(DifferenceKind.MISSING, f"{path}[{at}]", entry if key == "item_id" else item)
    for at, entry in enumerate(after):
        if entry[key] not in old:
            yield Discrepancy(DifferenceKind.ADDED, f"{path}[{at}]", entry if key == "item_id" else item)
    if [entry for entry in old if entry in new] != [entry for entry in new if entry in old]:
        yield Discrepancy(DifferenceKind.CHANGED, path, item)


def _walk(before: Json, after: Json, path: str, item: Mapping[str, Json] | None) -> Iterator[Discrepancy]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            child_path = f"{path}.{key}"
            if key not in after:
                yield Discrepancy(DifferenceKind.MISSING, child_path, item)
            elif key not in before:
                yield Discrepancy(DifferenceKind.ADDED, child_path, item)
            else:
                yield from _walk(before[key], after[key], child_path, item)
    elif isinstance(before, list) and isinstance(after, list):
        for at in range(max(len(before), len(after))):
            child_path = f"{path}[{at}]"
            if at >= len(after):
                yield Discrepancy(DifferenceKind.MISSING, child_path, item)
            elif at >= len(before):
                yield Discrepancy(DifferenceKind.ADDED, child_path, item)
            else:
                yield from _walk(before[at], after[at], child_path, item)
    elif type(before) is not type(after) or before != after:
        yield Discrepancy(DifferenceKind.CHANGED, path, item)
