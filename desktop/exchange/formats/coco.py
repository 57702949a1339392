"""Writes and reads COCO object detection: two datasets in one ZIP file.

`regions.json` holds the reference image, and others that items name, and the items' regions, their categories
being the items' names.
`findings.json` holds the photos and the findings of the newest finished detections, their categories being
the labels. They are two because they are two tasks: where to look, and what was seen. A box is
``[x, y, w, h]`` in px of the upright picture, cut to it; a finding without an area there is left out. Beyond
COCO, images have `ipfs_cid`, annotations of regions `attributes` (item_id, item_name, description,
model_id), those of findings `score` and `attributes` (item_id, item_name, drawn_by, severity, size_mm,
second_opinion).
With pictures, those of the two datasets are in `images/regions/` and `images/findings/`.

Source of the fields: the COCO data format, https://cocodataset.org/#format-data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.file_names import (
    NamedPhoto,
    dataset_pictures,
    named_photos,
    reference_names,
)
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fitted, scaled
from desktop.exchange.formats.archive import is_archive, pack, unpack
from desktop.exchange.formats.walkaround_json import bounding_rect, load, rect_of
from shared.datasets import DatasetBox, DatasetPicture, coco_document
from shared.geometry import Rect

REGIONS = "regions.json"
FINDINGS = "findings.json"


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Both datasets as a ZIP file, without pictures."""
    return pack(files(inspection))


def pictures(inspection: Inspection) -> dict[str, ExportedPicture]:
    """The pictures of both datasets by their paths in the ZIP file."""
    return dataset_pictures(inspection, "images/regions", "images/findings")


def files(inspection: Inspection) -> dict[str, str]:
    """Both datasets by their names."""
    all_facts = inspection.facts()
    photos, names = named_photos(all_facts), reference_names(inspection.reference, all_facts)
    drawn = []
    for facts in all_facts:
        if facts.region is not None and facts.reference is not None:
            item = facts.item
            attributes = {**_item(facts), "description": item.description, "model_id": item.model_id}
            more = {"attributes": attributes}
            drawn.append(DatasetBox(names[facts.reference], item.item_name, facts.region, more))
    finding_boxes = [box for photo in photos for facts in photo.items for box in _findings(photo, facts)]
    name = inspection.record.inspection_name or inspection.record.inspection_id
    references = {file_name: (file_name, picture) for picture, file_name in names.items() if picture}
    taken = {photo.file_name: (photo.file_name, photo.picture) for photo in photos}
    return {REGIONS: _dataset(name, references, drawn), FINDINGS: _dataset(name, taken, finding_boxes)}


def _item(facts: ItemFacts) -> dict[str, Any]:
    return {"item_id": facts.item.item_id, "item_name": facts.item.item_name}


def _findings(photo: NamedPhoto, facts: ItemFacts) -> Iterator[DatasetBox]:
    """The findings of an item that lie in its photo."""
    for finding in facts.findings:
        rect = finding.box.clamped(photo.picture.width, photo.picture.height)
        if rect.w > 0 and rect.h > 0:
            opinion = finding.second_opinion
            attributes = {
                **_item(facts),
                "drawn_by": finding.author,
                "severity": finding.severity or "",
                "size_mm": finding.size_mm,
                "second_opinion": None if opinion is None else opinion.value,
            }
            more = {"score": finding.confidence, "attributes": attributes}
            yield DatasetBox(photo.file_name, finding.label, rect, more)


def _dataset(
    name: str, pictures: Mapping[str, tuple[str, ExportedPicture]], boxes: Iterable[DatasetBox]
) -> str:
    shown = [
        DatasetPicture(file_name, picture.width, picture.height, picture.content_id)
        for file_name, picture in pictures.values()
    ]
    return coco_document(name, shown, boxes)


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """The boxes of the picture in a COCO file (JSON, or the ZIP that `write` makes) that is `target`.

    It is the one of the same content id, else of the same file name, else the only one; its boxes are scaled
    where the sizes differ. An annotation without a box has the one around its polygons. Raises ExchangeError.
    """
    document = _unpacked(data) if is_archive(data) else load(data)
    images, annotations = document.get("images"), document.get("annotations")
    if not isinstance(images, list) or not isinstance(annotations, list):
        raise ExchangeError(Reason.UNREADABLE)
    try:
        image = _choose_image([dict(image) for image in images], target)
        size = rect_of([0, 0, image.get("width"), image.get("height")])
        names = {category["id"]: str(category["name"]) for category in document.get("categories") or []}
        drafts = []
        for annotation in annotations:
            shape = annotation.get("segmentation")
            rect = rect_of(annotation.get("bbox")) or _bounding_rect_of_polygons(shape)
            if rect is None or annotation["image_id"] != image["id"]:
                continue
            attributes = annotation.get("attributes")
            attributes = attributes if isinstance(attributes, dict) else {}
            description, model_id = attributes.get("description"), attributes.get("model_id")
            drafts.append(
                ImportedRegion(
                    name=names.get(annotation.get("category_id"), ""),
                    rect=scaled(rect, None if size is None else (size.w, size.h), target),
                    description=description if isinstance(description, str) else None,
                    model_id=model_id if isinstance(model_id, str) else None,
                    boxed=_is_other_shape(shape, rect),
                )
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    return fitted(drafts, target)


def is_dataset(document: Mapping[str, Any]) -> bool:
    """True for what looks like COCO."""
    return isinstance(document.get("images"), list) and isinstance(document.get("annotations"), list)


def datasets(data: bytes) -> list[dict[str, Any]]:
    """The datasets of regions in a ZIP file: `regions.json`, else whatever other programs put there.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    documents = []
    for text in (unpack(data, REGIONS) or unpack(data, ".json")).values():
        try:
            documents.append(load(text.encode("utf-8")))
        except ExchangeError:
            # Next to the annotations such archives hold all sorts of notes.
            continue
    return [document for document in documents if is_dataset(document)]


def _unpacked(data: bytes) -> dict[str, Any]:
    documents = datasets(data)
    if len(documents) != 1:
        raise ExchangeError(Reason.WHICH_PICTURE if documents else Reason.UNREADABLE)
    return documents[0]


def _bounding_rect_of_polygons(polygons: Any) -> Rect | None:
    """The box around polygons ``[[x, y, x, y, ...], ...]``; None for anything else."""
    if not isinstance(polygons, list) or not all(isinstance(polygon, list) for polygon in polygons):
        return None
    return bounding_rect([number for polygon in polygons for number in polygon])


def _is_other_shape(shape: Any, box: Rect) -> bool:
    """True for polygons, or a mask, that are not just the box again."""
    if not shape:
        return False
    corners = sorted(
        [box.x, box.y, box.right, box.y, box.right, box.bottom, box.x, box.bottom],
    )
    polygon = shape[0] if isinstance(shape, list) and len(shape) == 1 and isinstance(shape[0], list) else []
    return len(polygon) != len(corners) or any(
        abs(a - b) > 1 for a, b in zip(sorted(polygon), corners, strict=True)
    )


def _choose_image(images: list[dict[str, Any]], target: ExportedPicture) -> dict[str, Any]:
    for key, value in (("ipfs_cid", target.content_id), ("file_name", target.name)):
        same = [image for image in images if value and image.get(key) == value]
        if len(same) == 1:
            return same[0]
    if len(images) != 1:
        raise ExchangeError(Reason.WHICH_PICTURE if images else Reason.NO_REGIONS)
    return images[0]
