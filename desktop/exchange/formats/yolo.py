"""Writes and reads YOLO: two datasets, `regions/` and `findings/`, in one ZIP file.

Each has `labels/<picture>.txt` with a line ``class cx cy w h`` for each box, in fractions of the upright
picture with twelve decimals (a millionth of a pixel in the largest picture), `classes.txt` with a name on
each line, and `data.yaml`. The classes of regions are the items' names, those of findings their labels.
Unprintable characters in a name become spaces, so that it fits on one line. The format has no confidences and
no descriptions. If pictures are included, they are in the folder `images/` of each dataset.

Polygons of other programs are read as their bounding boxes.

Sources of the format: https://docs.ultralytics.com/datasets/detect/ and, for polygons,
https://docs.ultralytics.com/datasets/segment/.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.file_names import dataset_pictures, name_photos, reference_names, safe_name, stem
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fit_regions
from desktop.exchange.formats.archive import decode_text, is_archive, pack, unpack
from desktop.exchange.formats.walkaround_json import bounding_rect, parse_rect
from shared.datasets import clean_class_name, yolo_row, yolo_yaml
from shared.geometry import Rect

_CLASSES = "classes.txt"
_NAME_FILES = (_CLASSES, "obj.names", "_darknet.labels")
"""Files with the name of a class on each line, of this and other programs."""
_YAML = "data.yaml"
# The file is untrusted: these patterns match in a time that is linear in its length.
_MAX_YAML_LENGTH = 250_000
_NAMES_BLOCK = re.compile(r"^names:[ \t]*\n((?:[ \t]*(?:-|\d{1,9}[ \t]*:).*\n?)+)", re.MULTILINE)
_BLOCK_ROW = re.compile(r"^[ \t]*(?:-|(\d{1,9})[ \t]*:)(.*)$")
_NAMES_INLINE = re.compile(r"^names:[ \t]*(?=[\[{])", re.MULTILINE)
_INLINE_END = re.compile(r"[\]}]")


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Make a ZIP file of both datasets, without pictures."""
    return pack(files(inspection))


def pictures(inspection: Inspection) -> dict[str, ExportedPicture]:
    """The pictures of both datasets by their paths in the ZIP file."""
    return dataset_pictures(inspection, "regions/images", "findings/images")


def files(inspection: Inspection) -> dict[str, str]:
    """The files of both datasets as texts by their paths."""
    all_facts = inspection.facts()
    regions: dict[str, tuple[ExportedPicture, list[tuple[str, Rect]]]] = {}
    for picture, file_name in reference_names(inspection.reference, all_facts).items():
        on_picture = [facts for facts in all_facts if facts.reference == picture]
        boxes = [(facts.item.item_name, facts.region) for facts in on_picture if facts.region is not None]
        regions[safe_name(file_name, "reference")] = (picture, boxes)
    findings = {
        photo.file_name: (
            photo.picture,
            [(finding.label, finding.box) for facts in photo.items for finding in facts.findings],
        )
        for photo in name_photos(all_facts)
    }
    return {**_dataset("regions", regions), **_dataset("findings", findings)}


