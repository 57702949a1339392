"""Writes and reads COCO object detection: two datasets in one ZIP file.

`regions.json` contains the reference image, the other reference files of items, and the items' regions. Its
categories are the names of the items. `findings.json` contains the photos and the findings of the newest
finished detections. Its categories are the labels. The datasets are separate because they serve separate
tasks: where to look, and what was found.

A box is ``[x, y, w, h]`` in px of the upright picture and is clamped to it; a finding without an area inside
the picture is left out. In addition to COCO, images have `ipfs_cid`, annotations of regions have `attributes`
(item_id, item_name, description, model_id), and those of findings have `score` and `attributes` (item_id,
item_name, drawn_by, severity, size_mm). If pictures are included, they are in
`images/regions/` and `images/findings/`.

Source of the fields: the COCO data format, https://cocodataset.org/#format-data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts
from desktop.exchange.data.file_names import (
    NamedPhoto,
    dataset_pictures,
    name_photos,
    reference_names,
    same_picture,
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
    rotated_bounds,
    scale_rect,
)
from desktop.exchange.formats.archive import is_archive, pack, unpack
from desktop.exchange.formats.walkaround_json import load
from shared.datasets import DatasetBox, DatasetPicture, build_coco_document
from shared.record.geometry import Rect

REGIONS = "regions.json"
FINDINGS = "findings.json"


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Make a ZIP file of both datasets, without pictures."""
    return pack(files(inspection))


def pictures(inspection: Inspection) -> dict[str, ExportedPicture]:
    """The pictures of both datasets by their paths in the ZIP file."""
    return dataset_pictures(inspection, "images/regions", "images/findings")


def files(inspection: Inspection) -> dict[str, str]:
    """Both datasets as texts by their file names."""
    all_facts = inspection.facts()
    photos, names = name_photos(all_facts), reference_names(inspection.reference, all_facts)
    region_boxes = []
    for facts in all_facts:
        if facts.region is not None and facts.reference is not None:
            item = facts.item
            attributes = {
                **_item_attributes(facts),
                "description": item.description,
                "model_id": item.model_id,
            }
            extra_fields = {"attributes": attributes}
            region_boxes.append(
                DatasetBox(names[facts.reference], item.item_name, facts.region, extra_fields)
            )
    finding_boxes = [box for photo in photos for facts in photo.items for box in _finding_boxes(photo, facts)]
    name = inspection.record.inspection_name or inspection.record.inspection_id
    references = {file_name: (file_name, picture) for picture, file_name in names.items() if picture}
    finding_photos = {photo.file_name: (photo.file_name, photo.picture) for photo in photos}
    return {
        REGIONS: _dataset(name, references, region_boxes),
        FINDINGS: _dataset(name, finding_photos, finding_boxes),
    }


def _item_attributes(facts: ItemFacts) -> dict[str, Any]:
    return {"item_id": facts.item.item_id, "item_name": facts.item.item_name}


def _finding_boxes(photo: NamedPhoto, facts: ItemFacts) -> Iterator[DatasetBox]:
    """The findings of an item inside its photo."""
    for finding in facts.findings:
        rect = finding.box.clamp(photo.picture.width, photo.picture.height)
        if rect.w > 0 and rect.h > 0:
            attributes = {
                **_item_attributes(facts),
                "drawn_by": finding.author,
                "severity": finding.severity or "",
                "size_mm": finding.size_mm,
            }
            extra_fields = {"score": finding.confidence, "attributes": attributes}
            yield DatasetBox(photo.file_name, finding.label, rect, extra_fields)


