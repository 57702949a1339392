"""Writes and reads CVAT for images 1.1: two annotation files in one ZIP file.

`regions.xml` contains the reference image, the other reference files of items, and the items' regions. Its
labels are the names of the items. `findings.xml` contains the photos and the findings of the newest finished
detections. The files are separate because they serve separate tasks: where to look, and what was found. Each
can be imported into a task with the labels that its `meta` lists.

A box is clamped to its upright picture; a finding without an area inside the picture is left out. Regions
have the attributes item_id, item_name, description and model_id; findings have item_id, item_name,
confidence, drawn_by, severity, size_mm and second_opinion. In addition to CVAT, images have `ipfs_cid`. If
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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.file_names import (
    NamedPhoto,
    dataset_pictures,
    name_photos,
    reference_names,
    same_picture,
)
from desktop.exchange.data.imported_regions import (
    MAX_REGIONS,
    ImportedRegion,
    ImportedRegions,
    choose,
    fit_regions,
    scale_rect,
)
from desktop.exchange.data.outlines import bounding_rect, ellipse_bounds, parse_rect, rotated_bounds
from desktop.exchange.formats.archive import decode_xml, is_archive, pack, unpack
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
_MAX_DEPTH = 50


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
            opinion = finding.second_opinion
            attributes = {
                **_item_attributes(facts),
                "confidence": repr(finding.confidence),
                "drawn_by": finding.author,
                "severity": finding.severity or "",
                "size_mm": size,
                "second_opinion": "" if opinion is None else repr(opinion.value),
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


# --- reading ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Shape:
    kind: str
    xml_attributes: Mapping[str, str]
    attributes: dict[str, str] = field(default_factory=dict)
    points: list[str] = field(default_factory=list)
    """The points of the parts of a skeleton."""


@dataclass(slots=True)
class _Image:
    xml_attributes: Mapping[str, str]
    shapes: list[_Shape] = field(default_factory=list)


class _Reader:
    """Collects the images and shapes of a document while expat parses it."""

    def __init__(self) -> None:
        self.images: list[_Image] = []
        self._path: list[str] = []
        self._image: _Image | None = None
        self._track = ""
        self._frames: dict[str, _Image] = {}
        self._video_size: dict[str, str] = {}
        self._shape: _Shape | None = None
        self._attribute: str | None = None
        self._count = 0

    def read(self, text: str) -> None:
        """Read a whole document. Raises ExchangeError (UNREADABLE, TOO_LARGE)."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._add_characters
        try:
            # For a text, expat ignores the encoding that the document declares.
            parser.Parse(text, True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise ExchangeError(Reason.UNREADABLE) from error
        for number, image in self._frames.items():
            image.xml_attributes = {"name": f"frame_{number.zfill(6)}.png", **self._video_size}
            self.images.append(image)

    def _refuse_doctype(self, *_: object) -> None:
        raise ExchangeError(Reason.UNREADABLE)

    def _start_element(self, name: str, xml_attributes: dict[str, str]) -> None:
        if (not self._path and name != "annotations") or len(self._path) >= _MAX_DEPTH:
            raise ExchangeError(Reason.UNREADABLE)
        self._path.append(name)
        if name == "image" and len(self._path) == 2:
            self._image = _Image(xml_attributes)
            self.images.append(self._image)
        elif name == "track" and len(self._path) == 2:
            self._track = xml_attributes.get("label", "")
        elif len(self._path) == 3 and self._path[1] == "track" and "frame" in xml_attributes:
            xml_attributes = {"label": self._track, **xml_attributes}
            self._image = self._frames.setdefault(xml_attributes["frame"], _Image({}))
            self._add_shape(name, xml_attributes)
        elif self._image is None:
            return
        elif self._shape is not None and name == "attribute":
            self._attribute = xml_attributes.get("name", "")
        elif self._shape is not None and self._shape.kind == "skeleton" and "points" in xml_attributes:
            if xml_attributes.get("outside") != "1":
                self._shape.points.append(xml_attributes["points"])
        elif self._shape is None and name in _SHAPES:
            self._add_shape(name, xml_attributes)

    def _add_shape(self, kind: str, xml_attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_REGIONS * 10:
            raise ExchangeError(Reason.TOO_LARGE)
        self._shape = _Shape(kind, xml_attributes)
        assert self._image is not None
        self._image.shapes.append(self._shape)

    def _end_element(self, name: str) -> None:
        self._path.pop()
        if name == "attribute":
            self._attribute = None
        elif len(self._path) == 2 and name in _SHAPES:
            self._shape = None
        elif len(self._path) == 1 and name in ("image", "track"):
            self._image = None

    def _add_characters(self, text: str) -> None:
        if self._shape is not None and self._attribute is not None:
            attributes = self._shape.attributes
            attributes[self._attribute] = attributes.get(self._attribute, "") + text
        elif self._path[-2:-1] == ["original_size"]:
            self._video_size[self._path[-1]] = text


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the shapes of the picture `target` from an annotation file: XML, or a ZIP file of `write`.

    The picture is the one with the same content ID, else with the same file name, else the only one. Its
    shapes are scaled if the sizes differ. Raises ExchangeError.
    """
    images = _read_images(data, target)
    image = choose(_matching_images(images, target), images, Reason.NO_REGIONS)
    size = parse_rect([0, 0, image.xml_attributes.get("width"), image.xml_attributes.get("height")])
    drafts, without_area = [], 0
    for shape in image.shapes:
        if shape.xml_attributes.get("outside") == "1":
            # The shape of a track that is not in this picture.
            continue
        rect = _rect(shape)
        if rect is None:
            without_area += 1
            continue
        drafts.append(
            ImportedRegion(
                name=shape.xml_attributes.get("label", ""),
                rect=scale_rect(rect, None if size is None else (size.w, size.h), target),
                description=shape.attributes.get("description"),
                model_id=shape.attributes.get("model_id"),
                is_bounding_box=shape.kind != "box" or bool(_rotation(shape)),
            )
        )
    return fit_regions(drafts, target, without_area)


def picture_names(data: bytes) -> list[str]:
    """The names of all images in an annotation file; empty if it is another document."""
    reader = _Reader()
    with contextlib.suppress(ExchangeError):
        reader.read(decode_xml(data))
    return [image.xml_attributes.get("name", "") for image in reader.images]


def is_xml(data: bytes) -> bool:
    """Whether `data` begins like an XML document, after the byte order marks of UTF-8 and UTF-16."""
    return data[:4].lstrip(b"\xef\xbb\xbf\xfe\xff\x00 \r\n\t")[:1] == b"<"


def _read_images(data: bytes, target: ExportedPicture) -> list[_Image]:
    if not is_archive(data):
        reader = _Reader()
        reader.read(decode_xml(data))
        return reader.images
    documents = []
    for text in (unpack(data, REGIONS) or unpack(data, ".xml")).values():
        reader = _Reader()
        try:
            reader.read(text)
        except ExchangeError as error:
            if error.reason is not Reason.UNREADABLE:
                raise
            continue
        documents.append(reader.images)
    matches = [images for images in documents if _matching_images(images, target)]
    return choose(matches, documents)


def _matching_images(images: list[_Image], target: ExportedPicture) -> list[_Image]:
    """The images with the content of `target`, else those with its name, else those with a similar name."""
    names = [(image.xml_attributes.get("name"), image) for image in images]
    same_content = [
        image
        for image in images
        if target.content_id and image.xml_attributes.get("ipfs_cid") == target.content_id
    ]
    same_name = [image for name, image in names if name == target.name]
    return same_content or same_name or [image for name, image in names if same_picture(name, target.name)]


def _rect(shape: _Shape) -> Rect | None:
    """The bounding box of a shape; None if its coordinates are missing or invalid."""
    tag = shape.xml_attributes
    match shape.kind:
        case "box":
            box = bounding_rect([tag.get(key) for key in ("xtl", "ytl", "xbr", "ybr")])
            return None if box is None else rotated_bounds(box, _rotation(shape))
        case "ellipse":
            middle = parse_rect([tag.get(key) for key in ("cx", "cy", "rx", "ry")])
            return None if middle is None else ellipse_bounds(middle, _rotation(shape))
        case "mask":
            return parse_rect([tag.get(key) for key in ("left", "top", "width", "height")])
        case "cuboid":
            return bounding_rect([tag.get(key) for key in _CUBOID_CORNERS])
        case "skeleton":
            return bounding_rect(_numbers(";".join(shape.points)))
        case _:
            return bounding_rect(_numbers(tag.get("points", "")))


def _numbers(points: str) -> list[str]:
    return points.replace(";", ",").split(",") if points else []


def _rotation(shape: _Shape) -> float:
    """The rotation of a shape in radians, clockwise; 0 if there is none."""
    try:
        angle = math.radians(float(shape.xml_attributes.get("rotation", 0)))
    except ValueError:
        return 0.0
    return angle if math.isfinite(angle) else 0.0