def _dataset(
    folder: str, pictures: dict[str, tuple[ExportedPicture, list[tuple[str, Rect]]]]
) -> dict[str, str]:
    names = [clean_class_name(name) for _, boxes in pictures.values() for name, _ in boxes]
    classes = {name: number for number, name in enumerate(dict.fromkeys(names))}
    texts = {
        f"{folder}/{_CLASSES}": "".join(f"{name}\n" for name in classes),
        f"{folder}/{_YAML}": yolo_yaml(classes, {"train": "images", "val": "images"}),
    }
    for file_name, (picture, boxes) in pictures.items():
        rows = (
            yolo_row(classes[clean_class_name(name)], rect, picture.width, picture.height)
            for name, rect in boxes
        )
        texts[f"{folder}/labels/{stem(file_name)}.txt"] = "".join(rows)
    return texts


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the boxes of a label file (TXT, without names) or of the picture `target` in a ZIP file.

    In a ZIP file, the label file with the name of `target` is read, else the only one. If the ZIP file has a
    folder `regions/`, only this folder is searched. Raises ExchangeError.
    """
    if not is_archive(data):
        return fit_regions(_drafts(decode_text(data), (), target), target)
    texts = unpack(data, ".txt", ".yaml", ".yml", ".names", ".labels")
    region_texts = {path: text for path, text in texts.items() if path.startswith("regions/")}
    texts = region_texts or texts
    labels = {path: text for path, text in texts.items() if _is_label(path)}
    wanted_stem = stem(safe_name(target.name, "reference"))
    matches = [text for path, text in labels.items() if stem(path) == wanted_stem]
    if len(matches) != 1 and len(labels) != 1:
        raise ExchangeError(Reason.WHICH_PICTURE if labels else Reason.UNREADABLE)
    text = matches[0] if len(matches) == 1 else next(iter(labels.values()))
    return fit_regions(_drafts(text, _class_names(texts), target), target)


def _is_label(path: str) -> bool:
    name = path.rsplit("/", 1)[-1].lower()
    lists = ("train.txt", "val.txt", "test.txt")
    return name.endswith(".txt") and name not in (_CLASSES, *lists) and not name.startswith("readme")


def _drafts(text: str, names: Sequence[str], target: ExportedPicture) -> list[ImportedRegion]:
    drafts = []
    for line in text.splitlines():
        columns = line.split()
        if not columns:
            continue
        fractions = _box_fractions(columns[1:])
        if fractions is None or not columns[0].isascii() or not columns[0].isdigit():
            raise ExchangeError(Reason.UNREADABLE)
        number = int(columns[0]) if len(columns[0]) < 10 else -1
        rect = Rect(
            fractions.x * target.width,
            fractions.y * target.height,
            fractions.w * target.width,
            fractions.h * target.height,
        )
        name = names[number] if 0 <= number < len(names) else ""
        drafts.append(ImportedRegion(name, rect, is_bounding_box=len(columns) > 6))
    return drafts


def _box_fractions(numbers: Sequence[str]) -> Rect | None:
    """The box of a line in fractions of the picture; None if the line is not a box.

    Four numbers are a box, a fifth is the confidence of a prediction, and six or more are the corners of a
    polygon.
    """
    if len(numbers) > 5:
        return bounding_rect(numbers)
    middle = parse_rect(numbers[:4]) if len(numbers) >= 4 else None
    if middle is None:
        return None
    return Rect(middle.x - middle.w / 2, middle.y - middle.h / 2, middle.w, middle.h)


def _class_names(files: dict[str, str]) -> list[str]:
    for path, text in files.items():
        if path.rsplit("/", 1)[-1].lower() in _NAME_FILES:
            return [line.strip() for line in text.splitlines()]
    for path, text in files.items():
        if path.lower().endswith((".yaml", ".yml")):
            return _yaml_names(text)
    return []


def _yaml_names(text: str) -> list[str]:
    """The class names of a data.yaml, in the three forms that programs write; empty for other forms."""
    text = text[:_MAX_YAML_LENGTH]
    inline = _NAMES_INLINE.search(text)
    end = None if inline is None else _INLINE_END.search(text, inline.end())
    if inline is not None and end is not None:
        literal = text[inline.end() : end.end()]
        try:
            names = ast.literal_eval(literal)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            names = [word.strip() for word in literal.strip("[]{}").split(",")]
        if isinstance(names, dict):
            return _names_in_order(
                {int(key): str(name) for key, name in names.items() if isinstance(key, int)}
            )
        return [str(name) for name in names] if isinstance(names, list) else []
    block = _NAMES_BLOCK.search(text)
    if block is None:
        return []
    names_by_number: dict[int, str] = {}
    for line in block.group(1).splitlines():
        row = _BLOCK_ROW.match(line)
        if row is not None:
            names_by_number[int(row.group(1) or len(names_by_number))] = _unquote(row.group(2).strip(" \t"))
    return _names_in_order(names_by_number)


def _names_in_order(names_by_number: dict[int, str]) -> list[str]:
    # A missing number gets an empty name. The length is limited because a number may be absurdly large.
    count = min(max(names_by_number, default=-1) + 1, 100_000)
    return [names_by_number.get(number, "") for number in range(count)]


def _unquote(word: str) -> str:
    if word[:1] in ("'", '"'):
        try:
            return str(ast.literal_eval(word))
        except (ValueError, SyntaxError):
            return word.strip("'\"")
    return word
