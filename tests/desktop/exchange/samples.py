"""Inspections to be exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from desktop.exchange.data.content import ExportedPicture, Inspection
from shared.record.geometry import Rect
from shared.wire.inspection import Item, Record

AT = "2026-03-01T08:00:00Z"


def record(**fields: Any) -> Record:
    names = Record.model_fields
    values = {
        **dict.fromkeys(names),
        "inspection_id": "r1",
        "inspection_name": "左翼 早班",
        "task_id": "t",
        "progress": 50,
        "inspection_status": "in_progress",
        "status_name": "进行中",
        "created_at": "2026-03-01T08:00:00",
        "updated_at": "2026-03-01T08:00:00",
        **fields,
    }
    return Record.model_validate(values)


def box(label: str, rect: Rect, confidence: float = 0.5) -> dict[str, Any]:
    points = {"x1": rect.x, "y1": rect.y, "x2": rect.right, "y2": rect.bottom}
    return {"label": label, "confidence": confidence, "points": points}


def detection(*boxes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "inputImage": {"file_id": "f", "filename": "照片.jpg", "width": 640, "height": 480},
        "resultImage": {"boxes": list(boxes), "resultImage": None},
        "isPassed": not boxes,
        "job_id": "job",
        "progress": "done",
        "version": 1,
        **more,
    }


def item(number: int, point: Any, *entries: dict[str, Any], **fields: Any) -> Item:
    values = {
        "item_id": f"i{number}",
        "item_name": f"条目 {number}",
        "inspection_id": "r1",
        "description": None,
        "model_id": "reference-difference",
        "model_name": "参考差分",
        "model_description": None,
        "item_point": None if point is None else {"point": point},
        "result": list(entries),
        "created_at": AT,
        "updated_at": AT,
        **fields,
    }
    return Item.model_validate(values)


def fractions(rect: Rect, picture: ExportedPicture) -> dict[str, float]:
    return {
        "x": rect.x / picture.width,
        "y": rect.y / picture.height,
        "w": rect.w / picture.width,
        "h": rect.h / picture.height,
    }


REFERENCE = ExportedPicture("机身.png", 1000, 800, "bcid")
PHOTO = ExportedPicture("照片.jpg", 640, 480, None)


def inspection(
    *items: Item, reference: ExportedPicture | None = REFERENCE, photo: ExportedPicture = PHOTO
) -> Inspection:
    photos = {item.item_id: photo for item in items if item.result}
    return Inspection(record(), items, reference, photos)


def inspection_with(rects: Sequence[Rect], reference: ExportedPicture, names: Sequence[str]) -> Inspection:
    return inspection(
        *(
            item(number, fractions(rect, reference), item_name=name)
            for number, (rect, name) in enumerate(zip(rects, names, strict=True), 1)
        ),
        reference=reference,
    )


sizes = st.tuples(st.integers(1, 40_000), st.integers(1, 40_000))


PICTURE_NAMES = [
    *("a.jpg", "机身 左.png", "no ending", "..jpg", "CON.jpg", "100%20.jpg", "a?b=c/d.jpg", "a:b|c\\d.png"),
    *(
        "e\u0301 \"quoted\" & 'x' <y>.jpg",
        "\u00e9.JPG",
        "👩🏽\u200d✈️.png",
        "1b2c3d4e-a.jpg",
        "x" * 200 + ".jpg",
    ),
]


@st.composite
def pictures(draw: st.DrawFn) -> ExportedPicture:
    """Pictures of any size, from a single pixel on."""
    width, height = draw(sizes)
    return ExportedPicture(draw(st.sampled_from(PICTURE_NAMES)), width, height)


@st.composite
def rects_in(draw: st.DrawFn, picture: ExportedPicture) -> Rect:
    """Rectangles that lie inside, many of them at the very edges."""
    left = draw(st.one_of(st.just(0.0), st.floats(0, picture.width * 0.99)))
    top = draw(st.one_of(st.just(0.0), st.floats(0, picture.height * 0.99)))
    across, down = picture.width - left, picture.height - top
    w = draw(st.one_of(st.just(across), st.floats(across * 1e-3, across)))
    h = draw(st.one_of(st.just(down), st.floats(down * 1e-3, down)))
    return Rect(left, top, w, h).clamp(picture.width, picture.height)


names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30)
xml_names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cn"], include_characters="\t\n\r<&>\"'"),
    min_size=1,
    max_size=30,
)
# With quotes, an accent that combines, and an emoji of several characters.
_PARTS = [*"abc 裂纹#:'\"[]{},-=%机 0“”‘’|&*!>~`\\", "e\u0301", "\u0301", "👩🏽\u200d✈️"]
line_names = (
    st.lists(st.sampled_from(_PARTS), min_size=1, max_size=12)
    .map("".join)
    .filter(lambda name: bool(name) and name == " ".join(name.split()))
)


@st.composite
def named_regions(
    draw: st.DrawFn, naming: st.SearchStrategy[str] = names
) -> tuple[ExportedPicture, list[Rect], list[str]]:
    """A reference image with regions and their names."""
    picture = draw(pictures())
    rects = draw(st.lists(rects_in(picture), min_size=1, max_size=6))
    return picture, rects, draw(st.lists(naming, min_size=len(rects), max_size=len(rects)))
