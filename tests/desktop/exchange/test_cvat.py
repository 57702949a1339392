"""CVAT for images: what other tasks hold, and what no document may do."""

from __future__ import annotations

import math
import tracemalloc
import xml.etree.ElementTree as ET

import pytest

from desktop.exchange.data import imported_regions
from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import ExchangeError, Reason
from desktop.exchange.formats import cvat, voc
from desktop.exchange.formats.archive import pack, unpack
from desktop.exchange.registry import find_reader, read_regions
from shared.record.geometry import Rect
from tests.desktop.exchange.samples import REFERENCE, box, detection, inspection, item

WING = ExportedPicture("wing.jpg", 2400, 1500, "cid")


def image_with(shapes: str, image: str = 'name="wing.jpg" width="2400" height="1500"') -> str:
    body = f'<image id="0" {image}>{shapes}</image>'
    return f'<?xml version="1.0"?>\n<annotations>{body}</annotations>'


def read(text: str | bytes, name: str = "annotations.xml") -> list[tuple[str, Rect]]:
    data = text.encode() if isinstance(text, str) else text
    return [(region.name, region.rect) for region in read_regions(data, name, WING)]


def check_refused(text: str | bytes, reason: Reason, name: str = "annotations.xml") -> None:
    with pytest.raises(ExchangeError) as caught:
        read(text, name)
    assert caught.value.reason is reason


@pytest.mark.parametrize(
    ("shape", "rect"),
    [
        ('<box label="dent" xtl="10.5" ytl="20" xbr="30" ybr="60.25"/>', Rect(10.5, 20, 19.5, 40.25)),
        ('<box label="dent" xtl="0" ytl="40" xbr="100" ybr="60" rotation="90.0"/>', Rect(40, 0, 20, 100)),
        ('<polygon label="dent" points="10,20;40,20;40.5,60"/>', Rect(10, 20, 30.5, 40)),
        ('<polyline label="dent" points="10,20;40,60"/>', Rect(10, 20, 30, 40)),
        ('<points label="dent" points="10,20;40,60;30,30"/>', Rect(10, 20, 30, 40)),
        ('<ellipse label="dent" cx="50" cy="60" rx="20" ry="10"/>', Rect(30, 50, 40, 20)),
        ('<ellipse label="dent" cx="50" cy="60" rx="20" ry="10" rotation="90"/>', Rect(40, 40, 20, 40)),
        ('<mask label="dent" rle="3, 5" left="7" top="8" width="4" height="2"/>', Rect(7, 8, 4, 2)),
        (
            '<cuboid label="dent" xtl1="1" ytl1="2" xbl1="1" ybl1="9" xtr1="5" ytr1="2" xbr1="5" ybr1="9" '
            'xtl2="3" ytl2="1" xbl2="3" ybl2="8" xtr2="8" ytr2="1" xbr2="8" ybr2="8"/>',
            Rect(1, 1, 7, 8),
        ),
        (
            '<skeleton label="dent"><points points="10,20"/><points points="40,60"/></skeleton>',
            Rect(10, 20, 30, 40),
        ),
    ],
)
def test_every_shape_becomes_the_box_around_it(shape: str, rect: Rect) -> None:
    ((name, got),) = read(image_with(shape))
    assert name == "dent"
    assert (got.x, got.y, got.w, got.h) == pytest.approx((rect.x, rect.y, rect.w, rect.h))
    (draft,) = read_regions(image_with(shape).encode(), "a.xml", WING)
    assert draft.is_bounding_box is not (shape.startswith("<box") and "rotation" not in shape)


def test_rotated_box_is_inside_its_bounding_box() -> None:
    shape = '<box label="" xtl="100" ytl="100" xbr="200" ybr="200" rotation="45"/>'
    ((_, rect),) = read(image_with(shape))
    assert (rect.w, rect.h) == pytest.approx((100 * math.sqrt(2),) * 2)


@pytest.mark.parametrize(
    "shape",
    [
        '<tag label="dent"/>',
        '<box label="dent" xtl="a" ytl="1" xbr="2" ybr="2"/>',
        '<box label="dent" xtl="1"/>',
        '<polygon label="dent" points="1,2;3"/>',
        '<polygon label="dent" points=""/>',
        '<ellipse label="dent" cx="nan" cy="1" rx="2" ry="2"/>',
        "<skeleton/>",
        "",
    ],
)
def test_shape_without_coordinates_is_left_out(shape: str) -> None:
    check_refused(image_with(shape), Reason.NO_REGIONS)


