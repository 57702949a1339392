"""Regions through every format and back: where they were, never outside, never off by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import ImportedRegion, item_creates
from desktop.exchange.formats import walkaround_json
from desktop.exchange.formats.archive import pack
from desktop.exchange.registry import FORMATS, find_reader, read_regions
from shared.record.geometry import Rect, point_to_pixels
from tests.desktop.exchange.samples import (
    PICTURE_NAMES,
    box,
    detection,
    inspection,
    inspection_with,
    item,
    line_names,
    named_regions,
    xml_names,
)

TOLERANCE_PX = {"json": 0.0, "csv": 0.0, "coco": 0.0, "yolo": 1e-6, "cvat": 1e-9}
"""JSON, CSV and COCO repeat the very numbers; YOLO has fractions of twelve decimals, CVAT corners."""
SHORT = settings(deadline=None, max_examples=40)


def round_trip(
    format_id: str, picture: ExportedPicture, rects: Sequence[Rect], names: Sequence[str]
) -> list[ImportedRegion]:
    export_format = next(candidate for candidate in FORMATS if candidate.format_id == format_id)
    data = export_format.write(inspection_with(rects, picture, names))
    file_name = export_format.file_name("检查 1")
    assert find_reader(data, file_name) is export_format.regions
    return read_regions(data, file_name, picture)


def check_places(
    format_id: str, picture: ExportedPicture, rects: Sequence[Rect], drafts: Sequence[ImportedRegion]
) -> None:
    # What is stored is fractions: that is what every format is given.
    stored = [
        point_to_pixels(
            *(rect.x / picture.width, rect.y / picture.height),
            *(rect.w / picture.width, rect.h / picture.height),
            *(picture.width, picture.height),
        )
        for rect in rects
    ]
    allowed = TOLERANCE_PX[format_id]
    assert len(drafts) == len(stored)
    for draft, rect in zip(drafts, stored, strict=True):
        got = draft.rect
        assert 0 <= got.x < got.right <= picture.width
        assert 0 <= got.y < got.bottom <= picture.height
        for actual, expected in zip(
            (got.x, got.y, got.w, got.h), (rect.x, rect.y, rect.w, rect.h), strict=True
        ):
            assert abs(actual - expected) <= allowed


@pytest.mark.parametrize("format_id", ["json", "csv", "coco"])
@SHORT
@given(case=named_regions())
def test_regions_and_names_survive_a_round_trip(
    format_id: str, case: tuple[ExportedPicture, list[Rect], list[str]]
) -> None:
    picture, rects, names = case
    drafts = round_trip(format_id, picture, rects, names)
    check_places(format_id, picture, rects, drafts)
    assert [draft.name for draft in drafts] == names


@SHORT
@given(case=named_regions(line_names))
def test_regions_and_names_survive_a_round_trip_as_yolo(
    case: tuple[ExportedPicture, list[Rect], list[str]],
) -> None:
    picture, rects, names = case
    drafts = round_trip("yolo", picture, rects, names)
    check_places("yolo", picture, rects, drafts)
    assert [draft.name for draft in drafts] == names


@SHORT
@given(case=named_regions(xml_names))
def test_regions_and_names_survive_a_round_trip_as_cvat(
    case: tuple[ExportedPicture, list[Rect], list[str]],
) -> None:
    picture, rects, names = case
    drafts = round_trip("cvat", picture, rects, names)
    check_places("cvat", picture, rects, drafts)
    assert [draft.name for draft in drafts] == names


@pytest.mark.parametrize("format_id", ["json", "coco", "yolo", "cvat"])
@SHORT
@given(case=named_regions(line_names))
def test_findings_and_labels_survive_a_round_trip(
    format_id: str, case: tuple[ExportedPicture, list[Rect], list[str]]
) -> None:
    photo, rects, labels = case
    found = detection(*(box(label, rect) for label, rect in zip(labels, rects, strict=True)))
    whole = inspection(item(1, {"x": 0, "y": 0, "w": 0.5, "h": 0.5}, found, model_id=None), photo=photo)
    if format_id == "json":
        (facts,) = walkaround_json.read_inspection(walkaround_json.write(whole)).facts()
        assert [(finding.label, finding.box) for finding in facts.findings] == list(
            zip(labels, rects, strict=True)
        )
        return
    export_format = next(candidate for candidate in FORMATS if candidate.format_id == format_id)
    assert export_format.files is not None
    texts = {
        path.removeprefix("findings/"): text
        for path, text in export_format.files(whole).items()
        if path.startswith("findings")
    }
    drafts = read_regions(pack(texts), "findings.zip", photo)
    assert [draft.name for draft in drafts] == labels
    for draft, rect in zip(drafts, rects, strict=True):
        assert (draft.rect.x, draft.rect.y, draft.rect.right, draft.rect.bottom) == pytest.approx(
            (rect.x, rect.y, rect.right, rect.bottom), abs=1e-6
        )


@SHORT
@given(case=named_regions())
def test_any_name_can_be_written_as_cvat(case: tuple[ExportedPicture, list[Rect], list[str]]) -> None:
    picture, rects, names = case
    drafts = round_trip("cvat", picture, rects, names)
    assert [len(draft.name) for draft in drafts] == [len(name) for name in names]


@SHORT
@given(case=named_regions())
def test_any_name_is_one_line_in_yolo(case: tuple[ExportedPicture, list[Rect], list[str]]) -> None:
    picture, rects, names = case
    drafts = round_trip("yolo", picture, rects, names)
    check_places("yolo", picture, rects, drafts)
    assert all(draft.name == " ".join(draft.name.split()) and draft.name for draft in drafts)


@SHORT
@given(case=named_regions())
def test_created_items_have_the_places_of_the_regions(
    case: tuple[ExportedPicture, list[Rect], list[str]],
) -> None:
    picture, rects, names = case
    drafts = [ImportedRegion(name, rect) for name, rect in zip(names, rects, strict=True)]
    creates = item_creates(drafts, "r2", picture, {"filename": "机身.png"}, repeat("Item A"))
    for body, rect in zip(creates, rects, strict=True):
        assert body.inspection_id == "r2"
        assert body.item_name.strip()
        assert body.item_point is not None
        point = body.item_point.point
        assert point is not None
        assert max(point.x, point.y, point.w, point.h) <= 1
        again = point_to_pixels(point.x, point.y, point.w, point.h, picture.width, picture.height)
        expected = (rect.x, rect.y, rect.w, rect.h)
        assert (again.x, again.y, again.w, again.h) == pytest.approx(expected, abs=1e-9 * picture.width)


@pytest.mark.parametrize("format_id", list(TOLERANCE_PX))
def test_regions_are_scaled_to_an_image_of_another_size(format_id: str) -> None:
    export_format = next(candidate for candidate in FORMATS if candidate.format_id == format_id)
    picture = ExportedPicture("a.jpg", 400, 300)
    data = export_format.write(inspection_with([Rect(100, 30, 300, 60)], picture, ["翼根"]))
    (draft,) = read_regions(data, export_format.file_name("x"), ExportedPicture("b.png", 4000, 3000))
    assert (draft.rect.x, draft.rect.y, draft.rect.w, draft.rect.h) == pytest.approx((1000, 300, 3000, 600))
    assert draft.name == "翼根"


@pytest.mark.parametrize("format_id", ["coco", "yolo", "cvat"])
@SHORT
@given(names=st.lists(st.sampled_from(PICTURE_NAMES), min_size=2, max_size=4, unique=True))
@example(names=["a.jpg", "1b2c3d4e-a.jpg"])
def test_regions_of_pictures_with_similar_names_stay_apart(format_id: str, names: list[str]) -> None:
    export_format = next(candidate for candidate in FORMATS if candidate.format_id == format_id)
    pictures = [ExportedPicture(name, 400 + 40 * place, 300 + 30 * place) for place, name in enumerate(names)]
    items = [
        item(place, {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}, item_name=f"on {place}")
        for place in range(len(names))
    ]
    whole = replace(
        inspection(*items, reference=pictures[0]),
        item_references={f"i{place}": picture for place, picture in enumerate(pictures) if place},
    )
    (draft,) = read_regions(export_format.write(whole), "x.zip", pictures[0])
    assert draft.name == "on 0"
