"""Writes and reads YOLO: two datasets, `regions/` and `findings/`, in one ZIP file.

Each has `labels/<picture>.txt` with a line ``class cx cy w h`` for each box, in fractions of the upright
picture with twelve decimals (a millionth of a pixel in the largest picture), `classes.txt` with a name on
each line, and `data.yaml`. The classes of regions are the items' names, those of findings their labels.
Unprintable characters in a name become spaces, so that it fits on one line. The format has no confidences and
no descriptions. If pictures are included, they are in the folder `images/` of each dataset.

Polygons, turned boxes and predictions of other programs are read as boxes; the number of values in a line
says which of them it is.

Sources of the format: https://docs.ultralytics.com/datasets/detect/ and, for polygons,
https://docs.ultralytics.com/datasets/segment/.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection
from desktop.exchange.data.file_names import (
    dataset_pictures,
    last_name,
    name_photos,
    reference_names,
    safe_name,
    same_stem,
    stem,
)
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    bounding_rect,
    choose,
    fit_regions,
    parse_rect,
)
from desktop.exchange.formats.archive import decode_text, is_archive, pack, refuse_unmarked, unpack
from shared.datasets import clean_class_name, yolo_row, yolo_yaml
from shared.record.geometry import Rect

_CLASSES = "classes.txt"
_NAME_FILES = (_CLASSES, "obj.names", "_darknet.labels", "predefined_classes.txt", "labels.txt")
"""Files with the name of a class on each line, of this and other programs."""
_YAML = "data.yaml"
_ROW = re.compile(r"\s*\d+(\.0*)?(\s+\S+){4,}\s*")
"""What a line of a label file begins with: the number of a class and four values."""
_VISIBILITIES = frozenset({"0", "1", "2", "0.0", "1.0", "2.0"})
"""Of a key point: not labelled, hidden, visible."""
_MAX_YAML_LENGTH = 250_000
_MAX_CLASSES = 100_000
_MAX_FRACTION = 2
"""Larger numbers are pixels, as trackers write them. A box may reach out of the picture."""


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
        return fit_regions(_drafts(decode_text(data), _Dataset(), target), target)
    texts = unpack(data, ".txt", ".yaml", ".yml", ".names", ".labels")
    region_texts = {path: text for path, text in texts.items() if path.startswith("regions/")}
    texts = region_texts or texts
    others = {path: text for path, text in texts.items() if not _is_names(path)}
    own_stem = stem(safe_name(target.name, "reference"))
    exact = [text for path, text in others.items() if stem(last_name(path)) == own_stem]
    matches = exact or [text for path, text in others.items() if same_stem(path, target.name)]
    labels = [text for text in others.values() if text in matches or _is_label(text)]
    if not matches:
        refuse_unmarked(data, target.name)
    text = choose(matches, labels)
    return fit_regions(_drafts(text, _read_dataset(texts), target), target)


@dataclass(frozen=True, slots=True)
class _Dataset:
    """The names of the classes, and the numbers of the key points of a box, 0 if it is unknown."""

    names: Sequence[str] = ()
    key_point_numbers: int = 0


def _is_names(path: str) -> bool:
    return last_name(path).lower() in _NAME_FILES or not path.lower().endswith(".txt")


def _is_label(text: str) -> bool:
    """Whether a text is no readme, licence or list of files. The label file of an empty picture is empty."""
    return all(_ROW.fullmatch(line) for line in text.splitlines() if line.strip())


def _drafts(text: str, dataset: _Dataset, target: ExportedPicture) -> list[ImportedRegion]:
    drafts = []
    for line in text.splitlines():
        columns = line.split()
        if not columns:
            continue
        number = _class_number(columns[0])
        box = _box_fractions(columns[1:], dataset.key_point_numbers)
        if number is None or box is None:
            raise ExchangeError(Reason.UNREADABLE)
        fractions, is_bounding_box = box
        rect = Rect(
            fractions.x * target.width,
            fractions.y * target.height,
            fractions.w * target.width,
            fractions.h * target.height,
        )
        name = dataset.names[number] if number < len(dataset.names) else ""
        drafts.append(ImportedRegion(name, rect, is_bounding_box=is_bounding_box))
    return drafts


def _class_number(text: str) -> int | None:
    """A whole number, which some programs write as 0.0; None for another text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and 0 <= number < 1e9 else None


def _box_fractions(numbers: Sequence[str], key_point_numbers: int) -> tuple[Rect, bool] | None:
    """The box of a line in fractions of the picture, and if it encloses another shape.

    None if the line is not a box. The number of values says what they are:

    - 4: a box; 5: with the confidence of a prediction; 6 with a whole number at the end: and with the id of a
      track, which the other forms may have as well
    - 4 and key points, as `kpt_shape` of the dataset or a visibility of 0, 1 or 2 at every third place shows
    - an even number from 6 on: the corners of a polygon or of a turned box; an odd one: with a confidence
    """
    count = len(numbers)
    has_track = count >= 6 and numbers[-1].isdigit() and (count == 6 or int(numbers[-1]) > 1)
    is_box = count in (4, 5) or (count == 6 and has_track) or _has_key_points(numbers, key_point_numbers)
    if is_box:
        rect = parse_rect(numbers[:4])
        rect = rect and Rect(rect.x - rect.w / 2, rect.y - rect.h / 2, rect.w, rect.h)
    else:
        behind = 2 if has_track and count % 2 == 0 else count % 2
        rect = bounding_rect(numbers[: count - behind]) if count >= 6 else None
    if rect is None or max(abs(rect.x), abs(rect.y), rect.w, rect.h) > _MAX_FRACTION:
        return None
    return rect, not is_box


def _has_key_points(numbers: Sequence[str], key_point_numbers: int) -> bool:
    behind = len(numbers) - 4
    if key_point_numbers:
        return 0 <= behind - key_point_numbers <= 2
    flags = numbers[6::3]
    return behind >= 3 and behind % 3 < 2 and bool(flags) and all(flag in _VISIBILITIES for flag in flags)


def _read_dataset(files: dict[str, str]) -> _Dataset:
    """The classes of the dataset from a file of names, else from data.yaml; key points from data.yaml."""
    documents = [_load_yaml(text) for path, text in files.items() if path.lower().endswith((".yaml", ".yml"))]
    names: list[str] = []
    points = 0
    for document in documents:
        names = names or _yaml_names(document.get("names"))
        shape = document.get("kpt_shape")
        if isinstance(shape, list) and len(shape) == 2 and all(str(side).isdigit() for side in shape):
            points = points or int(shape[0]) * int(shape[1])
    for path, text in files.items():
        if last_name(path).lower() in _NAME_FILES:
            names = [line.strip() for line in text.splitlines()]
            break
    return _Dataset(names, points)


def _load_yaml(text: str) -> dict[str, Any]:
    try:
        # Every value stays a text: a class may have the name "no" or "1".
        document = yaml.load(text[:_MAX_YAML_LENGTH], Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _yaml_names(names: Any) -> list[str]:
    """The class names of a data.yaml: a list, or a mapping from their numbers; empty for other values."""
    if isinstance(names, list):
        return [str(name) for name in names]
    if not isinstance(names, dict):
        return []
    by_number = {int(str(key)): str(name) for key, name in names.items() if str(key).isdigit()}
    # A missing number gets an empty name. The length is limited because a number may be absurdly large.
    count = min(max(by_number, default=-1) + 1, _MAX_CLASSES)
    return [by_number.get(number, "") for number in range(count)]