def test_invalid_rotation_is_ignored() -> None:
    shape = '<box label="a" xtl="1" ytl="1" xbr="3" ybr="5" rotation="{}"/>'
    for angle in ("x", "nan", "inf"):
        assert read(image_with(shape.format(angle))) == [("a", Rect(1, 1, 2, 4))]


def test_image_is_found_by_name_also_in_a_folder() -> None:
    shape = '<box label="{}" xtl="1" ytl="1" xbr="3" ybr="5"/>'
    images = "".join(
        f'<image id="{number}" name="{name}" width="2400" height="1500">{shape.format(number)}</image>'
        for number, name in enumerate(["tail.jpg", "left/wing.jpg", "nose.jpg"])
    )
    assert read(f"<annotations>{images}</annotations>") == [("1", Rect(1, 1, 2, 4))]
    check_refused(f"<annotations>{images.replace('wing', 'fin')}</annotations>", Reason.WHICH_PICTURE)
    check_refused("<annotations/>", Reason.NO_REGIONS)


def test_shapes_on_a_smaller_copy_are_scaled() -> None:
    shape = '<box label="a" xtl="10" ytl="20" xbr="30" ybr="40"/>'
    half = image_with(shape, 'name="other.png" width="1200" height="750"')
    assert read(half) == [("a", Rect(20, 40, 40, 40))]
    unknown = image_with(shape, 'name="other.png"')
    assert read(unknown) == [("a", Rect(10, 20, 20, 20))]


def test_archive_of_a_task_with_images_is_read() -> None:
    shape = image_with('<box label="a" xtl="10" ytl="20" xbr="30" ybr="40"/>')
    assert read(pack({"annotations.xml": shape, "images/readme.txt": "x"}), "x.zip") == [
        ("a", Rect(10, 20, 20, 20))
    ]
    other = shape.replace('xtl="10"', 'xtl="11"')
    check_refused(pack({"a.xml": shape, "b.xml": other}), Reason.WHICH_PICTURE, "x.zip")
    assert read(pack({"a.xml": shape, "b.xml": "<annotation/>"}), "x.zip")
    check_refused(pack({"a.xml": "<annotation/>"}), Reason.UNREADABLE, "x.zip")


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><annotations>&l9;</annotations>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><annotations/>',
        '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><annotations>&f;</annotations>',
        "<annotations><image></annotations>",
        "<annotations>&nothing;</annotations>",
        "<annotation><object/></annotation>",
        "<svg/>",
        "<",
        f"<annotations>{'<a>' * 200_000}",
        '<?xml version="1.0" encoding="no-such"?><annotations/>',
    ],
)
def test_harmful_damaged_or_foreign_document_is_refused(text: str) -> None:
    check_refused(text, Reason.UNREADABLE)


def test_tracks_of_a_video_are_read_in_the_frame_with_the_name_of_the_picture() -> None:
    meta = "<meta><original_size><width>1200</width><height>750</height></original_size></meta>"
    places = [(0, 10, 0), (12, 20, 0), (13, 30, 1)]
    text = '<attribute name="description">thin</attribute>'
    box = f'<box frame="{{}}" xtl="{{}}" ytl="1" xbr="40" ybr="5" outside="{{}}">{text}</box>'
    track = f'<track id="0" label="a">{"".join(box.format(*place) for place in places)}</track>'
    other = '<track id="1" label="b"><polygon frame="12" points="1,2;3,4;3,2" outside="0"/></track>'
    text = f"<annotations>{meta}{track}{other}</annotations>"
    found = read_regions(text.encode(), "a.xml", ExportedPicture("frame_000012.PNG", 2400, 1500))
    assert [(draft.name, draft.rect) for draft in found] == [
        ("a", Rect(40, 2, 40, 8)),
        ("b", Rect(2, 4, 4, 4)),
    ]
    assert [draft.description for draft in found] == ["thin", None]
    check_refused(text, Reason.WHICH_PICTURE)


def test_hidden_points_of_a_skeleton_do_not_count() -> None:
    points = '<points points="10,20"/><points points="40,60"/><points outside="1" points="0,0"/>'
    assert read(image_with(f'<skeleton label="a">{points}</skeleton>')) == [("a", Rect(10, 20, 30, 40))]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings_are_read(encoding: str) -> None:
    name = "Hülle" if encoding == "iso-8859-1" else "裂纹"
    declared = encoding.removesuffix("-sig")
    text = image_with(f'<box label="{name}" xtl="1" ytl="1" xbr="3" ybr="5"/>').replace(
        '<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{declared}"?>'
    )
    assert read(text.encode(encoding)) == [(name, Rect(1, 1, 2, 4))]


