"""Writes and reads YOLO: two datasets, `regions/` and `findings/`, in one ZIP file.

Each has `labels/<picture>.txt` with a line ``class cx cy w h`` for each box, in fractions of the upright
picture with twelve decimals (a millionth of a pixel in the largest one), `classes.txt` with a name on each
line, and `data.yaml`. The classes of regions are the items' names, those of findings their labels. A name is
put on one line: unprintable characters become spaces. Confidences and descriptions have no
place in the format. With pictures, those of a dataset are in its folder `images/`.

Polygons of other programs are read as the box around them.

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
from desktop.exchange.data.file_names import dataset_pictures, named_photos, reference_names, safe_name, stem
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fitted
from desktop.exchange.formats.archive import is_archive, pack, text_of, unpack
from desktop.exchange.formats.walkaround_json import bounding_rect, rect_of
from shared.datasets import one_line, yolo_row, yolo_yaml
from shared.geometry import Rect

_CLASSES = "classes.txt"
_NAMES = (_CLASSES, "obj.names", "_darknet.labels")
"""Files with a name on each line: ours, and those that other programs write."""
_YAML = "data.yaml"
# These search an untrusted file in time linear in its length.
_MOST_YAML = 250_000
_BLOCK = re.compile(r"^names:[ \t]*\n((?:[ \t]*(?:-|\d{1,9}[ \t]*:).*\n?)+)", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*(?:-|(\d{1,9})[ \t]*:)(.*)$")
_INLINE = re.compile(r"^names:[ \t]*(?=[\[{])", re.MULTILINE)
_END = re.compile(r"[\]}]")


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Both datasets as a ZIP file, without pictures."""
    return pack(files(inspection))


def pictures(inspection: Inspection) -> dict[str, ExportedPicture]:
    """The pictures of both datasets by their paths in the ZIP file."""
    return dataset_pictures(inspection, "regions/images", "findings/images")


def files(inspection: Inspection) -> dict[str, str]:
    """Both datasets by the paths of their files."""
    all_facts = inspection.facts()
    regions: dict[str, tuple[ExportedPicture, list[tuple[str, Rect]]]] = {}
    for picture, file_name in reference_names(inspection.reference, all_facts).items():
        on_picture = [facts for facts in all_facts if facts.reference == picture]
        drawn = [(facts.item.item_name, facts.region) for facts in on_picture if facts.region is not None]
        regions[safe_name(file_name, "reference")] = (picture, drawn)
    findings = {
        photo.file_name: (
            photo.picture,
            [(finding.label, finding.box) for facts in photo.items for finding in facts.findings],
        )
        for photo in named_photos(all_facts)
    }
    return {**_dataset("regions", regions), **_dataset("findings", findings)}


def _dataset(
    folder: str, pictures: dict[str, tuple[ExportedPicture, list[tuple[str, Rect]]]]
) -> dict[str, str]:
    names = [one_line(name) for _, boxes in pictures.values() for name, _ in boxes]
    classes = {name: number for number, name in enumerate(dict.fromkeys(names))}
    texts = {
        f"{folder}/{_CLASSES}": "".join(f"{name}\n" for name in classes),
        f"{folder}/{_YAML}": yolo_yaml(classes, {"train": "images", "val": "images"}),
    }
    for file_name, (picture, boxes) in pictures.items():
        rows = (
            yolo_row(classes[one_line(name)], rect, picture.width, picture.height) for name, rect in boxes
        )
        texts[f"{folder}/labels/{stem(file_name)}.txt"] = "".join(rows)
    return texts


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """The boxes of a label file (TXT, then without names), or of the picture in a ZIP file that is `target`.

    In a ZIP file it is the label file named as `target`, else the only one; a folder `regions/` goes before
    all else. Raises ExchangeError.
    """
    if not is_archive(data):
        return fitted(_drafts(text_of(data), (), target), target)
    texts = unpack(data, ".txt", ".yaml", ".yml", ".names", ".labels")
    drawn = {path: text for path, text in texts.items() if path.startswith("regions/")}
    texts = drawn or texts
    labels = {path: text for path, text in texts.items() if _is_label(path)}
    wanted = stem(safe_name(target.name, "reference"))
    same = [text for path, text in labels.items() if stem(path) == wanted]
    if len(same) != 1 and len(labels) != 1:
        raise ExchangeError(Reason.WHICH_PICTURE if labels else Reason.UNREADABLE)
    text = same[0] if len(same) == 1 else next(iter(labels.values()))
    return fitted(_drafts(text, _names(texts), target), target)


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
        part = _box_fractions(columns[1:])
        if part is None or not columns[0].isascii() or not columns[0].isdigit():
            raise ExchangeError(Reason.UNREADABLE)
        number = int(columns[0]) if len(columns[0]) < 10 else -1
        rect = Rect(
            part.x * target.width, part.y * target.height, part.w * target.width, part.h * target.height
        )
        name = names[number] if 0 <= number < len(names) else ""
        drafts.append(ImportedRegion(name, rect, boxed=len(columns) > 6))
    return drafts


def _box_fractions(numbers: Sequence[str]) -> Rect | None:
    """The box of a line in fractions; None when the line is not a box.

    Four numbers are a box, a fifth the confidence of a prediction, six and more the corners of a polygon.
    """
    if len(numbers) > 5:
        return bounding_rect(numbers)
    middle = rect_of(numbers[:4]) if len(numbers) >= 4 else None
    if middle is None:
        return None
    return Rect(middle.x - middle.w / 2, middle.y - middle.h / 2, middle.w, middle.h)


def _names(files: dict[str, str]) -> list[str]:
    for path, text in files.items():
        if path.rsplit("/", 1)[-1].lower() in _NAMES:
            return [line.strip() for line in text.splitlines()]
    for path, text in files.items():
        if path.lower().endswith((".yaml", ".yml")):
            return _yaml_names(text)
    return []


def _yaml_names(text: str) -> list[str]:
    """The class names of a data.yaml, in the three forms that programs write them; empty for any other."""
    text = text[:_MOST_YAML]
    inline = _INLINE.search(text)
    end = None if inline is None else _END.search(text, inline.end())
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
    block = _BLOCK.search(text)
    if block is None:
        return []
    numbered: dict[int, str] = {}
    for line in block.group(1).splitlines():
        row = _ROW.match(line)
        if row is not None:
            numbered[int(row.group(1) or len(numbered))] = _unquoted(row.group(2).strip(" \t"))
    return _names_in_order(numbered)


def _names_in_order(numbered: dict[int, str]) -> list[str]:
    # Whatever number is left out has no name; a number beyond all reason makes no list of its length.
    most = min(max(numbered, default=-1) + 1, 100_000)
    return [numbered.get(number, "") for number in range(most)]


def _unquoted(word: str) -> str:
    if word[:1] in ("'", '"'):
        try:
            return str(ast.literal_eval(word))
        except (ValueError, SyntaxError):
            return word.strip("'\"")
    return word
