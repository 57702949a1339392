"""Runs `walkaround training-set`: exports corrected findings as a data set for training a detector.

Reads the content of a training set: photos with the findings that people corrected.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Row, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from service.catalogue.tables import FlightRow, TaskRow
from service.db.database import Database
from service.db.schema import unusable_database
from service.files.tables import FileRow
from service.inspection.tables import ITEM, RECORD
from service.settings import Settings
from service.stores.contents import Contents, file_contents
from shared.datasets import (
    DatasetBox,
    DatasetPicture,
    build_coco_document,
    clean_class_name,
    yolo_row,
    yolo_yaml,
)
from shared.images.formats import ENDINGS
from shared.record import findings, results
from shared.record.content import cid
from shared.record.entries import Entry
from shared.record.findings import Finding

_CORRECTED_RECORD_IDS = select(ITEM.c.inspection_id).where(ITEM.c.result.contains('"correction"'))
_ITEMS = (
    select(
        ITEM.c.item_id,
        ITEM.c.inspection_id,
        ITEM.c.result,
        func.coalesce(col(TaskRow.aircraft_id), col(FlightRow.aircraft_id)).label("aircraft_id"),
    )
    .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
    .outerjoin(TaskRow, col(TaskRow.task_id) == RECORD.c.task_id)
    .outerjoin(FlightRow, col(FlightRow.flight_id) == col(TaskRow.flight_id))
    .where(ITEM.c.detected, ITEM.c.inspection_id.in_(_CORRECTED_RECORD_IDS))
    .order_by(RECORD.c.created_at, RECORD.c.inspection_id, ITEM.c.created_at, ITEM.c.item_id)
)
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class CorrectedPhoto:
    """A photo, upright `width` x `height` px, whose findings a person corrected.

    groups: the aircraft of the photo's records (`aircraft ID`), or the record if it has no aircraft (`record
    ID`). There are several if several records have the same content. findings: the current findings of all
    items that were detected in the photo, in px. rejected: the number of a model's findings that people
    removed.
    """

    sha256: str
    mime_type: str
    width: int
    height: int
    groups: tuple[str, ...]
    findings: tuple[Finding, ...]
    rejected: int

    @property
    def content_id(self) -> str:
        """The content ID of the file."""
        return cid(self.sha256)


@dataclass(frozen=True, slots=True)
class _DetectedItem:
    group: str
    findings: Sequence[Finding]
    rejected: int | None


def corrected_photos(session: Session) -> list[CorrectedPhoto]:
    """The photos in which a person corrected the findings of an item, by the SHA-256 of their content.

    A photo of several items has the findings of all of them: without those of the other items, training would
    take their places for undamaged surface. A photo whose file was deleted is left out.
    """
    with session.execute(_ITEMS.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        detected_items = [item for row in rows for item in _detected_items(row)]
    files = _pictures(session, sorted({file_id for file_id, _ in detected_items}))
    photos: defaultdict[str, list[_DetectedItem]] = defaultdict(list)
    file_by_sha256: dict[str, FileRow] = {}
    for file_id, item in detected_items:
        if (file := files.get(file_id)) is not None:
            photos[file.sha256].append(item)
            file_by_sha256.setdefault(file.sha256, file)
    corrected_photos = []
    for sha256, items in sorted(photos.items()):
        if all(item.rejected is None for item in items):
            continue
        file = file_by_sha256[sha256]
        corrected_photos.append(
            CorrectedPhoto(
                sha256,
                file.mime_type,
                file.width or 0,
                file.height or 0,
                tuple(sorted({item.group for item in items})),
                tuple(finding for item in items for finding in item.findings),
                sum(item.rejected or 0 for item in items),
            )
        )
    return corrected_photos


def _pictures(session: Session, file_ids: Sequence[str]) -> dict[str, FileRow]:
    """Read the rows of those files that are images, by file ID."""
    files: dict[str, FileRow] = {}
    for start in range(0, len(file_ids), _ROWS_AT_ONCE):
        ids = file_ids[start : start + _ROWS_AT_ONCE]
        rows = session.exec(select_rows(FileRow).where(col(FileRow.file_id).in_(ids)))
        files |= {row.file_id: row for row in rows if row.width and row.height}
    return files


def _detected_items(row: Row[*tuple[Any, ...]]) -> Iterator[tuple[str, _DetectedItem]]:
    """The ID of the file in which the item of `row` was detected, with its current findings; or nothing."""
    entries: list[Entry] = json.loads(row.result)
    current = results.finished_detection(entries)
    image = None if current is None else current.get("inputImage")
    file_id = image.get("file_id") if isinstance(image, Mapping) else None
    if current is None or not isinstance(file_id, str):
        return
    group = f"record {row.inspection_id}" if row.aircraft_id is None else f"aircraft {row.aircraft_id}"
    current_findings = findings.read_findings(current)
    rejected: int | None = None
    if results.is_correction(current):
        model_findings = findings.read_findings(results.original_detection(entries, current))
        rejected = max(len(model_findings) - sum(not finding.is_drawn for finding in current_findings), 0)
    yield file_id, _DetectedItem(group, current_findings, rejected)


SPLITS: Final = ("train", "val", "test")

Parts = dict[str, list[CorrectedPhoto]]


def _parse_shares(value: str) -> tuple[Fraction, ...]:
    try:
        shares = tuple(Fraction(part) for part in value.split("/"))
        if len(shares) == len(SPLITS) and min(shares) >= 0 and sum(shares) == 1 and shares[0] > 0:
            return shares
    except (ValueError, ZeroDivisionError):
        pass
    raise argparse.ArgumentTypeError("give three shares that add up to 1, for example 0.8/0.1/0.1")


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Run `training-set`. Returns 0 on success, 1 if it is not possible now."""
    parser = argparse.ArgumentParser(
        prog="walkaround training-set",
        description="write the photos with findings that people corrected as a data set to train a detector",
    )
    parser.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    parser.add_argument("--format", choices=_WRITERS, required=True, help="format of the labels")
    parser.add_argument(
        "--split",
        type=_parse_shares,
        default=_parse_shares("0.8/0.1/0.1"),
        metavar="TRAIN/VAL/TEST",
        help="shares of the photos; the photos of an aircraft are in one split (default 0.8/0.1/0.1)",
    )
    options = parser.parse_args(arguments[1:])
    target: Path = options.out
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        print(f"walkaround training-set: {target} is not an empty folder: name another one", file=sys.stderr)
        return 1
    database = Database(settings.url)
    contents = file_contents(settings)
    try:
        if (sentence := unusable_database(database)) is not None:
            print(sentence)
            return 1
        photos = database.read_now(corrected_photos)
        if not photos:
            print("no findings were corrected yet: there is nothing to train with")
            return 1
        parts = split(photos, options.split)
        lost_count = _copy_photos(parts, contents, target)
    finally:
        contents.close()
        database.close()
    _WRITERS[options.format](parts, target)
    for name, part in parts.items():
        print(_summary(name, part))
    if lost_count:
        print(f"{lost_count} photos were left out: their files are lost", file=sys.stderr)
    return 0


def split(photos: Sequence[CorrectedPhoto], shares: Sequence[Fraction]) -> Parts:
    """Divide the photos into splits; the same photos always give the same splits.

    All photos of one aircraft are in the same split, as are all photos of a record without an aircraft.
    Groups that share a photo's content are joined. The groups are assigned in order of size, each to the
    split that lacks most photos.
    """
    groups = _group_photos(photos)
    order = sorted(
        groups.items(), key=lambda pair: (-len(pair[1]), hashlib.sha256(pair[0].encode()).digest())
    )
    parts: Parts = {name: [] for name in SPLITS}
    for _, members in order:
        missing_counts = [
            share * len(photos) - len(parts[name]) if share else Fraction(-len(photos) - 1)
            for name, share in zip(SPLITS, shares, strict=True)
        ]
        parts[SPLITS[missing_counts.index(max(missing_counts))]] += members
    return {name: sorted(part, key=lambda photo: photo.sha256) for name, part in parts.items()}


def _group_photos(photos: Sequence[CorrectedPhoto]) -> dict[str, list[CorrectedPhoto]]:
    """Return the photos by the first name of their joined groups."""
    leaders: dict[str, str] = {}

    def find_leader(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            name = leaders[name]
        return name

    for photo in photos:
        first, *others = sorted(map(find_leader, photo.groups))
        for other in others:
            leaders[other] = first
    by_leader: defaultdict[str, list[CorrectedPhoto]] = defaultdict(list)
    for photo in photos:
        by_leader[find_leader(photo.groups[0])].append(photo)
    return by_leader


def _copy_photos(parts: Parts, contents: Contents, target: Path) -> int:
    """Copy the photos; remove photos with lost files from `parts` and return their number. Raises OSError."""
    lost_count = 0
    for name, part in parts.items():
        folder = target / "images" / name
        folder.mkdir(parents=True)
        for photo in list(part):
            try:
                shutil.copyfile(contents.path(photo.sha256), folder / _file_name(photo))
            except FileNotFoundError:
                part.remove(photo)
                lost_count += 1
    return lost_count


def _file_name(photo: CorrectedPhoto) -> str:
    return f"{photo.sha256[:24]}{ENDINGS[photo.mime_type][0]}"


def _classes(parts: Parts) -> list[str]:
    return sorted(
        {
            clean_class_name(finding.label)
            for part in parts.values()
            for photo in part
            for finding in photo.findings
        }
    )


def _boxes(photo: CorrectedPhoto) -> list[DatasetBox]:
    boxes = ((finding.label, finding.box.clamp(photo.width, photo.height)) for finding in photo.findings)
    return [
        DatasetBox(_file_name(photo), clean_class_name(label), box)
        for label, box in boxes
        if not box.is_empty
    ]


def _write_coco(parts: Parts, target: Path) -> None:
    """Write `annotations/SPLIT.json` next to `images/SPLIT/`, with the same categories in each."""
    classes = _classes(parts)
    (target / "annotations").mkdir()
    for name, part in parts.items():
        pictures = [
            DatasetPicture(_file_name(photo), photo.width, photo.height, photo.content_id) for photo in part
        ]
        document = build_coco_document(
            name, pictures, [box for photo in part for box in _boxes(photo)], classes
        )
        (target / "annotations" / f"{name}.json").write_text(document, encoding="utf-8")


def _write_yolo(parts: Parts, target: Path) -> None:
    """Write `labels/SPLIT/` next to `images/SPLIT/`, and `data.yaml`."""
    classes = {name: number for number, name in enumerate(_classes(parts))}
    for name, part in parts.items():
        folder = target / "labels" / name
        folder.mkdir(parents=True)
        for photo in part:
            rows = [
                yolo_row(classes[box.category], box.rect, photo.width, photo.height) for box in _boxes(photo)
            ]
            (folder / Path(_file_name(photo)).with_suffix(".txt").name).write_text("".join(rows), "utf-8")
    folders = {name: f"images/{name}" for name, part in parts.items() if part or name != "test"}
    (target / "data.yaml").write_text(yolo_yaml(classes, folders), encoding="utf-8")


_WRITERS: Final[dict[str, Callable[[Parts, Path], None]]] = {"coco": _write_coco, "yolo": _write_yolo}


def _summary(name: str, part: Sequence[CorrectedPhoto]) -> str:
    """Return a line with the numbers of photos, aircraft, records without aircraft, and findings."""
    groups = Counter(
        group.split(" ")[0] for group in {group_id for photo in part for group_id in photo.groups}
    )
    labels = Counter(box.category for photo in part for box in _boxes(photo))
    label_counts = ", ".join(f"{label} {count}" for label, count in sorted(labels.items()))
    return (
        f"{name}: {len(part)} photos of {groups['aircraft']} aircraft "
        f"and {groups['record']} records without one, "
        f"{labels.total()} findings{f' ({label_counts})' if label_counts else ''}, "
        f"{sum(not photo.findings for photo in part)} photos without any, "
        f"{sum(photo.rejected for photo in part)} rejected findings as background"
    )