def test_too_many_shapes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported_regions, "MAX_REGIONS", 1)
    check_refused(image_with('<box label="a" xtl="1" ytl="1" xbr="3" ybr="5"/>' * 11), Reason.TOO_LARGE)


def test_findings_are_written_with_their_attributes() -> None:
    finding = {**box("裂纹", Rect(10.25, 20, 30, 40.5), 0.87), "severity": "major"}
    drawn_finding = {
        **box("<凹坑>", Rect(600, 470, 100, 100)),
        "origin": "person",
        "by": "l",
        "by_name": "李四",
    }
    point, entry = (
        {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4},
        detection(finding, drawn_finding, correction={"by": "l"}),
    )
    whole = inspection(item(1, point, entry, description='"翼根"\n'))
    texts = unpack(cvat.write(whole), ".xml")
    document = ET.fromstring(texts[cvat.FINDINGS])
    assert [name.text for name in document.findall("meta/task/labels/label/name")] == ["裂纹", "<凹坑>"]
    (image,) = document.findall("image")
    assert (image.get("name"), image.get("width"), image.get("height")) == ("0001-照片.jpg", "640", "480")
    first, second = image.findall("box")
    assert [first.get(key) for key in ("xtl", "ytl", "xbr", "ybr")] == ["10.25", "20.0", "40.25", "60.5"]
    attributes = {node.get("name"): node.text for node in first.findall("attribute")}
    assert attributes["severity"] == "major"
    assert attributes["confidence"] == "0.87"
    # Cut to the photo.
    assert [second.get(key) for key in ("xbr", "ybr")] == ["640.0", "480.0"]
    assert {node.get("name"): node.text for node in second.findall("attribute")}["drawn_by"] == "李四"
    declared = {name.text for name in document.findall("meta/task/labels/label/attributes/attribute/name")}
    assert {node.get("name") for node in document.iter("attribute") if node.get("name")} <= declared
    regions = ET.fromstring(texts[cvat.REGIONS])
    (only,) = regions.findall("image")
    assert (only.get("name"), only.get("ipfs_cid")) == (REFERENCE.name, REFERENCE.content_id)
    (draft,) = read_regions(cvat.write(whole), "x.zip", REFERENCE)
    assert draft.description == '"翼根"\n'


@pytest.mark.parametrize("per_image", [10, 20_000])
def test_a_large_document_is_read_in_little_memory(per_image: int) -> None:
    box = '<box label="dent" occluded="0" xtl="1.0" ytl="2.0" xbr="30.0" ybr="40.0" z_order="0"></box>'
    images = "".join(
        f'<image id="{n}" name="{n}.jpg" width="640" height="480">{box * per_image}</image>'
        for n in range(20_000 // per_image)
    )
    data = f"<annotations>{images}</annotations>".encode()
    read = find_reader(data, "a.xml")
    tracemalloc.start()
    try:
        if per_image == 10:
            assert len(read(data, ExportedPicture("7.jpg", 640, 480))) == 10
        else:
            with pytest.raises(ExchangeError) as error:
                read(data, ExportedPicture("0.jpg", 640, 480))
            assert error.value.reason is Reason.TOO_LARGE
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A tree takes seven times the text or more.
    assert peak < 4 * len(data)


def test_pascal_voc_does_not_build_a_tree_of_another_document() -> None:
    data = b"<!-- > --><annotations><image name='a.jpg'/>" + b"<x></x>" * 20_000 + b"</annotations>"
    tracemalloc.start()
    try:
        assert not voc.documents(data)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)
    finally:
        tracemalloc.stop()


def test_the_declared_encoding_of_a_decoded_document_does_not_count() -> None:
    text = "<?xml version='1.0' encoding='GB18030'?><annotations><image name='左翼.jpg' width='9' height='9'>"
    text += "<box label='凹坑' xtl='1' ytl='1' xbr='3' ybr='4'/></image></annotations>"
    (region,) = read_regions(text.encode("gb18030"), "a.xml", ExportedPicture("左翼.jpg", 9, 9))
    assert region.name == "凹坑"


def test_an_unfinished_document_is_refused() -> None:
    with pytest.raises(ExchangeError) as error:
        read_regions(b"<annotations><image name='a'></image>", "a.xml", ExportedPicture("a", 9, 9))
    assert error.value.reason is Reason.UNREADABLE