def _dataset(
    name: str, pictures: Mapping[str, tuple[str, ExportedPicture]], boxes: Iterable[DatasetBox]
) -> str:
    entries = [
        DatasetPicture(file_name, picture.width, picture.height, picture.content_id)
        for file_name, picture in pictures.values()
    ]
    return build_coco_document(name, entries, boxes)


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the boxes of the picture `target` from a COCO file: JSON, or a ZIP file as `write` makes it.

    The picture is the one with the same content ID, else with the same file name, else the only one. Its
    boxes are scaled if the sizes differ. For an annotation without a box, the box around its polygons is
    used. Raises ExchangeError.
    """
    document = _unpack_dataset(data, target) if is_archive(data) else load(data)
    images, annotations = document.get("images"), document.get("annotations")
    if not isinstance(images, list) or not isinstance(annotations, list):
        raise ExchangeError(Reason.UNREADABLE)
    try:
        images = [dict(image) for image in images if image is not None]
        image = choose(_matching_images(images, target), images, Reason.NO_REGIONS)
        size = parse_rect([0, 0, image.get("width"), image.get("height")])
        categories = [category for category in document.get("categories") or [] if category]
        names = {_key(category.get("id")): str(category.get("name", "")) for category in categories}
        drafts, without_area = [], 0
        for annotation in annotations:
            if annotation is None or _key(annotation.get("image_id")) != _key(image["id"]):
                continue
            shape = annotation.get("segmentation")
            rect = parse_rect(annotation.get("bbox"))
            if rect is None or rect.is_empty:
                rect = _bounding_rect_of_shape(shape) or rect
            if rect is None:
                without_area += 1
                continue
            attributes = annotation.get("attributes")
            attributes = attributes if isinstance(attributes, dict) else {}
            # CVAT exports a rotated box unturned, and its angle in degrees.
            angle = attributes.get("rotation")
            angle = math.radians(angle) if isinstance(angle, int | float) else 0.0
            turned = rotated_bounds(rect, angle) or rect
            description, model_id = attributes.get("description"), attributes.get("model_id")
            drafts.append(
                ImportedRegion(
                    name=names.get(_key(annotation.get("category_id")), ""),
                    rect=scale_rect(turned, None if size is None else (size.w, size.h), target),
                    description=description if isinstance(description, str) else None,
                    model_id=model_id if isinstance(model_id, str) else None,
                    is_bounding_box=turned != rect or _is_other_shape(shape, rect),
                )
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    return fit_regions(drafts, target, without_area)


def _key(number: object) -> str:
    """An id as a text: some programs write the numbers of one of the lists as texts, or as 1.0."""
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)


def is_dataset(document: Mapping[str, Any]) -> bool:
    """Whether a JSON document looks like COCO."""
    return isinstance(document.get("images"), list) and isinstance(document.get("annotations"), list)


def datasets(data: bytes) -> list[dict[str, Any]]:
    """Read the datasets of regions in a ZIP file: `regions.json`, else every JSON file that looks like COCO.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    documents = []
    for text in (unpack(data, REGIONS) or unpack(data, ".json")).values():
        try:
            documents.append(load(text.encode("utf-8")))
        except ExchangeError:
            # Archives of other programs also contain other JSON files.
            continue
    return [document for document in documents if is_dataset(document)]


def _unpack_dataset(data: bytes, target: ExportedPicture) -> dict[str, Any]:
    """The only dataset of a ZIP file, or the only one that names `target`, such as one of several splits."""
    documents = datasets(data)
    # COCO has the captions and the key points of the same pictures in files of their own.
    documents = [document for document in documents if _has_boxes(document)] or documents
    matches = [document for document in documents if _matching_images(document["images"], target)]
    return choose(matches, documents)


def _has_boxes(document: Mapping[str, Any]) -> bool:
    found = (annotation for annotation in document["annotations"] if isinstance(annotation, dict))
    return any("bbox" in annotation and "keypoints" not in annotation for annotation in found)


def _bounding_rect_of_shape(shape: Any) -> Rect | None:
    """The bounding box of polygons ``[[x, y, x, y, ...], ...]`` or of a mask; None for other values."""
    return _bounding_rect_of_mask(shape) if isinstance(shape, dict) else _bounding_rect_of_polygons(shape)


def _bounding_rect_of_mask(mask: Mapping[str, Any]) -> Rect | None:
    """The bounding box of an uncompressed mask: the lengths of runs outside and inside, column by column."""
    counts, size = mask.get("counts"), mask.get("size")
    if not isinstance(counts, list) or not isinstance(size, list) or len(size) != 2:
        return None
    height, start = int(size[0]), 0
    rows: list[int] = []
    columns: list[int] = []
    for place, length in enumerate(int(count) for count in counts):
        end = start + length
        if place % 2 and length > 0 < height:
            columns += [start // height, (end - 1) // height]
            first, last = start % height, (end - 1) % height
            rows += [first, last] if start // height == (end - 1) // height else [0, height - 1]
        start = end
    if not rows:
        return None
    x, y = min(columns), min(rows)
    return parse_rect([x, y, max(columns) + 1 - x, max(rows) + 1 - y])


def _bounding_rect_of_polygons(polygons: Any) -> Rect | None:
    if not isinstance(polygons, list):
        return None
    if not any(isinstance(polygon, list) for polygon in polygons):
        # Some programs write the numbers of one polygon without a list around it.
        return bounding_rect(polygons)
    if not all(isinstance(polygon, list) for polygon in polygons):
        return None
    return bounding_rect([number for polygon in polygons for number in polygon])


def _is_other_shape(shape: Any, box: Rect) -> bool:
    """Whether `shape` is a mask, or polygons other than the outline of `box`."""
    if not shape:
        return False
    corners = sorted(
        [box.x, box.y, box.right, box.y, box.right, box.bottom, box.x, box.bottom],
    )
    polygon = shape[0] if isinstance(shape, list) and len(shape) == 1 and isinstance(shape[0], list) else []
    return len(polygon) != len(corners) or any(
        abs(a - b) > 1 for a, b in zip(sorted(polygon), corners, strict=True)
    )


def _matching_images(images: Iterable[Any], target: ExportedPicture) -> list[dict[str, Any]]:
    """The images with the content of `target`, else those with its name, else those with a similar name."""
    found = [image for image in images if isinstance(image, dict)]
    content_id, name = target.content_id, target.name
    same_content = [image for image in found if content_id and image.get("ipfs_cid") == content_id]
    same_name = [image for image in found if image.get("file_name") == name]
    similar = [image for image in found if same_picture(image.get("file_name"), name)]
    return same_content or same_name or similar
