"""Writes and reads CVAT for images 1.1: two annotation files in one ZIP file.

`regions.xml` contains the reference image, the other reference files of items, and the items' regions. Its
labels are the names of the items. `findings.xml` contains the photos and the findings of the newest finished
detections. The files are separate because they serve separate tasks: where to look, and what was found. Each
can be imported into a task with the labels that its `meta` lists.

A box is clamped to its upright picture; a finding without an area inside the picture is left out. Regions
have the attributes item_id, item_name, description and model_id; findings have item_id, item_name,
confidence, drawn_by, severity and size_mm. In addition to CVAT, images have `ipfs_cid`. If
pictures are included, they are in `images/regions/` and `images/findings/`.

Polygons, polylines, points, ellipses, masks, cuboids, skeletons and rotated boxes of other programs are read
as their bounding boxes. Tracks of a video are read in the frame that has the name of the picture, as CVAT
names its frames: frame_000012.png. A document with a DTD is refused, so that it cannot declare entities or
refer to other files.

Source of the format: https://docs.cvat.ai/docs/dataset_management/formats/format-cvat/.
"""

from __future__ import annotations

import contextlib
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import escape

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
    MAX_REGIONS,
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    bounding_rect,
    choose,
    ellipse_bounds,
    fit_regions,
    parse_rect,
    rotated_bounds,
    scale_rect,
)
from desktop.exchange.formats.archive import decode_xml, is_archive, pack, stream_xml, unpack
from shared.record.geometry import Rect

REGIONS = "regions.xml"
FINDINGS = "findings.xml"

_INVALID_CHARACTERS = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML 1.0 document cannot contain, not even escaped."""
_ENTITIES = {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_SHAPES = frozenset({"box", "polygon", "polyline", "points", "ellipse", "mask", "cuboid", "skeleton"})
_CUBOID_CORNERS = tuple(
    f"{axis}{corner}{face}" for face in "12" for corner in ("tl", "bl", "tr", "br") for axis in "xy"
)


@dataclass(frozen=True, slots=True)
class _Box:
    picture: str
    label: str
    rect: Rect
    attributes: Mapping[str, str]


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Make a ZIP file of both annotation files, without pictures."""
    return pack(files(inspection))


def pictures(inspection: Inspection) -> dict[str, ExportedPicture]:
    """The pictures of both files by their paths in the ZIP file."""
    return dataset_pictures(inspection, "images/regions", "images/findings")


def files(inspection: Inspection) -> dict[str, str]:
    """Both annotation files as texts by their names."""
    all_facts = inspection.facts()
    photos, names = name_photos(all_facts), reference_names(inspection.reference, all_facts)
    region_boxes = []
    for facts in all_facts:
        if facts.region is not None and facts.reference is not None:
            item = facts.item
            extra_attributes = {"description": item.description or "", "model_id": item.model_id or ""}
            region_boxes.append(
                _Box(
                    names[facts.reference],
                    item.item_name,
                    facts.region,
                    _item_attributes(facts) | extra_attributes,
                )
            )
    finding_boxes = [box for photo in photos for facts in photo.items for box in _finding_boxes(photo, facts)]
    name = inspection.record.inspection_name or inspection.record.inspection_id
    references = {file_name: picture for picture, file_name in names.items()}
    finding_photos = {photo.file_name: photo.picture for photo in photos}
    return {
        REGIONS: _document(name, references, region_boxes),
        FINDINGS: _document(name, finding_photos, finding_boxes),
    }


def _item_attributes(facts: ItemFacts) -> dict[str, str]:
    return {"item_id": facts.item.item_id, "item_name": facts.item.item_name}


def _finding_boxes(photo: NamedPhoto, facts: ItemFacts) -> Iterator[_Box]:
    """The findings of an item inside its photo."""
    for finding in facts.findings:
        rect = finding.box.clamp(photo.picture.width, photo.picture.height)
        if rect.w > 0 and rect.h > 0:
            size = "" if finding.size_mm is None else " x ".join(f"{side:g}" for side in finding.size_mm)
            attributes = {
                **_item_attributes(facts),
                "confidence": repr(finding.confidence),
                "drawn_by": finding.author,
                "severity": finding.severity or "",
                "size_mm": size,
            }
            yield _Box(photo.file_name, finding.label, rect, attributes)


