"""Reads the GeoJSON that versions of QuPath write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop.exchange.data.imported_regions import ExchangeError, Reason
from tests.desktop.exchange.test_foreign_files import archive_of, boxes, read

SQUARE = [[[100, 200], [400, 200], [400, 600], [100, 600], [100, 200]]]
CRACK = ("crack", 100, 200, 300, 400)


def feature(kind: str = "Polygon", coordinates: Any = SQUARE, **properties: Any) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    values = properties or {"classification": {"name": "crack", "color": [200, 0, 0]}}
    return {"type": "Feature", "id": "b1c2", "geometry": geometry, "properties": values}


def collection(*features: dict[str, Any]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)}


@pytest.mark.parametrize(
    "document",
    [collection(feature()), [feature()], feature(), feature() | {"type": "feature"}],
)
@pytest.mark.parametrize("name", ["ref.geojson", "export.json"])
def test_a_collection_a_list_and_a_single_feature_are_read(document: Any, name: str) -> None:
    regions = read(json.dumps(document), name)
    assert boxes(regions) == [CRACK]
    assert regions.bounding_box_count == 0


def test_a_geometry_alone_has_no_name() -> None:
    geometry = {"type": "MultiPolygon", "coordinates": [SQUARE]}
    assert boxes(read(json.dumps(geometry), "ref.geojson")) == [("", *CRACK[1:])]
    assert boxes(read(json.dumps([geometry]), "ref.geojson")) == [("", *CRACK[1:])]


def test_what_older_and_newer_versions_write() -> None:
    old = feature(
        classification={"name": "crack", "colorRGB": -3670016},
        isLocked=False,
        measurements=[{"name": "Area", "value": 120000.0}],
    ) | {"id": "PathAnnotationObject"}
    named = feature(objectType="annotation", name="port 2", classification={"names": ["crack", "deep"]})
    bare = feature(objectType="annotation")
    regions = read(json.dumps(collection(old, named, bare)), "ref.geojson")
    assert [(region.name, region.description) for region in regions] == [
        ("crack", None),
        ("port 2", "crack: deep"),
        ("", None),
    ]


def test_every_geometry_becomes_its_bounding_box() -> None:
    hole = [[200, 300], [300, 300], [300, 400], [200, 300]]
    triangle = [[[1000, 1000], [1050, 1060], [1000, 1060], [1000, 1000]]]
    collected = feature() | {
        "geometry": {
            "type": "GeometryCollection",
            "geometries": [
                {"type": "Polygon", "coordinates": triangle},
                {"type": "LineString", "coordinates": [[900, 1000], [1000, 1010, 3]]},
            ],
        }
    }
    regions = read(
        json.dumps(
            [
                feature("Polygon", [*SQUARE, hole]),
                feature("MultiPolygon", [SQUARE, triangle]),
                collected,
                feature("Point", [5, 5]),
                feature("MultiPoint", [[5, 5], [25, 45]]),
                feature() | {"geometry": None},
                feature("Polygon", [[[9000, 9000], [9100, 9000], [9100, 9100]]]),
                feature("Polygon", [[["x", 1], [2, 3]]]),
            ]
        ),
        "ref.geojson",
    )
    assert [box[1:] for box in boxes(regions)] == [
        (100, 200, 300, 400),
        (100, 200, 950, 860),
        (900, 1000, 150, 60),
        (5, 5, 20, 40),
    ]
    assert (regions.bounding_box_count, regions.without_area, regions.outside) == (4, 3, 1)


def test_a_zip_file_has_one_document_for_each_picture() -> None:
    other = json.dumps(collection(feature(classification={"name": "dent"})))
    data = {"ref.jpg.geojson": json.dumps([feature()]), "__MACOSX/._ref.jpg.geojson": "x"}
    assert boxes(read(archive_of(data), "all.zip")) == [CRACK]
    assert boxes(read(archive_of(data | {"b.jpg.geojson": other}), "all.zip")) == [CRACK]
    assert boxes(read(archive_of({"REF.geojson": json.dumps([feature()]), "b.geojson": other}), "a.zip")) == [
        CRACK
    ]
    with pytest.raises(ExchangeError) as error:
        read(archive_of({"a.geojson": other, "b.geojson": other + " "}), "all.zip")
    assert error.value.reason is Reason.WHICH_PICTURE


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (collection(), Reason.NO_REGIONS),
        ({"type": "FeatureCollection"}, Reason.UNREADABLE),
        ([feature(), {"type": "Other"}], Reason.UNREADABLE),
        (feature("Polygon", [[[[[[[[[1, 2]]]]]]]]]), Reason.NO_REGIONS),
    ],
)
def test_a_document_without_features_is_refused(document: Any, reason: Reason) -> None:
    with pytest.raises(ExchangeError) as error:
        read(json.dumps(document), "ref.geojson")
    assert error.value.reason is reason
