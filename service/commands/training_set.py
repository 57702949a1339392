"""Runs `walkaround training-set`: the findings that people corrected, as a set to train a detector with."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from service.db.database import Database
from service.db.schema import current_revision, newest_revision
from service.settings import Settings
from service.stores.contents import Contents, file_contents
from service.training_facts import CorrectedPhoto, corrected_photos
from shared.datasets import DatasetBox, DatasetPicture, coco_document, one_line, yolo_row, yolo_yaml

SPLITS: Final = ("train", "val", "test")
_SUFFIXES: Final = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}

Parts = dict[str, list[CorrectedPhoto]]


def _shares(value: str) -> tuple[Fraction, ...]:
    try:
        shares = tuple(Fraction(part) for part in value.split("/"))
        if len(shares) == len(SPLITS) and min(shares) >= 0 and sum(shares) == 1 and shares[0] > 0:
            return shares
    except (ValueError, ZeroDivisionError):
        pass
    raise argparse.ArgumentTypeError("give three shares that add up to 1, for example 0.8/0.1/0.1")


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Run `training-set`; 0 done, 1 not possible now."""
    parser = argparse.ArgumentParser(
        prog="walkaround training-set",
        description="write the photos with findings that people corrected as a data set to train a detector",
    )
    parser.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    parser.add_argument("--format", choices=_WRITERS, required=True, help="format of the labels")
    parser.add_argument(
        "--split",
        type=_shares,
        default=_shares("0.8/0.1/0.1"),
        metavar="TRAIN/VAL/TEST",
        help="shares of the photos; the photos of an aircraft are in one split (default 0.8/0.1/0.1)",
    )
    options = parser.parse_args(arguments[1:])
    out: Path = options.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        print(f"walkaround training-set: {out} is not an empty folder: name another one", file=sys.stderr)
        return 1
    database = Database(settings.url)
    contents = file_contents(settings)
    try:
        if database.is_sqlite and not Path(database.url.database or "").is_file():
            print(f"there is no database at {database.url.database}: name the data directory with --data-dir")
            return 1
        if current_revision(database) != newest_revision():
            print("the database is of another version of the program: start the service once, then try again")
            return 1
        photos = database.read_now(corrected_photos)
        if not photos:
            print("no findings were corrected yet: there is nothing to train with")
            return 1
        parts = split(photos, options.split)
        lost = _copy(parts, contents, out)
    finally:
        contents.close()
        database.close()
    _WRITERS[options.format](parts, out)
    for name, part in parts.items():
        print(_summary(name, part))
    if lost:
        print(f"{lost} photos were left out: their files are lost", file=sys.stderr)
    return 0


def split(photos: Sequence[CorrectedPhoto], shares: Sequence[Fraction]) -> Parts:
    """The photos by their split; the same photos give the same splits.

    All photos of an aircraft are in one split, or of a record without one, and so are those of all whose
    photos have a content in common. The largest group comes first, each to the split that lacks most.
    """
    groups = _groups(photos)
    order = sorted(
        groups.items(), key=lambda pair: (-len(pair[1]), hashlib.sha256(pair[0].encode()).digest())
    )
    parts: Parts = {name: [] for name in SPLITS}
    for _, members in order:
        lacking = [
            share * len(photos) - len(parts[name]) if share else Fraction(-len(photos) - 1)
            for name, share in zip(SPLITS, shares, strict=True)
        ]
        parts[SPLITS[lacking.index(max(lacking))]] += members
    return {name: sorted(part, key=lambda photo: photo.sha256) for name, part in parts.items()}


def _groups(photos: Sequence[CorrectedPhoto]) -> dict[str, list[CorrectedPhoto]]:
    """The photos by the first name of all groups that belong together."""
    leaders: dict[str, str] = {}

    def leader(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            name = leaders[name]
        return name

    for photo in photos:
        first, *others = sorted(map(leader, photo.groups))
        for other in others:
            leaders[other] = first
    by_leader: defaultdict[str, list[CorrectedPhoto]] = defaultdict(list)
    for photo in photos:
        by_leader[leader(photo.groups[0])].append(photo)
    return by_leader


def _copy(parts: Parts, contents: Contents, out: Path) -> int:
    """Copy the photos and take those off `parts` that are lost; gives how many. Raises OSError."""
    lost = 0
    for name, part in parts.items():
        folder = out / "images" / name
        folder.mkdir(parents=True)
        for photo in list(part):
            try:
                shutil.copyfile(contents.path(photo.sha256), folder / _file_name(photo))
            except FileNotFoundError:
                part.remove(photo)
                lost += 1
    return lost


def _file_name(photo: CorrectedPhoto) -> str:
    return f"{photo.sha256[:24]}{_SUFFIXES.get(photo.mime_type, '.img')}"


def _classes(parts: Parts) -> list[str]:
    return sorted(
        {one_line(finding.label) for part in parts.values() for photo in part for finding in photo.findings}
    )


def _boxes(photo: CorrectedPhoto) -> list[DatasetBox]:
    boxes = ((finding.label, finding.box.clamped(photo.width, photo.height)) for finding in photo.findings)
    return [DatasetBox(_file_name(photo), one_line(label), box) for label, box in boxes if not box.empty]


def _write_coco(parts: Parts, out: Path) -> None:
    """`annotations/SPLIT.json` beside `images/SPLIT/`, the same categories in each."""
    classes = _classes(parts)
    (out / "annotations").mkdir()
    for name, part in parts.items():
        pictures = [
            DatasetPicture(_file_name(photo), photo.width, photo.height, photo.content_id) for photo in part
        ]
        document = coco_document(name, pictures, [box for photo in part for box in _boxes(photo)], classes)
        (out / "annotations" / f"{name}.json").write_text(document, encoding="utf-8")


def _write_yolo(parts: Parts, out: Path) -> None:
    """`labels/SPLIT/` beside `images/SPLIT/`, and `data.yaml`. A photo without findings has no lines."""
    classes = {name: number for number, name in enumerate(_classes(parts))}
    for name, part in parts.items():
        folder = out / "labels" / name
        folder.mkdir(parents=True)
        for photo in part:
            rows = [
                yolo_row(classes[box.category], box.rect, photo.width, photo.height) for box in _boxes(photo)
            ]
            (folder / Path(_file_name(photo)).with_suffix(".txt").name).write_text("".join(rows), "utf-8")
    folders = {name: f"images/{name}" for name, part in parts.items() if part or name != "test"}
    (out / "data.yaml").write_text(yolo_yaml(classes, folders), encoding="utf-8")


_WRITERS: Final[dict[str, Callable[[Parts, Path], None]]] = {"coco": _write_coco, "yolo": _write_yolo}


def _summary(name: str, part: Sequence[CorrectedPhoto]) -> str:
    """One line: photos, from how many aircraft and records without one, findings by class, background."""
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