def _document(name: str, images: Mapping[str, ExportedPicture], boxes: Iterable[_Box]) -> str:
    boxes = list(boxes)
    labels = dict.fromkeys(box.label for box in boxes)
    attributes = dict.fromkeys(attribute for box in boxes for attribute in box.attributes)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<annotations>",
        "<version>1.1</version>",
        f"<meta><task><name>{_escaped_text(name)}</name><size>{len(images)}</size><mode>annotation</mode><labels>",
    ]
    attribute_elements = "".join(
        f"<attribute><name>{attribute}</name><mutable>False</mutable><input_type>text</input_type>"
        "<default_value></default_value><values></values></attribute>"
        for attribute in attributes
    )
    lines += [
        f"<label><name>{_escaped_text(label)}</name><attributes>{attribute_elements}</attributes></label>"
        for label in labels
    ]
    lines.append("</labels></task></meta>")
    boxes_by_image: dict[str, list[_Box]] = {}
    for box in boxes:
        boxes_by_image.setdefault(box.picture, []).append(box)
    for number, (file_name, picture) in enumerate(images.items()):
        cid = "" if picture.content_id is None else f" ipfs_cid={_quoted_text(picture.content_id)}"
        lines.append(
            f'<image id="{number}" name={_quoted_text(file_name)} width="{picture.width}" '
            f'height="{picture.height}"{cid}>'
        )
        lines += [_box_element(box) for box in boxes_by_image.get(file_name, ())]
        lines.append("</image>")
    lines.append("</annotations>")
    return "\n".join(lines) + "\n"


def _box_element(box: _Box) -> str:
    rect = box.rect
    values = "".join(
        f"<attribute name={_quoted_text(name)}>{_escaped_text(value)}</attribute>"
        for name, value in box.attributes.items()
        if value
    )
    return (
        f'<box label={_quoted_text(box.label)} source="manual" occluded="0" xtl="{rect.x!r}" '
        f'ytl="{rect.y!r}" xbr="{rect.right!r}" ybr="{rect.bottom!r}" z_order="0">{values}</box>'
    )


def _quoted_text(text: str) -> str:
    return f'"{escape(_INVALID_CHARACTERS.sub(" ", text), _ENTITIES)}"'


def _escaped_text(text: str) -> str:
    return escape(_INVALID_CHARACTERS.sub(" ", text), {"\r": "&#13;"})


@dataclass(slots=True)
class _Image:
    """An image of a document, or a frame of its video, with its shapes in px of that image."""

    name: str
    content_id: str | None
    size: Rect | None = None
    drafts: list[ImportedRegion] = field(default_factory=list)
    without_area: int = 0

    def add(self, shape: ET.Element, label: str) -> None:
        if shape.tag not in _SHAPES or shape.get("outside") == "1":
            # A tag of the image, or the shape of a track that is not in this picture.
            return
        rect = _rect(shape)
        if rect is None:
            self.without_area += 1
        elif len(self.drafts) <= MAX_REGIONS:
            attributes = {attribute.get("name"): attribute.text for attribute in shape.iterfind("attribute")}
            is_bounding_box = shape.tag != "box" or bool(_rotation(shape))
            texts = attributes.get("description"), attributes.get("model_id")
            self.drafts.append(ImportedRegion(label, rect, *texts, is_bounding_box))


@dataclass(slots=True)
class _Document:
    """The images of a document that may be the picture `target`. The shapes of the others are not kept."""

    target: ExportedPicture
    first: _Image | None = None
    has_more: bool = False
    """Whether there are other images than the first."""
    matches: list[_Image] = field(default_factory=list)

    def add(self, image: _Image) -> _Image | None:
        """Return the image if its shapes are needed."""
        is_match = bool(image.content_id and image.content_id == self.target.content_id) or same_picture(
            image.name, self.target.name
        )
        if is_match:
            self.matches.append(image)
        if self.first is None:
            self.first = image
            return image
        self.has_more = True
        if self.first not in self.matches:
            self.first.drafts.clear()
        return image if is_match else None

    def best(self) -> list[_Image]:
        """The images with the content of the target, else those with its name, else with a similar one."""
        same_content = [image for image in self.matches if image.content_id == self.target.content_id]
        same_name = [image for image in self.matches if image.name == self.target.name]
        return (same_content if self.target.content_id else []) or same_name or self.matches


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the shapes of the picture `target` from an annotation file: XML, or a ZIP file of `write`.

    The picture is the one with the same content ID, else with the same file name, else the only one. Its
    shapes are scaled if the sizes differ. Raises ExchangeError.
    """
    document = _read_document(data, target)
    # Only the number of the other images counts.
    everything = [] if document.first is None else [document.first] * (2 if document.has_more else 1)
    image = choose(document.best(), everything, Reason.NO_REGIONS)
    size = None if image.size is None else (image.size.w, image.size.h)
    drafts = [replace(draft, rect=scale_rect(draft.rect, size, target)) for draft in image.drafts]
    return fit_regions(drafts, target, image.without_area)


def picture_names(data: bytes) -> list[str]:
    """The names of all images in an annotation file; empty if it is another document."""
    names: dict[str, None] = {}
    with contextlib.suppress(ExchangeError):
        for parent, shape in _parts(decode_xml(data)):
            if parent.tag == "image" and shape is None:
                names[parent.get("name", "")] = None
            elif parent.tag == "track" and shape is not None and shape.get("frame") is not None:
                names[_frame_name(shape)] = None
        return list(names)
    return []


def is_xml(data: bytes) -> bool:
    """Whether `data` begins like an XML document, after the byte order marks of UTF-8 and UTF-16."""
    return data[:4].lstrip(b"\xef\xbb\xbf\xfe\xff\x00 \r\n\t")[:1] == b"<"


def _read_document(data: bytes, target: ExportedPicture) -> _Document:
    if not is_archive(data):
        return _parse(decode_xml(data), target)
    documents = []
    for text in (unpack(data, REGIONS) or unpack(data, ".xml")).values():
        with contextlib.suppress(ExchangeError):
            documents.append(_parse(text, target))
    return choose([document for document in documents if document.matches], documents)


def _parse(text: str, target: ExportedPicture) -> _Document:
    """Read the images of a document, and the frames of its video as such. Raises ExchangeError."""
    document = _Document(target)
    image: _Image | None = None
    frames: dict[str, _Image | None] = {}
    size: Rect | None = None
    for parent, shape in _parts(text):
        if shape is None:
            if parent.tag == "image":
                found = _Image(parent.get("name", ""), parent.get("ipfs_cid"))
                found.size = parse_rect([0, 0, parent.get("width"), parent.get("height")])
                image = document.add(found)
        elif parent.tag == "image" and image is not None:
            image.add(shape, shape.get("label", ""))
        elif parent.tag == "track" and shape.get("frame") is not None:
            name = _frame_name(shape)
            if name not in frames:
                frames[name] = document.add(_Image(name, None, size))
            if (frame := frames[name]) is not None:
                frame.add(shape, parent.get("label", ""))
        elif parent.tag == "meta":
            for each in shape.iter("original_size"):
                size = parse_rect([0, 0, each.findtext("width"), each.findtext("height")])
    return document


def _frame_name(shape: ET.Element) -> str:
    return f"frame_{shape.get('frame', '').zfill(6)}.png"


def _parts(text: str) -> Iterator[tuple[ET.Element, ET.Element | None]]:
    """Each image, track and other part of a document with None, then with each of its children.

    Children are discarded afterwards, because a whole document takes ten times as much memory as its text.
    Raises ExchangeError (UNREADABLE).
    """
    open_elements: list[ET.Element] = []
    for is_start, element in stream_xml(text):
        if is_start:
            open_elements.append(element)
            if open_elements[0].tag != "annotations":
                raise ExchangeError(Reason.UNREADABLE)
            if len(open_elements) == 2:
                yield element, None
            continue
        open_elements.pop()
        if len(open_elements) == 2:
            yield open_elements[1], element
        if 1 <= len(open_elements) <= 2:
            open_elements[-1].remove(element)


def _rect(shape: ET.Element) -> Rect | None:
    """The bounding box of a shape; None if its coordinates are missing or invalid."""
    match shape.tag:
        case "box":
            box = bounding_rect([shape.get(key) for key in ("xtl", "ytl", "xbr", "ybr")])
            return None if box is None else rotated_bounds(box, _rotation(shape))
        case "ellipse":
            middle = parse_rect([shape.get(key) for key in ("cx", "cy", "rx", "ry")])
            return None if middle is None else ellipse_bounds(middle, _rotation(shape))
        case "mask":
            return parse_rect([shape.get(key) for key in ("left", "top", "width", "height")])
        case "cuboid":
            return bounding_rect([shape.get(key) for key in _CUBOID_CORNERS])
        case "skeleton":
            return bounding_rect(_numbers(";".join(_skeleton_points(shape))))
        case _:
            return bounding_rect(_numbers(shape.get("points", "")))


def _skeleton_points(skeleton: ET.Element) -> list[str]:
    """The points of its visible parts."""
    return [part.get("points", "") for part in skeleton.iterfind("*[@points]") if part.get("outside") != "1"]


def _numbers(points: str) -> list[str]:
    return points.replace(";", ",").split(",") if points else []


def _rotation(shape: ET.Element) -> float:
    """The rotation of a shape in radians, clockwise; 0 if there is none."""
    try:
        angle = math.radians(float(shape.get("rotation", 0)))
    except ValueError:
        return 0.0
    return angle if math.isfinite(angle) else 0.0
